/**
 * How often a login may fail, by address and by user name.
 *
 * Failures are counted in Redis, so by all processes together, in a window that slides; while Redis is away this process
 * counts alone. An attempt counts from its beginning and is taken back when it was right, so that many at once are no way
 * around. Who is over the limit is told when to come back, and costs no hash.
 */
import { createHash, randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { Settings } from "../Config.ts"
import { Redis, command } from "../Redis.ts"
import { Denied } from "./Denied.ts"

export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  /** Until the next may be made. */
  seconds: Schema.Number
}) {}

export interface Claimant {
  readonly username: string
  readonly address: string | undefined
}

/** Time in which failures count, milliseconds. */
const windowMillis = 5 * 60_000

/** Time in which Redis has to answer. */
const patience = "500 millis"

/** Names and addresses that a process remembers while Redis is away. */
const remembered = 10_000

interface Limit {
  readonly key: string
  readonly most: number
}

/**
 * Adds an attempt to every key, unless one of them has as many as it may: then answers the milliseconds until it has
 * not. Nothing is added then, so a key holds no more entries than its limit.
 */
const script = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local window, wait = tonumber(ARGV[1]), 0
  for at, key in ipairs(KEYS) do
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
    if redis.call('ZCARD', key) >= tonumber(ARGV[2 + at]) then
      wait = math.max(wait, redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2] + window - now)
    end
  end
  if wait > 0 then return wait end
  for _, key in ipairs(KEYS) do
    redis.call('ZADD', key, now, ARGV[2])
    redis.call('PEXPIRE', key, window)
  end
  return 0`

export class Attempts extends Context.Service<
  Attempts,
  {
    /** Makes the attempt, or refuses to. It counts when it is denied. */
    readonly guard: <A, E, R>(
      claimant: Claimant,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | TooManyAttempts, R>
  }
>()("rackwire/auth/Attempts") {
  static readonly layer = Layer.effect(
    Attempts,
    Effect.gen(function* () {
      const { client } = yield* Redis
      const { loginAttemptsPerUser, loginAttemptsPerAddress } = yield* Settings
      const local = new LocalAttempts()
      const limitsOf = ({ username, address }: Claimant): ReadonlyArray<Limit> => [
        { key: `name:${hashed(username.toLowerCase())}`, most: loginAttemptsPerUser },
        { key: `address:${networkOf(address)}`, most: loginAttemptsPerAddress }
      ]
      const claim = Effect.fnUntraced(function* (limits: ReadonlyArray<Limit>, id: string) {
        const now = yield* Clock.currentTimeMillis
        const keys = limits.map(({ key }) => redisKey(key))
        const most = limits.map(({ most }) => most)
        return yield* command(() => client.eval(script, keys.length, ...keys, windowMillis, id, ...most)).pipe(
          Effect.timeout(patience),
          Effect.map(Number),
          Effect.catch(() => Effect.succeed(local.claim(limits, id, now)))
        )
      })
      const takeBack = (limits: ReadonlyArray<Limit>, id: string) => {
        local.takeBack(limits, id)
        return command(() => Promise.all(limits.map(({ key }) => client.zrem(redisKey(key), id)))).pipe(
          Effect.timeout(patience),
          Effect.ignore
        )
      }
      return Attempts.of({
        guard: (claimant, attempt) =>
          Effect.gen(function* () {
            const limits = limitsOf(claimant)
            const id = randomUUID()
            const wait = yield* claim(limits, id)
            if (wait > 0) return yield* new TooManyAttempts({ seconds: Math.ceil(wait / 1000) })
            const outcome = yield* Effect.result(attempt)
            const failed = Result.isFailure(outcome) && outcome.failure instanceof Denied
            if (!failed) yield* takeBack(limits, id)
            return yield* Effect.fromResult(outcome)
          })
      })
    })
  )
}

/** One hash tag, so that the keys of a claim lie together in a cluster. */
const redisKey = (key: string): string => `rackwire:{login}:${key}`

const hashed = (text: string): string => createHash("sha256").update(text).digest("base64url")

/** Who has one IPv6 address has 2^64 of them. */
const networkOf = (address: string | undefined): string => {
  const parsed = Result.getOrUndefined(NetAddress.ipFromString(address?.replace(/%.*/, "") ?? ""))
  if (parsed === undefined) return "unknown"
  const canonical = NetAddress.toCanonical(parsed)
  return NetAddress.isIpv4Address(canonical)
    ? NetAddress.formatIp(canonical)
    : IpNetwork.format(IpNetwork.fromAddressUnsafe(canonical, 64))
}

/** The same in this process alone. */
export class LocalAttempts {
  private readonly attempts = new Map<string, Array<{ readonly id: string; readonly at: number }>>()

  /** Milliseconds to wait; 0 when it was counted. */
  claim(limits: ReadonlyArray<Limit>, id: string, now: number): number {
    const recent = limits.map(({ key }) => (this.attempts.get(key) ?? []).filter(({ at }) => at > now - windowMillis))
    const waits = limits.map(({ most }, at) =>
      recent[at]!.length >= most ? recent[at]![0]!.at + windowMillis - now : 0
    )
    const wait = Math.max(...waits)
    if (wait > 0) return wait
    for (const [at, { key }] of limits.entries()) {
      // Set anew, so that the map is in the order of their last attempt.
      this.attempts.delete(key)
      this.attempts.set(key, [...recent[at]!, { id, at: now }])
    }
    for (const key of this.attempts.keys()) {
      if (this.attempts.size <= remembered) break
      this.attempts.delete(key)
    }
    return 0
  }

  takeBack(limits: ReadonlyArray<Limit>, id: string): void {
    for (const { key } of limits) {
      const left = this.attempts.get(key)?.filter((each) => each.id !== id)
      if (left !== undefined && left.length > 0) this.attempts.set(key, left)
      else this.attempts.delete(key)
    }
  }
}
