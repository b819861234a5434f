/** Waiting for something that cannot be awaited otherwise. */
import { setTimeout as pause } from "node:timers/promises"

/**
 * Time that a test waits for a state, milliseconds: so long that no machine needs it. A shorter bound would only measure the
 * machine, so a wait has one of its own only where a time is its subject.
 */
export const patienceMillis = 120_000

interface Patience {
  /** Time after which it fails, milliseconds. */
  readonly millis?: number
  /** Time between two attempts, milliseconds. */
  readonly everyMillis?: number
}

/**
 * Asks again and again until there is an answer, and returns it. An answer of `undefined` or `false` is none. Rejects as
 * `ask` does, and with what was expected where there is no answer in time.
 */
export const eventually = async <A>(
  expected: string,
  ask: () => A | Promise<A>,
  { millis = patienceMillis, everyMillis = 20 }: Patience = {}
): Promise<Exclude<A, undefined | false>> => {
  for (const deadline = performance.now() + millis; ; await pause(everyMillis)) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<A, undefined | false>
    if (performance.now() > deadline) throw new Error(`not within ${millis} ms: ${expected}`)
  }
}
