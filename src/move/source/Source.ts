/** The source as a move and a comparison read it: one snapshot, its release, and where the values of each type are. */
import { Data, Effect, Redacted } from "effect"
import { chunksOf } from "effect/Array"
import type { SqlError } from "effect/sql"
import { registry } from "../../inventory/Registry.ts"
import { type Catalogue, type SourceTable, releaseOf } from "./Catalogue.ts"
import { readIds } from "../state/Renumbered.ts"
import { isMoved } from "./MovedTypes.ts"
import type { SourceRow } from "./Convert.ts"
import type { ImageFiles } from "./Files.ts"
import { type Ids, type Translation, withIdsHere } from "./Ids.ts"
import { type Selection, fieldsStatement, selectionOf } from "./Selection.ts"
import { type Snapshot, openSnapshot } from "./Snapshot.ts"
import { openApi } from "./api/ApiSource.ts"
import type { ApiAddress } from "./api/Client.ts"

/** The move cannot be done; the message says why, and nothing was written. */
export class MoveRefused extends Data.TaggedError("MoveRefused")<{
  readonly reason: "Running" | "UnknownSource" | "OtherSource" | "IdsTaken" | "RowsRefused"
  readonly message: string
}> {}

export interface Source {
  readonly snapshot: Snapshot
  readonly catalogue: Catalogue
  readonly release: string
  /** The types that the source has, and whose tables the role may read. */
  readonly selections: ReadonlyArray<Selection>
  readonly ids: Ids
  /** The files of its images, if it gives them itself. */
  readonly files: ImageFiles | undefined
  /** Passes the rows of a statement over a type, page by page, with the ids that objects have here. */
  readonly pages: <E, R>(
    selection: Selection,
    statement: string,
    use: (rows: ReadonlyArray<SourceRow>) => Effect.Effect<unknown, E, R>
  ) => Effect.Effect<void, E | SqlError.SqlError, R>
  /** The ids here among these whose objects the source has. */
  readonly idsAmong: (
    selection: Selection,
    ids: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlySet<number>, SqlError.SqlError>
}

/** The address of a database of NetBox, or of a running NetBox. */
export type SourceAddress = Redacted.Redacted | ApiAddress

interface Opened {
  readonly snapshot: Snapshot
  /** The release; undefined if its tables say which one it is. */
  readonly release: string | undefined
  /** Tables that could not be read. */
  readonly unread: ReadonlyArray<readonly [string, SourceTable]>
  readonly files: ImageFiles | undefined
}

const opened = (address: SourceAddress) =>
  Redacted.isRedacted(address)
    ? Effect.map(openSnapshot(address), (snapshot): Opened => ({
        snapshot,
        release: undefined,
        unread: [],
        files: undefined
      }))
    : openApi(address).pipe(
        Effect.map((source): Opened => source),
        Effect.catchTag("ApiFailed", ({ message }) => new MoveRefused({ reason: "UnknownSource", message }))
      )

/** Opens the source, and runs an effect within its snapshot. Fails if the source is none that can be moved. */
export const withSource = Effect.fnUntraced(function* <A, E, R>(
  address: SourceAddress,
  use: (source: Source) => Effect.Effect<A, E, R>
) {
  const { snapshot, release, unread, files } = yield* opened(address)
  return yield* snapshot.within(
    Effect.gen(function* () {
      const read = yield* snapshot.catalogue
      const catalogue: Catalogue = { ...read, tables: new Map([...read.tables, ...unread]) }
      const found = release === undefined ? releaseOf(catalogue.tables) : { release }
      if ("refused" in found) return yield* new MoveRefused({ reason: "UnknownSource", message: found.refused })
      const all = [...registry.values()].filter(isMoved).flatMap((type) => selectionOf(type, catalogue) ?? [])
      const mayRead = ({ reads }: Selection) =>
        reads.every((table) => catalogue.tables.get(table)?.isReadable !== false)
      const selections = all.filter(mayRead)
      const translation = {
        ids: yield* readIds,
        contentTypes: catalogue.contentTypes,
        customFields: yield* objectFields(snapshot, catalogue, selections)
      }
      return yield* use({
        ...{ snapshot, catalogue, release: found.release, selections, files },
        ...withIds(snapshot, translation)
      })
    })
  )
})

/**
 * Rows that are written in one transaction. Capture gets a transaction when it is committed, so changes of others wait
 * behind one of many rows; fewer rows cost the move more commits than the others gain.
 */
export const transactionRows = 250

const withIds = (snapshot: Snapshot, translation: Translation): Pick<Source, "ids" | "pages" | "idsAmong"> => {
  const { ids } = translation
  return {
    ids,
    pages: (selection, statement, use) =>
      snapshot.pages(statement, (rows) => {
        const here = rows.map((row) => withIdsHere(selection, translation, row))
        return Effect.forEach(chunksOf(here, transactionRows), use, { discard: true })
      }),
    idsAmong: ({ type, table, where }, here) => {
      const there = here.flatMap((id) => ids.there(type.id, id) ?? [])
      return Effect.map(
        snapshot.idsAmong(table, where, there),
        (found) => new Set([...found].map((id) => ids.here(type.id, id)))
      )
    }
  }
}

/** The object types of custom fields with objects, by the name of the field. */
const objectFields = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { contentTypes }: Catalogue,
  selections: ReadonlyArray<Selection>
) {
  const found = new Map<string, string>()
  const selection = selections.find(({ type }) => type.id === "extras.customfield")
  if (selection === undefined) return found
  const statement = fieldsStatement(selection, ["name", "object_type"])
  yield* snapshot.pages(statement, (rows) =>
    Effect.sync(() => {
      for (const { name, object_type } of rows) {
        const type = contentTypes.get(Number(object_type))
        if (type !== undefined) found.set(String(name), type)
      }
    })
  )
  return found
})
