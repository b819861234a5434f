/** Room for the bodies that templates make, of which a process holds so many bytes (limit/ProcessLimits.ts). */
import { Effect } from "effect"
import { processLimits } from "../../limit/ProcessLimits.ts"
import type { Reservation } from "../../limit/Shares.ts"
import type { Templates } from "../../template/Template.ts"
import type { Definition } from "../../webhook/Definition.ts"

/** Room for the output of a body's template, bytes: its limit of characters, most of which take one. */
const outputBytesMax = 1 << 20

/**
 * Runs an attempt with templates that take room for the most that a body's template may make, when a worker begins it:
 * those that wait for a worker need none, however long. `settle` sets how much it made, when that is known; at the end of
 * the attempt nothing is reserved.
 */
export const withBodyRoom = <A, E, R>(
  templates: Templates["Service"],
  { id, bodyTemplate }: Pick<Definition, "id" | "bodyTemplate">,
  attempt: (templates: Templates["Service"], settle: (bytes: number) => void) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (bodyTemplate === "") return attempt(templates, () => {})
  return Effect.acquireUseRelease(
    Effect.sync(() => processLimits.bodyBytes.reserve(id, outputBytesMax)),
    (room) => attempt(rendering(templates, room), room.settle),
    ({ end }) => Effect.sync(end)
  )
}

/** The same templates, whose renderings begin when there is room. */
const rendering = (templates: Templates["Service"], room: Reservation): Templates["Service"] => ({
  ...templates,
  render: (sources, context, engine, owner) => templates.render(sources, context, engine, owner, room)
})
