/**
 * `POST …/import/?dry_run=true`: writes objects from a CSV, JSON or YAML file. A row with an `id` updates an object,
 * other rows create one; with `?update_existing=true` they update the object that has their names.
 *
 * An import writes all rows or none: after an error in any row, or in a dry run, the transaction is rolled back. Every
 * row is checked, so one answer lists all errors. A worker parses the file (ImportFile.ts); rows are written in
 * portions.
 */
import { Data, Duration, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { authorize } from "../../auth/Permission.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { backColumn } from "../../inventory/name/BackReference.ts"
import { customFieldsOf } from "../../inventory/read/Read.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { writeClaims } from "./write/Claims.ts"
import { writeLibrary } from "./library/Library.ts"
import { libraryOf } from "./library/Parts.ts"
import { keysOf, kindsOf } from "./Columns.ts"
import { type Refused, batchWriter, completing, postponedIn } from "./write/BatchWriter.ts"
import { Imports, readFile } from "./ImportFile.ts"
import type { ReadFile } from "./ImportThreads.ts"
import { type Format, formats, importTypes } from "./ImportFormat.ts"
import { type Item, type Reading, itemsOf } from "./ImportItems.ts"
import type { Portion } from "./ImportRows.ts"
import type { WrittenRow } from "./write/Writes.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, flag, integer, listOf, object, optional, record, string, words } from "../declare/Parts.ts"
import { refuseAfter } from "../objects/Limits.ts"
import type { Handler, Services } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { isSet } from "../query/Parameter.ts"

/** Most rows with errors in an answer. */
const errorsMax = 1000

/** Longest time for checking and writing all rows. */
const writingTime = Duration.minutes(15)

export interface Report {
  readonly format: Format
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly errors: ReadonlyArray<Refused & { readonly line?: number }>
  /** For files of the device type library: types that existed, templates, pictures that were passed over, manufacturers. */
  readonly unchanged?: number
  readonly templates?: number
  readonly pictures?: number
  readonly manufacturers?: ReadonlyArray<string>
  /** Keys that have values in the file and are not written: Rackwire has no such field, or makes its value itself. */
  readonly ignored?: ReadonlyArray<string>
}

/** Previews the first changes of a file without errors, in the transaction that makes them. */
type Observe = (changes: ReadonlyArray<WrittenRow>) => Effect.Effect<void, SqlError.SqlError, Services>

/** Rolls back the transaction of a file that is not written. */
class Undone extends Data.TaggedError("Undone")<{ readonly report: Report }> {}

const query = {
  format: described(words(...formats), "Without it by the type of the body, the name of the file, or its first line."),
  dry_run: described(flag, "Check only."),
  update_existing: described(flag, "Whether rows update the objects that have their names."),
  escape_formulas: described(flag, "Whether escapes of an export are taken off; true without it.")
}

const report = record({
  ...{ dry_run: flag, format: words(...formats), rows: integer, created: integer, updated: integer },
  errors: listOf(record({ row: integer, line: optional(described(integer, "Of a library file.")), errors: object })),
  unchanged: optional(described(integer, "Types of library files that exist, and are left as they are.")),
  templates: optional(described(integer, "Templates of library files that were created.")),
  pictures: optional(described(integer, "Pictures that library files name; they are not imported.")),
  manufacturers: optional(described(listOf(string), "Manufacturers of library files that were created.")),
  ignored: optional(described(listOf(string), "Keys that have values in the file and are not written."))
}).annotate({ identifier: "ImportReport" })

export const importObjects = (type: ObjectType): Handler =>
  endpoint({ summary: `Import ${type.label}s from a file`, query, files: importTypes, reply: report }, (request) =>
    Effect.flatMap(Imports, ({ admit }) => admit(importFile(type, request))).pipe(
      Effect.map(({ dryRun, report, written }) => {
        const status = report.errors.length > 0 ? 400 : 200
        return { status, json: { dry_run: dryRun, ...report, errors: report.errors.slice(0, errorsMax) }, written }
      })
    )
  )

/**
 * Imports the file of a request; nothing is written in a dry run, or if a row has errors. Fails with 400 or 413 if the
 * file cannot be read. To be run within `Imports.admit`.
 */
export const importFile = (type: ObjectType, request: Request, observe?: Observe) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const dryRun = yield* isSet(request, "dry_run", false)
    const customFields = yield* customFieldsOf(type)
    const columns = kindsOf(type, customFields)
    const updatesExisting = yield* isSet(request, "update_existing", false)
    const escaped = yield* isSet(request, "escape_formulas", true)
    const library = updatesExisting ? undefined : libraryOf(type)
    const file = yield* readFile(request, { columns, escaped, library: library?.kinds })
    const { portions } = file
    yield* refuseWrongIds(file)
    if (updatesExisting || portions.some(({ changes }) => changes > 0))
      yield* authorize(request.principal, "POST", "change", type)
    const reading = { type, format: file.format, customFields, keys: keysOf(type, customFields), updatesExisting }
    const writing: ReturnType<typeof write> =
      library !== undefined && file.isLibrary
        ? writeLibrary(library, portions, request)
        : write(reading, portions, { request, isObserved: observe !== undefined })
    const { report, written } = yield* writing.pipe(
      Effect.tap(({ report, changes }) =>
        observe === undefined || report.errors.length > 0 ? Effect.void : observe(changes)
      ),
      Effect.flatMap(({ report, written }) =>
        dryRun || report.errors.length > 0
          ? new Undone({ report: ofNothing(report) })
          : Effect.succeed({ report, written })
      ),
      sql.withTransaction,
      refuseAfter(writingTime, "Writing the rows did not end"),
      Effect.catchTag("Undone", ({ report }) => Effect.succeed({ report, written: [] }))
    )
    return { dryRun, report, written }
  })

