/** Limits of one request. Refusals name the limit and what to do. */
import { Duration, Effect } from "effect"
import { Settings } from "../../Config.ts"
import { HttpRefused } from "../HttpRefused.ts"

/** Longest time for one write of a list. */
const writingTime = Duration.minutes(1)

export const tooLarge = (detail: string) => new HttpRefused({ reason: "TooLarge", body: { detail } })

/** Fails with 413 if the effect takes longer; its transaction is rolled back. */
export const refuseAfter =
  (duration: Duration.Duration, what: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.timeoutOrElse(effect, {
      duration,
      orElse: () => tooLarge(`${what} within ${Duration.format(duration)}. Send it in parts.`)
    })

/** Fails with 413 if writing a list takes too long: one object may name thousands of others. */
export const inWritingTime = refuseAfter(writingTime, "Writing the objects did not end")

/** Fails with 413 if a list has more objects than `MAX_BULK_OBJECTS`, before any of them is read. */
export const refuseLongList = Effect.fnUntraced(function* (body: unknown) {
  if (!Array.isArray(body)) return
  const { bulkObjectsMax } = yield* Settings
  if (body.length <= bulkObjectsMax) return
  const limit = `a request may have at most ${bulkObjectsMax} (MAX_BULK_OBJECTS)`
  return yield* tooLarge(`The list has ${body.length} objects, and ${limit}. Send several requests, or import a file.`)
})
