/**
 * Logs a defect in a loop that must not end, and lets the loop continue. Otherwise its fiber would end silently.
 */
import { Effect } from "effect"
import { paused } from "./Pace.ts"

const pause = paused(({ deliver }) => deliver.defectMillis)

export const logDefectAndContinue =
  (what: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | void, E, R> =>
    Effect.catchDefect(effect, (defect) =>
      Effect.andThen(Effect.logError(`deliver: a defect in ${what}`, defect), pause)
    )