/** The report of a file that is not written because of its errors. */
const ofNothing = (report: Report): Report =>
  report.errors.length === 0
    ? report
    : { ...report, created: 0, updated: 0, ...(report.templates !== undefined && { templates: 0, manufacturers: [] }) }

const rowsIn = (portions: ReadonlyArray<Portion>): number => portions.reduce((rows, { count }) => rows + count, 0)

const refuseWrongIds = ({ format, portions }: ReadFile) => {
  const refused = (rows: ReadonlyArray<number>, message: string) =>
    rows.map((row) => ({ row, errors: { id: [message] } }))
  const errors = portions
    .flatMap(({ wrongIds, repeatedIds }) => [
      ...refused(wrongIds, "A valid integer is required."),
      ...refused(repeatedIds, "Another row has the same id.")
    ])
    .sort((a, b) => a.row - b.row)
    .slice(0, errorsMax)
  const body = { format, rows: rowsIn(portions), created: 0, updated: 0, errors }
  return errors.length === 0 ? Effect.void : new HttpRefused({ reason: "InvalidBody", body })
}

/** Deepest tree that a file may contain in any order: its rows are read once per level. */
const levelsMax = 64

interface Writing {
  readonly request: Request
  /** Whether the changes are returned, too. */
  readonly isObserved: boolean
}

/** Writes the rows. Returns the report, the ids of the written objects, and the first changes if they are observed. */
const write = Effect.fnUntraced(function* (
  reading: Reading,
  portions: ReadonlyArray<Portion>,
  { request, isObserved }: Writing
) {
  const { type } = reading
  const { act, note, counts, errors, written, changes, claims } = batchWriter(type, request, isObserved)
  const ignored = new Set<string>()
  // Objects are created first: rows that change others may refer to them, and so may rows further up in the file.
  const changing = new Set<number>()
  /** Objects that refer to each other get their references when all of them are there: by row, the id and the fields. */
  const postponed = new Map<number, { readonly id: number; readonly names: ReadonlyArray<string> }>()
  let left: ReadonlySet<number> | undefined
  for (let level = 0; left === undefined || left.size > 0; level++) {
    const early = new Set<number>()
    const before = written.length
    for (const portion of portions) {
      if (!isIn(portion, left)) continue
      const { items, ignored: keys } = yield* itemsOf(reading, portion, (row) => left === undefined || left.has(row))
      for (const key of keys) ignored.add(key)
      const creating = items.filter(({ id }) => id === undefined)
      for (const { row, id } of items) if (id !== undefined) changing.add(row)
      const [ready, waiting] = level < levelsMax ? parted(creating) : [creating, []]
      for (const { row } of waiting) early.add(row)
      const made = yield* act(ready, "created")
      for (const [n, item] of made.length === 0 ? [] : ready.entries()) {
        const names = postponedIn(type, item)
        if (names.length > 0) postponed.set(item.row, { id: made[n]!.after.id, names })
      }
    }
    const isStuck = early.size > 0 && written.length === before
    if (isStuck) level = levelsMax
    left = early
  }
  const again = changing.union(postponed)
  for (const portion of portions) {
    if (!isIn(portion, again)) continue
    const { items } = yield* itemsOf(reading, portion, (row) => again.has(row))
    yield* act(
      items.flatMap((item) => {
        const { id, names } = postponed.get(item.row) ?? {}
        return names === undefined ? [] : [completing(item, id!, names)]
      }),
      "completed"
    )
    yield* act(
      items.filter(({ row, id }) => id !== undefined && !postponed.has(row)),
      "updated"
    )
  }
  const claimed = yield* writeClaims(type, errors.length > 0 ? [] : claims, request)
  note(claimed.written)
  for (const [row, message] of claimed.errors) errors.push({ row, errors: { [backColumn(type)!]: [message] } })
  errors.sort((a, b) => a.row - b.row)
  const { created, updated } = counts
  const report: Report = {
    ...{ format: reading.format, rows: rowsIn(portions), created, updated, errors },
    ...(ignored.size > 0 && { ignored: [...ignored].sort() })
  }
  return { report, written, changes }
})

const isIn = ({ first, count }: Portion, rows: ReadonlySet<number> | undefined): boolean => {
  if (rows === undefined) return true
  for (let row = first; row < first + count; row++) if (rows.has(row)) return true
  return false
}

/** Items that can be written now, and items that refer to an object which a later row may create. */
const parted = (items: ReadonlyArray<Item>): readonly [ReadonlyArray<Item>, ReadonlyArray<Item>] => [
  items.filter(({ early }) => early.size === 0),
  items.filter(({ early }) => early.size > 0)
]
