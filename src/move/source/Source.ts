/** The source as a move and a comparison read it: one snapshot, its release, and where the values of each type are. */
import { Data, Effect, type Redacted } from "effect"
import { registry } from "../../inventory/Registry.ts"
import { type Catalogue, releaseOf } from "./Catalogue.ts"
import { type Selection, selectionOf } from "./Selection.ts"
import { type Snapshot, openSnapshot } from "./Snapshot.ts"

/** The move cannot be done; the message says why, and nothing was written. */
export class MoveRefused extends Data.TaggedError("MoveRefused")<{
  readonly reason: "UnknownSource" | "OtherSource" | "IdsTaken" | "RowsRefused"
  readonly message: string
}> {}

export interface Source {
  readonly snapshot: Snapshot
  readonly catalogue: Catalogue
  readonly release: string
  /** The types that the source has, and whose tables the role may read. */
  readonly selections: ReadonlyArray<Selection>
}

/** Object types whose rows are moved: those that the service writes by itself are not, but for the ends of cables. */
const isMoved = ({
  kind,
  isReadOnly,
  id
}: {
  readonly kind: string
  readonly isReadOnly: boolean
  readonly id: string
}) => id === "dcim.cabletermination" || (kind !== "record" && !isReadOnly)

/** Opens the source, and runs an effect within its snapshot. Fails if the database is none that can be moved. */
export const withSource = Effect.fnUntraced(function* <A, E, R>(
  url: Redacted.Redacted,
  use: (source: Source) => Effect.Effect<A, E, R>
) {
  const snapshot = yield* openSnapshot(url)
  return yield* snapshot.within(
    Effect.gen(function* () {
      const catalogue = yield* snapshot.catalogue
      const found = releaseOf(catalogue.tables)
      if ("refused" in found) return yield* new MoveRefused({ reason: "UnknownSource", message: found.refused })
      const all = [...registry.values()].filter(isMoved).flatMap((type) => selectionOf(type, catalogue) ?? [])
      const mayRead = ({ reads }: Selection) =>
        reads.every((table) => catalogue.tables.get(table)?.isReadable !== false)
      return yield* use({ snapshot, catalogue, release: found.release, selections: all.filter(mayRead) })
    })
  )
})
