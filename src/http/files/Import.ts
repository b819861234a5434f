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
import { type Errors, type Row, textsIn } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { customFieldsOf } from "../../inventory/read/Read.ts"
import { create, update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { keysOf, kindsOf } from "./Columns.ts"
import { Imports, type ReadFile, readFile } from "./ImportFile.ts"
import type { Format } from "./ImportFormat.ts"
import { type Item, type Reading, itemsOf } from "./ImportItems.ts"
import type { Portion } from "./ImportRows.ts"
import { refuseAfter } from "../objects/Limits.ts"
import type { Handler, Request, Services } from "../Route.ts"
import { isSet } from "../query/Parameter.ts"

/** Most rows with errors in an answer. */
const errorsMax = 1000

/** Most characters of an error message, which may repeat a value of the file. */
const messageCharsMax = 500

/** Longest time for checking and writing all rows. */
const writingTime = Duration.minutes(15)

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
  /** Keys that have values in the file and are not written: Rackwire has no such field, or makes its value itself. */
  readonly ignored?: ReadonlyArray<string>
}

/** A change that an import makes. */
export interface WrittenRow {
  /** Undefined for a new object. */
  readonly before: Row | undefined
  readonly after: Row
}

/** Looks at the first changes of a file without errors, in the transaction that makes them. */
type Observe = (changes: ReadonlyArray<WrittenRow>) => Effect.Effect<void, SqlError.SqlError, Services>

/** Most changes that are observed. */
export const observedMax = 1000

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
export const importFile = (type: ObjectType, request: Request, observe?: Observe) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const dryRun = yield* isSet(request, "dry_run", false)
    const customFields = yield* customFieldsOf(type)
    const columns = kindsOf(type, customFields)
    const updatesExisting = yield* isSet(request, "update_existing", false)
    const escaped = yield* isSet(request, "escape_formulas", true)
    const file = yield* readFile(request, { columns, escaped })
    const { portions } = file
    yield* refuseWrongIds(file)
    if (updatesExisting || portions.some(({ changes }) => changes > 0))
      yield* authorize(request.principal, "POST", "change", type)
    const { report, written } = yield* write(
      { type, format: file.format, customFields, keys: keysOf(type, customFields), updatesExisting },
      portions,
      { request, isObserved: observe !== undefined }
    ).pipe(
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
  report.errors.length === 0 ? report : { ...report, created: 0, updated: 0 }

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

/** Deepest tree that a file may hold in any order: its rows are read once per level. */
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
  const counts = { created: 0, updated: 0 }
  const errors: Array<Refused> = []
  const written: Array<number> = []
  const ignored = new Set<string>()
  const changes: Array<WrittenRow> = []
  const { type } = reading
  const act = (batch: ReadonlyArray<Item>, kind: keyof typeof counts) =>
    Effect.gen(function* () {
      if (batch.length === 0) return
      const writing = kind === "updated" ? updateAll(type, batch, request) : createAll(type, batch, request)
      const refused = yield* writing.pipe(
        Effect.map((rows): ReadonlyArray<Errors> => {
          written.push(...rows.map(({ after }) => after.id))
          if (isObserved) changes.push(...rows.slice(0, observedMax - changes.length))
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
    })
  // Objects are created first: rows that change others may refer to them, and so may rows further up in the file.
  const changing = new Set<number>()
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
      yield* act(ready, "created")
    }
    const isStuck = early.size > 0 && written.length === before
    if (isStuck) level = levelsMax
    left = early
  }
  for (const portion of portions) {
    if (!isIn(portion, changing)) continue
    const { items } = yield* itemsOf(reading, portion, (row) => changing.has(row))
    yield* act(
      items.filter(({ id }) => id !== undefined),
      "updated"
    )
  }
  errors.sort((a, b) => a.row - b.row)
  const report: Report = {
    ...{ format: reading.format, rows: rowsIn(portions), ...counts, errors },
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
  items.filter(({ isEarly }) => !isEarly),
  items.filter(({ isEarly }) => isEarly)
]

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
    (created) => created.map(({ row }): WrittenRow => ({ before: undefined, after: row }))
  )

const updateAll = Effect.fnUntraced(function* (type: ObjectType, items: ReadonlyArray<Item>, { author }: Request) {
  const changes = items.map(({ id, body }) => ({ id: id!, body }))
  const before = new Map<number, Row>()
  const remember = (rows: ReadonlyArray<Row>) => Effect.sync(() => rows.forEach((row) => before.set(row.id, row)))
  const known = yield* update(type, changes, false, author, remember)
  const ids = new Set(known.map(({ id }) => id))
  const missing = changes.map(({ id }) => (ids.has(id) ? {} : { id: ["There is no such object."] }))
  if (ids.size < changes.length) return yield* new WriteRefused({ errors: missing })
  return known.map((after): WrittenRow => ({ before: before.get(after.id), after }))
})
