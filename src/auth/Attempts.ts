/**
 * Limits how often logins fail, by address and by user name.
 *
 * Redis counts the failures of all processes in a sliding window; while Redis is away, each process counts its own.
 * Attempts under way count too, so sending many at once does not get around the limit: further ones wait for them to
 * end. An attempt over the limit is refused with the time to wait, before any hash is computed.
 */
import { createHash, randomUUID } from "node:crypto"
import { type Cause, Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { keepNewest } from "../eventloop/KeepNewest.ts"
import { Settings } from "../Config.ts"
import { Redis, RedisError, command } from "../redis/Redis.ts"
import { RedisScript } from "../redis/RedisScript.ts"
import { Denied } from "./Denied.ts"
import { SignInRefused } from "./directory/SignInRefused.ts"

export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  /** Time until the next attempt may be made. */
  seconds: Schema.Number
}) {}

interface Claimant {
  /** Undefined where the address alone is counted. */
  readonly username: string | undefined
  readonly address: string | undefined
}

/** How long a failure counts. */
const windowMillis = 5 * 60_000

/** How long Redis may take to answer. Then this process counts alone, and more attempts pass. */
const answerTimeout = "2 seconds"

/** Most names and addresses that a process counts while Redis is away. */
const countedMax = 10_000

interface Limit {
  readonly key: string
  readonly most: number
}

/** An attempt under way for longer counts as failed: its process died. */
const underWayMillis = 60_000

/** How often an attempt that waits for others tries again, and after which pause. */
const triesMax = 200
const triesPause = "50 millis"

/** Most attempts that wait for others at a time. */
const waitingMax = 50

const claimScript = new RedisScript<number>(new URL("scripts/claim-attempt.lua", import.meta.url))

const settleScript = new RedisScript<null>(new URL("scripts/settle-attempt.lua", import.meta.url))

