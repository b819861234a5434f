/** How far a source is read, its gaps, and the changes that no source shows. */
import { Effect } from "effect"
import { Pace } from "../../eventloop/Pace.ts"
import { sourceReading } from "../../history/source/SourceReading.ts"
import type { RowOf } from "../../inventory/Field.ts"
import type Source from "../../inventory/types/extras/Source.ts"
import { sourceCards } from "../source/SourceCards.ts"
import { probed } from "../system/Probe.ts"
import { drawing } from "./Panel.ts"

export default drawing(
  "source",
  "first",
  (_, { row }) =>
    Effect.gen(function* () {
      const source = row as RowOf<typeof Source>
      const reading = yield* probed(sourceReading(source))
      return sourceCards(source, reading, (yield* Pace).presence.silenceMillis)
    }),
  true
)
