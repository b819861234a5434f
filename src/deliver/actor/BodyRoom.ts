/** Room for the bodies that templates make, of which a process holds so many bytes (limit/ProcessLimits.ts). */
import { Effect } from "effect"
import { processLimits } from "../../limit/ProcessLimits.ts"
import type { Definition } from "../../webhook/Definition.ts"

/** Room for the output of a body's template, bytes: its limit of characters, most of which take one. */
const outputBytesMax = 1 << 20

/**
 * Runs an attempt when there is room for the most that a body's template may make of it. `settle` sets how much it made,
 * when that is known; at the end of the attempt nothing is reserved.
 */
export const withBodyRoom = <A, E, R>(
  { id, bodyTemplate }: Pick<Definition, "id" | "bodyTemplate">,
  attempt: (settle: (bytes: number) => void) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (bodyTemplate === "") return attempt(() => {})
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      const { promise, resolve } = Promise.withResolvers<void>()
      return { ...processLimits.bodyBytes.hold(id, outputBytesMax, resolve), begun: promise }
    }),
    ({ begun, settle }) =>
      Effect.andThen(
        Effect.promise(() => begun),
        Effect.suspend(() => attempt(settle))
      ),
    ({ end }) => Effect.sync(end)
  )
}
