/**
 * A fault of ours in a loop that must not end: it is logged, and the loop goes on.
 *
 * Without it the fiber would end without a word, and with it everything that only it does.
 */
import { Effect } from "effect"

/** Pause after a fault, so that one that comes each time does not fill the log. */
const pause = "1 second"

export const logDefectAndContinue =
  (what: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | void, E, R> =>
    Effect.catchDefect(effect, (defect) =>
      Effect.andThen(Effect.logError(`deliver: a defect in ${what}`, defect), Effect.sleep(pause))
    )
