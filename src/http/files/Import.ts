/**
 * `POST …/import/?dry_run=true`: writes objects from a CSV, JSON or YAML file. A row with an `id` updates an object,
 * other rows create one.
 *
 * An import writes all rows or none: after an error in any row, or in a dry run, the transaction is rolled back. Every
 * row is checked, so one answer lists all errors. A worker parses the file (ImportFile.ts); rows are written in
 * portions.
 */
import { Data, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { parseExactly } from "../../postgres/ExactJson.ts"
import { mapInSlices } from "../../Slices.ts"
import { authorize } from "../../auth/Permission.ts"
import { type Errors, idIn, textsIn } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { customFieldsOf } from "../../inventory/read/Read.ts"
import { resolveNames } from "../../inventory/name/NamedObjects.ts"
import { create, update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { bodyOfTableRow, bodyOfRow } from "../../inventory/derive/represent/ImportedRow.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { kindsOf } from "./Columns.ts"
import { Imports, type ReadFile, readFile } from "./ImportFile.ts"
import type { Format } from "./ImportFormat.ts"
import { type Portion, idOf } from "./ImportRows.ts"
import { refuseAfter } from "../objects/Limits.ts"
import type { Handler, Request } from "../Route.ts"
import { isSet } from "../query/Parameter.ts"

/** Most rows with errors in an answer. */
const errorsMax = 1000

/** Most characters of an error message, which may repeat a value of the file. */
const messageCharsMax = 500

/** Longest time for checking and writing all rows. */
const writingTime = Duration.minutes(15)

interface Item {
  /** Number of the row in the file, from 1. */
  readonly row: number
  readonly body: unknown
  /** The values that are refused already, and are not in the body. */
  readonly errors: Errors
}

interface Refused {
  readonly row: number
  readonly errors: Errors
}

export interface Report {
  readonly format: Format
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly errors: ReadonlyArray<Refused>
}

/** Rolls back the transaction of a file that is not written. */
class Undone extends Data.TaggedError("Undone")<{ readonly report: Report }> {}

export const importObjects =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.flatMap(Imports, ({ admit }) => admit(importFile(type, request))).pipe(
      Effect.map(({ dryRun, report, written }) => {
        const status = report.errors.length > 0 ? 400 : 200
        return { status, json: { dry_run: dryRun, ...report, errors: report.errors.slice(0, errorsMax) }, written }
      })
    )

/**
 * Imports the file of a request; nothing is written in a dry run, or if a row has errors. Fails with 400 or 413 if the
 * file cannot be read. To be run within `Imports.admit`.
 */
export const importFile = (type: ObjectType, request: Request) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const dryRun = yield* isSet(request, "dry_run", false)
    const columns = kindsOf(type, yield* customFieldsOf(type))
    const escaped = yield* isSet(request, "escape_formulas", true)
    const file = yield* readFile(request, { columns, leftOut: type.leftOut, escaped })
    const { portions } = file
    yield* refuseWrongIds(file)
    if (portions.some(({ changes }) => changes > 0)) yield* authorize(request.principal, "POST", "change", type)
    const { report, written } = yield* write(type, file, request).pipe(
      Effect.flatMap(({ report, written }) =>
        dryRun || report.errors.length > 0 ? new Undone({ report }) : Effect.succeed({ report, written })
      ),
      sql.withTransaction,
      refuseAfter(writingTime, "Writing the rows did not end"),
      Effect.catchTag("Undone", ({ report }) => Effect.succeed({ report, written: [] }))
    )
    return { dryRun, report, written }
  })

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

/** Writes the rows. Returns the report and the ids of the written objects. */
const write = Effect.fnUntraced(function* (type: ObjectType, { format, portions }: ReadFile, request: Request) {
  const errors: Array<Refused> = []
  const written: Array<number> = []
  const counts = { created: 0, updated: 0 }
  for (const kind of ["created", "updated"] as const) {
    for (const portion of portions) {
      const batch = yield* itemsOf(type, portion, format, kind)
      if (batch.length === 0) continue
      const act = kind === "updated" ? updateAll(type, batch, request) : createAll(type, batch, request)
      const refused = yield* act.pipe(
        Effect.map((ids): ReadonlyArray<Errors> => {
          written.push(...ids)
          return []
        }),
        Effect.catchIf(
          (error): error is WriteRefused => error instanceof WriteRefused,
          ({ errors }) => Effect.succeed(errors)
        )
      )
      const wrong = batch
        .map((item, n) => ({ row: item.row, errors: shortened({ ...refused[n], ...item.errors }) }))
        .filter((each) => Object.keys(each.errors).length > 0)
      errors.push(...wrong)
      counts[kind] += batch.length - wrong.length
    }
  }
  errors.sort((a, b) => a.row - b.row)
  const report: Report = { format, rows: rowsIn(portions), ...counts, errors }
  return { report, written }
})

const shortened = (errors: Errors): Errors =>
  Object.fromEntries(
    Object.entries(errors).map(([name, messages]) => [
      name,
      textsIn(messages).map((each) => each.slice(0, messageCharsMax))
    ])
  )

const createAll = (type: ObjectType, items: ReadonlyArray<Item>, { author }: Request) =>
  Effect.map(
    create(
      type,
      items.map(({ body }) => body),
      author
    ),
    (created) => created.map(({ row }) => row.id)
  )

const updateAll = Effect.fnUntraced(function* (type: ObjectType, items: ReadonlyArray<Item>, { author }: Request) {
  const changes = items.map(({ body }) => ({ id: idIn(idOf(body))!, body }))
  const known = yield* update(type, changes, false, author)
  const ids = new Set(known.map(({ id }) => id))
  const missing = changes.map(({ id }) => (ids.has(id) ? {} : { id: ["There is no such object."] }))
  if (ids.size < changes.length) return yield* new WriteRefused({ errors: missing })
  return [...ids]
})

/** The rows of a portion that create objects, or those that update them. */
const itemsOf = Effect.fnUntraced(function* (
  type: ObjectType,
  { bytes, first, count, changes }: Portion,
  format: Format,
  kind: "created" | "updated"
) {
  const none = kind === "updated" ? changes === 0 : changes === count
  if (none) return []
  const rows = parseExactly(utf8.decode(bytes)) as ReadonlyArray<unknown>
  const read = yield* mapInSlices(rows, (row, at) => {
    if ((idOf(row) !== undefined) !== (kind === "updated")) return []
    const body = format === "csv" ? bodyOfTableRow(type, row as Readonly<Record<string, string>>) : row
    return [{ row: first + at, body: bodyOfRow(type, body) }]
  })
  const items = read.flat()
  const { bodies, errors } = yield* resolveNames(
    type,
    items.map(({ body }) => body)
  )
  return items.map(({ row }, at): Item => ({ row, body: bodies[at], errors: errors[at]! }))
})

const utf8 = new TextDecoder()
