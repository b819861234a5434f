/**
 * Retry schedules: when a failed delivery is attempted again.
 *
 * A schedule is data on the webhook and compiles to an Effect `Schedule` from a failed attempt to the delay before the
 * next one. It has no state: its input says all, so any process can compute the next delay.
 */
import { Cause, Duration, Effect, Schedule } from "effect"
import { type Failure, type Outcome, isHopeless } from "../event/Outcome.ts"
import { delaySecondsMax } from "../transport/RetryAfter.ts"

/**
 * Times are in seconds. `attempts` includes the first one; `jitter` is the share by which a delay may be shorter or
 * longer; no attempt is made later than `total` after the first one.
 */
export type RetryPolicy = { readonly jitter: number; readonly total?: number } & (
  | {
      readonly kind: "exponential"
      readonly base: number
      readonly factor: number
      readonly cap: number
      readonly attempts: number
    }
  | { readonly kind: "fixed"; readonly delay: number; readonly attempts: number }
  | { readonly kind: "list"; readonly delays: ReadonlyArray<number> }
)

/** 8 attempts over about a day: after 5 s, 25 s, 2 min, 10 min, 52 min, 4 h and 22 h. */
export const usualPolicy: RetryPolicy = {
  kind: "exponential",
  base: 5,
  factor: 5,
  cap: 86_400,
  attempts: 8,
  jitter: 0.2
}

/** Most attempts of a delivery. */
const attemptsMax = 100

/** Longest time that a schedule may last, seconds. */
const totalSecondsMax = 30 * 86_400

/** Reads a policy; returns what is wrong with it otherwise. */
export const parsePolicy = (input: unknown): RetryPolicy | string => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "A retry schedule is an object."
  const fields = input as Readonly<Record<string, unknown>>
  const reader = new FieldReader(fields)
  const jitter = reader.number("jitter", 0, 1, 0)
  const total = fields["total"] === undefined ? {} : { total: reader.number("total", 0, totalSecondsMax) }
  const policy = policyOf(fields["kind"], reader, { jitter, ...total })
  if (policy === undefined) return `kind must be one of exponential, fixed, list.`
  const unknown = Object.keys(fields).find((name) => name !== "kind" && !reader.known.has(name))
  if (unknown !== undefined) return `${unknown} is not known for ${policy.kind}.`
  return reader.problem ?? policy
}

const policyOf = (
  kind: unknown,
  reader: FieldReader,
  limits: Pick<RetryPolicy, "jitter" | "total">
): RetryPolicy | undefined => {
  switch (kind) {
    case "exponential":
      return {
        kind,
        base: reader.number("base", 0, delaySecondsMax),
        factor: reader.number("factor", 1, 100),
        cap: reader.number("cap", 0, delaySecondsMax, delaySecondsMax),
        attempts: reader.count("attempts", attemptsMax),
        ...limits
      }
    case "fixed":
      return {
        kind,
        delay: reader.number("delay", 0, delaySecondsMax),
        attempts: reader.count("attempts", attemptsMax),
        ...limits
      }
    case "list":
      return { kind, delays: reader.list("delays", 0, delaySecondsMax, attemptsMax - 1), ...limits }
    default:
      return undefined
  }
}

/** Reads fields and remembers the first problem. */
class FieldReader {
  problem: string | undefined
  readonly known = new Set<string>()
  private readonly fields: Readonly<Record<string, unknown>>

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.fields = fields
  }

  number(name: string, min: number, max: number, fallback?: number): number {
    this.known.add(name)
    const value = this.fields[name] ?? fallback
    if (typeof value === "number" && value >= min && value <= max) return value
    this.problem ??= `${name} must be a number from ${min} to ${max}.`
    return min
  }

  count(name: string, max: number): number {
    const value = this.number(name, 1, max)
    if (!Number.isInteger(value)) this.problem ??= `${name} must be a whole number.`
    return value
  }

  list(name: string, min: number, max: number, lengthMax: number): ReadonlyArray<number> {
    this.known.add(name)
    const value = this.fields[name]
    const sound =
      Array.isArray(value) &&
      value.length <= lengthMax &&
      value.every((item) => typeof item === "number" && item >= min && item <= max)
    if (sound) return value as ReadonlyArray<number>
    this.problem ??= `${name} must be a list of at most ${lengthMax} numbers from ${min} to ${max}.`
    return []
  }
}

/** A failed attempt as the schedule sees it. */
export interface FailedAttempt {
  readonly failure: Failure
  /** Attempts of the schedule made so far, this one included. */
  readonly attempts: number
  /** Since the first of those attempts. */
  readonly elapsedMillis: number
  /** From 0 to 1, for the jitter. */
  readonly random: number
}

/** The delay before the next attempt, milliseconds; undefined when there is none. */
export const nextDelay = (policy: RetryPolicy, failed: FailedAttempt): number | undefined => {
  const { failure, attempts, elapsedMillis, random } = failed
  if (isHopeless(failure)) return undefined
  const seconds = delayOf(policy, attempts)
  if (seconds === undefined) return undefined
  const jittered = Math.min(seconds * (1 + policy.jitter * (2 * random - 1)), delaySecondsMax)
  const delay = Math.max(jittered * 1000, Math.min(failure.retryAfterMillis ?? 0, delaySecondsMax * 1000))
  return elapsedMillis + delay > (policy.total ?? Number.POSITIVE_INFINITY) * 1000 ? undefined : delay
}

const delayOf = (policy: RetryPolicy, attempts: number): number | undefined => {
  switch (policy.kind) {
    case "exponential":
      return attempts < policy.attempts
        ? Math.min(policy.base * policy.factor ** (attempts - 1), policy.cap)
        : undefined
    case "fixed":
      return attempts < policy.attempts ? policy.delay : undefined
    case "list":
      return policy.delays[attempts - 1]
  }
}

/** The policy as a schedule: outputs the count of attempts made, ends when there is no further one. */
export const retrySchedule = (policy: RetryPolicy): Schedule.Schedule<number, FailedAttempt> =>
  Schedule.fromStep(
    Effect.succeed((_now: number, failed: FailedAttempt) => {
      const delay = nextDelay(policy, failed)
      return delay === undefined
        ? Cause.done(failed.attempts)
        : Effect.succeed<[number, Duration.Duration]>([failed.attempts, Duration.millis(delay)])
    })
  )

/** The decision after a failed attempt. */
export const decide = (
  schedule: Schedule.Schedule<number, FailedAttempt>,
  failed: FailedAttempt
): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const step = yield* Schedule.toStep(schedule)
    const [, delay] = yield* step(0, failed)
    return { kind: "Retry", delayMillis: Duration.toMillis(delay), failure: failed.failure } as const
  }).pipe(Effect.catch(() => Effect.succeed({ kind: "Dead", failure: failed.failure } as const)))