export class Attempts extends Context.Service<
  Attempts,
  {
    /** Makes the attempt; fails with `TooManyAttempts` over the limit. An attempt that is denied or refused counts as failed. */
    readonly guard: <A, E, R>(
      claimant: Claimant,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | TooManyAttempts, R>
    /** Forgets the failures by a user name, as far as Redis counts them. */
    readonly forget: (username: string) => Effect.Effect<void, RedisError>
  }
>()("rackwire/auth/Attempts") {
  static readonly layer = Layer.effect(
    Attempts,
    Effect.gen(function* () {
      const { client } = yield* Redis
      /** Fails at once if Redis is known to be away. */
      const ask = <A>(run: () => Promise<A>): Effect.Effect<A, RedisError | Cause.TimeoutError> =>
        /^(reconnecting|close|end)$/.test(client.status)
          ? new RedisError({ reason: "Unavailable", message: "Redis is away" })
          : Effect.timeout(command(run), answerTimeout)
      const { loginAttemptsPerUser, loginAttemptsPerAddress } = yield* Settings
      const local = new LocalAttempts()
      const limitsOf = ({ username, address }: Claimant): ReadonlyArray<Limit> => [
        ...(username === undefined ? [] : [{ key: keyOfName(username), most: loginAttemptsPerUser }]),
        { key: `address:${networkOf(address)}`, most: loginAttemptsPerAddress }
      ]
      const claim = Effect.fnUntraced(function* (limits: ReadonlyArray<Limit>, id: string) {
        const now = yield* Clock.currentTimeMillis
        const keys = limits.map(({ key }) => redisKey(key))
        const most = limits.map(({ most }) => most)
        return yield* ask(() =>
          claimScript.run(client, { keys, args: [windowMillis, underWayMillis, id, ...most] })
        ).pipe(
          Effect.catch((error) =>
            // A wrong command is our own fault and must not be reported as an outage of Redis.
            error._tag === "RedisError" && !error.mayRetry
              ? Effect.die(error)
              : Effect.sync(() => local.claim(limits, id, now))
          )
        )
      })
      const settle = (limits: ReadonlyArray<Limit>, id: string, failed: boolean) => {
        local.settle(limits, id, failed)
        const keys = limits.map(({ key }) => redisKey(key))
        return Effect.ignore(ask(() => settleScript.run(client, { keys, args: [id, failed ? "failed" : ""] })))
      }
      let waiting = 0
      const enter = Effect.fnUntraced(function* (limits: ReadonlyArray<Limit>, id: string) {
        for (let tries = 0; tries < triesMax && waiting < waitingMax; tries++) {
          const wait = yield* claim(limits, id)
          if (wait === 0) return
          if (wait > 0) return yield* new TooManyAttempts({ seconds: Math.ceil(wait / 1000) })
          waiting += 1
          yield* Effect.ensuring(
            Effect.sleep(triesPause),
            Effect.sync(() => (waiting -= 1))
          )
        }
        return yield* new TooManyAttempts({ seconds: 1 })
      })
      return Attempts.of({
        forget: (username) => Effect.asVoid(command(() => client.del(redisKey(keyOfName(username))))),
        guard: (claimant, attempt) =>
          Effect.gen(function* () {
            const limits = limitsOf(claimant)
            const id = randomUUID()
            yield* enter(limits, id)
            const outcome = yield* Effect.result(attempt)
            yield* settle(limits, id, Result.isFailure(outcome) && isRefusal(outcome.failure))
            return yield* Effect.fromResult(outcome)
          })
      })
    })
  )
}

const isRefusal = (failure: unknown): boolean => failure instanceof Denied || failure instanceof SignInRefused

/** One hash tag, so that a cluster keeps the keys of a claim on one node. */
const redisKey = (key: string): string => `{login}:${key}`

const keyOfName = (username: string): string => `name:${hashed(username.toLowerCase())}`

const hashed = (text: string): string => createHash("sha256").update(text).digest("base64url")

/** A client with one IPv6 address usually has the 2^64 addresses of its network, so the network is counted. */
export const networkOf = (address: string | undefined): string => {
  const parsed = Result.getOrUndefined(NetAddress.ipFromString(address?.replace(/%.*/, "") ?? ""))
  if (parsed === undefined) return "unknown"
  const canonical = NetAddress.toCanonical(parsed)
  return NetAddress.isIpv4Address(canonical)
    ? NetAddress.formatIp(canonical)
    : IpNetwork.format(IpNetwork.fromAddressUnsafe(canonical, 64))
}

interface Entry {
  readonly id: string
  readonly at: number
  readonly failed: boolean
}

/** Counts the attempts of this process alone. */
class LocalAttempts {
  private readonly entries = new Map<string, ReadonlyArray<Entry>>()

  /** Returns 0 if the attempt was added, the milliseconds to wait, or -1 while other attempts are under way. */
  claim(limits: ReadonlyArray<Limit>, id: string, now: number): number {
    const counted = limits.map(({ key, most }) => {
      const recent = (this.entries.get(key) ?? []).filter(({ at }) => at > now - windowMillis)
      return { key, most, recent }
    })
    const waits = counted.map(({ most, recent }) => {
      const failures = recent.filter(({ failed }) => failed)
      const [oldest] = failures
      if (oldest !== undefined && failures.length >= most) return oldest.at + windowMillis - now
      return recent.length >= most ? -1 : 0
    })
    const refused = waits.find((wait) => wait > 0) ?? waits.find((wait) => wait < 0)
    if (refused !== undefined) return refused
    for (const { key, recent } of counted) {
      // Deleted first, so that the map is in the order of the last attempts.
      this.entries.delete(key)
      this.entries.set(key, [...recent, { id, at: now, failed: false }])
    }
    keepNewest(this.entries, countedMax)
    return 0
  }

  settle(limits: ReadonlyArray<Limit>, id: string, failed: boolean): void {
    for (const { key } of limits) {
      const left = this.entries
        .get(key)
        ?.flatMap((entry) => (entry.id !== id ? [entry] : failed ? [{ ...entry, failed }] : []))
      if (left !== undefined && left.length > 0) this.entries.set(key, left)
      else this.entries.delete(key)
    }
  }
}
