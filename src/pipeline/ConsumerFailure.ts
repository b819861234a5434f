/** Failures of the stages that follow, as capture expects them. */
import { Effect } from "effect"
import { CaptureError, isServerStopping, serverStopping } from "../capture/CaptureError.ts"
import { ConsumerUnavailable } from "../capture/EventConsumer.ts"
import { outrank } from "../capture/slot/Leadership.ts"
import { Fenced } from "../queue/Append.ts"
import { inWords } from "../telemetry/Telemetry.ts"

/**
 * Fails with what capture expects. Where Redis has a higher generation, another process leads, or led in a later copy
 * of this database: generations rise above that one from now on.
 */
export const asConsumerError = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    effect,
    (error) => error instanceof Fenced,
    ({ generation, message }) => Effect.andThen(outrank(generation), new CaptureError({ reason: "Fenced", message }))
  ).pipe(
    Effect.mapError((error) => {
      if (error instanceof CaptureError) return error
      return isServerStopping(error) ? serverStopping(error) : new ConsumerUnavailable({ message: inWords(error) })
    })
  )
