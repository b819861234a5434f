/**
 * How often a login may fail, by address and by user name.
 *
 * Failures are counted in Redis, so by all processes together, in a window that slides; while Redis is away this
 * process counts alone. Attempts under way count as well, so that many at once are no way around; who comes while they
 * stand in the way waits for them to end. Who is over the limit is told when to come back, and costs no hash.
 */
import { createHash, randomUUID } from "node:crypto"
import { type Cause, Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { Settings } from "../Config.ts"
import { Redis, RedisError, command } from "../Redis.ts"
import { RedisScript } from "../RedisScript.ts"
import { Denied } from "./Denied.ts"

export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  /** Until the next may be made. */
  seconds: Schema.Number
}) {}

interface Claimant {
  readonly username: string
  readonly address: string | undefined
}

/** Time in which failures count, milliseconds. */
const windowMillis = 5 * 60_000

/** Time in which Redis has to answer; counting in two places at once would let twice as many through. */
const patience = "2 seconds"

/** Names and addresses that a process remembers while Redis is away. */
const remembered = 10_000

interface Limit {
  readonly key: string
  readonly most: number
}

/** After this long an attempt under way has failed: its process died. Milliseconds. */
const underWayMillis = 60_000

/** How long somebody waits for attempts under way, and how many may at a time. */
const turns = { pause: "50 millis", most: 200 } as const
const waitingMax = 50

const claimScript = new RedisScript<number>(new URL("scripts/claim-attempt.lua", import.meta.url))

const settleScript = new RedisScript<null>(new URL("scripts/settle-attempt.lua", import.meta.url))

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
      /** Of a server that is known to be away nobody waits for an answer. */
      const ask = <A>(run: () => Promise<A>): Effect.Effect<A, RedisError | Cause.TimeoutError> =>
        /^(reconnecting|close|end)$/.test(client.status)
          ? new RedisError({ reason: "Unavailable", message: "Redis is away" })
          : Effect.timeout(command(run), patience)
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
        return yield* ask(() =>
          claimScript.run(client, { keys, args: [windowMillis, underWayMillis, id, ...most] })
        ).pipe(
          Effect.catch((error) =>
            // A command that is wrong is a fault of ours: it must not pass for a server that is away.
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
        for (let turn = 0; turn < turns.most && waiting < waitingMax; turn++) {
          const wait = yield* claim(limits, id)
          if (wait === 0) return
          if (wait > 0) return yield* new TooManyAttempts({ seconds: Math.ceil(wait / 1000) })
          waiting += 1
          yield* Effect.ensuring(
            Effect.sleep(turns.pause),
            Effect.sync(() => (waiting -= 1))
          )
        }
        return yield* new TooManyAttempts({ seconds: 1 })
      })
      return Attempts.of({
        guard: (claimant, attempt) =>
          Effect.gen(function* () {
            const limits = limitsOf(claimant)
            const id = randomUUID()
            yield* enter(limits, id)
            const outcome = yield* Effect.result(attempt)
            yield* settle(limits, id, Result.isFailure(outcome) && outcome.failure instanceof Denied)
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

interface Entry {
  readonly id: string
  readonly at: number
  readonly failed: boolean
}

/** The same in this process alone. */
class LocalAttempts {
  private readonly entries = new Map<string, ReadonlyArray<Entry>>()

  /** Milliseconds to wait; -1 while others are under way, 0 when it was added. */
  claim(limits: ReadonlyArray<Limit>, id: string, now: number): number {
    const recent = limits.map(({ key }) => (this.entries.get(key) ?? []).filter(({ at }) => at > now - windowMillis))
    const waits = limits.map(({ most }, at) => {
      const failed = recent[at]!.filter((entry) => entry.failed)
      if (failed.length >= most) return failed[0]!.at + windowMillis - now
      return recent[at]!.length >= most ? -1 : 0
    })
    const refused = waits.find((wait) => wait > 0) ?? waits.find((wait) => wait < 0)
    if (refused !== undefined) return refused
    for (const [at, { key }] of limits.entries()) {
      // Set anew, so that the map is in the order of their last attempt.
      this.entries.delete(key)
      this.entries.set(key, [...recent[at]!, { id, at: now, failed: false }])
    }
    for (const key of this.entries.keys()) {
      if (this.entries.size <= remembered) break
      this.entries.delete(key)
    }
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
