/** Waiting for something that cannot be awaited otherwise. */
import { setTimeout as pause } from "node:timers/promises"

interface Patience {
  /** Time after which it fails, milliseconds. */
  readonly millis?: number
  /** Time between two attempts, milliseconds; without it the time grows with the wait. */
  readonly everyMillis?: number
}

/** First and longest time between two attempts, milliseconds: attempts take processor time from the others of the run. */
const firstMillis = 20
const longestMillis = 250

/** A wait is prolonged by at most this part of it. */
const overshoot = 0.1

/**
 * Asks again and again until there is an answer, and returns it. An answer of `undefined` or `false` is none. Rejects as
 * `ask` does, and with what was expected where there is no answer in time.
 */
export const eventually = async <A>(
  expected: string,
  ask: () => A | Promise<A>,
  { millis = 15_000, everyMillis }: Patience = {}
): Promise<Exclude<A, undefined | false>> => {
  const began = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<A, undefined | false>
    const waited = performance.now() - began
    if (waited > millis) throw new Error(`not within ${millis} ms: ${expected}`)
    await pause(everyMillis ?? Math.min(longestMillis, Math.max(firstMillis, waited * overshoot)))
  }
}
