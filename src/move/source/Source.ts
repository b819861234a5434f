/** The source as a move and a comparison read it: one snapshot, its release, and where the values of each type are. */
import { Data, Effect, Redacted } from "effect"
import { registry } from "../../inventory/Registry.ts"
import { type Catalogue, type SourceTable, releaseOf } from "./Catalogue.ts"
import { isMoved } from "./MovedTypes.ts"
import { type Selection, selectionOf } from "./Selection.ts"
import { type Snapshot, openSnapshot } from "./Snapshot.ts"
import { openApi } from "./api/ApiSource.ts"
import type { ApiAddress } from "./api/Client.ts"

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

/** The address of a database of NetBox, or of a running NetBox. */
export type SourceAddress = Redacted.Redacted | ApiAddress

interface Opened {
  readonly snapshot: Snapshot
  /** The release; undefined if its tables say which one it is. */
  readonly release: string | undefined
  /** Tables that could not be read. */
  readonly unread: ReadonlyArray<readonly [string, SourceTable]>
}

const opened = (address: SourceAddress) =>
  Redacted.isRedacted(address)
    ? Effect.map(openSnapshot(address), (snapshot): Opened => ({ snapshot, release: undefined, unread: [] }))
    : openApi(address).pipe(
        Effect.map((source): Opened => source),
        Effect.catchTag("ApiFailed", ({ message }) => new MoveRefused({ reason: "UnknownSource", message }))
      )

/** Opens the source, and runs an effect within its snapshot. Fails if the source is none that can be moved. */
export const withSource = Effect.fnUntraced(function* <A, E, R>(
  address: SourceAddress,
  use: (source: Source) => Effect.Effect<A, E, R>
) {
  const { snapshot, release, unread } = yield* opened(address)
  return yield* snapshot.within(
    Effect.gen(function* () {
      const read = yield* snapshot.catalogue
      const catalogue: Catalogue = { ...read, tables: new Map([...read.tables, ...unread]) }
      const found = release === undefined ? releaseOf(catalogue.tables) : { release }
      if ("refused" in found) return yield* new MoveRefused({ reason: "UnknownSource", message: found.refused })
      const all = [...registry.values()].filter(isMoved).flatMap((type) => selectionOf(type, catalogue) ?? [])
      const mayRead = ({ reads }: Selection) =>
        reads.every((table) => catalogue.tables.get(table)?.isReadable !== false)
      return yield* use({ snapshot, catalogue, release: found.release, selections: all.filter(mayRead) })
    })
  )
})
