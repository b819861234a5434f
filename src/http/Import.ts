/**
 * `POST …/import/?dry_run=true`: objects from a file, CSV, JSON or YAML. A row with an `id` updates, the others create.
 *
 * All rows or none: with an error in any of them, or in a dry run, nothing has happened. Every row is looked at, so
 * that one answer tells all that is wrong.
 */
import { ByteSize, Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { parse } from "yaml"
import { authorize } from "../auth/Permission.ts"
import { type Errors, isDictionary } from "../inventory/Field.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { create, update } from "../inventory/Write.ts"
import { WriteRefused } from "../inventory/WriteRefused.ts"
import { bodyOfCells, withNamedReferences } from "../inventory/derive/Flat.ts"
import { asText, isOfType, notTooDeep } from "./Body.ts"
import { parseCsv } from "./Csv.ts"
import { HttpRefused } from "./HttpRefused.ts"
import type { Handler, Request } from "./Route.ts"

/** Largest file. */
const fileSizeMax = ByteSize.mebibytes(16)

/** Rows written at once. */
const batchSize = 500

/** Most rows with errors that are told. */
const errorsMax = 1000

interface Item {
  /** Its place in the file, from 1. */
  readonly row: number
  readonly body: unknown
}

interface Refused {
  readonly row: number
  readonly errors: Errors
}

/** Ends the transaction of a file that is not to be written. */
class Undone extends Data.TaggedError("Undone")<{ readonly report: Report }> {}

interface Report {
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly errors: ReadonlyArray<Refused>
}

export const importObjects =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const items = yield* itemsOf(type, request)
      const changes = items.filter(({ body }) => hasId(body))
      if (changes.length > 0) yield* authorize(request.principal, "POST", "change", type)
      const dryRun = /^(true|1)$/i.test(request.url.searchParams.get("dry_run") ?? "")
      const report = yield* write(type, items, request).pipe(
        Effect.flatMap((report) =>
          dryRun || report.errors.length > 0 ? new Undone({ report }) : Effect.succeed(report)
        ),
        sql.withTransaction,
        Effect.catchTag("Undone", ({ report }) => Effect.succeed(report))
      )
      const status = report.errors.length > 0 ? 400 : 200
      return { status, json: { dry_run: dryRun, ...report, errors: report.errors.slice(0, errorsMax) } }
    })

const hasId = (body: unknown): boolean => isDictionary(body) && body["id"] !== undefined && body["id"] !== null

const write = Effect.fnUntraced(function* (type: ObjectType, items: ReadonlyArray<Item>, request: Request) {
  const errors: Array<Refused> = []
  let created = 0
  let updated = 0
  for (const [changes, some] of [false, true].map(
    (changes) => [changes, items.filter(({ body }) => hasId(body) === changes)] as const
  )) {
    for (let at = 0; at < some.length; at += batchSize) {
      const batch = some.slice(at, at + batchSize)
      const act = changes ? updateAll(type, batch, request) : createAll(type, batch, request)
      const refused = yield* act.pipe(
        Effect.as([]),
        Effect.catchIf(
          (error): error is WriteRefused => error instanceof WriteRefused,
          ({ errors }) => Effect.succeed(errors.map((each, n) => ({ row: batch[n]!.row, errors: each })))
        )
      )
      const wrong = refused.filter((each) => Object.keys(each.errors).length > 0)
      errors.push(...wrong)
      if (changes) updated += batch.length - wrong.length
      else created += batch.length - wrong.length
    }
  }
  errors.sort((a, b) => a.row - b.row)
  return { rows: items.length, created, updated, errors }
})

const createAll = (type: ObjectType, items: ReadonlyArray<Item>, { author }: Request) =>
  create(
    type,
    items.map(({ body }) => body),
    author
  )

const updateAll = Effect.fnUntraced(function* (type: ObjectType, items: ReadonlyArray<Item>, { author }: Request) {
  const changes = items.map(({ body }) => ({ id: Number((body as { readonly id: unknown }).id), body }))
  const known = yield* update(type, changes, false, author)
  const ids = new Set(known.map(({ id }) => id))
  const missing = changes.map(({ id }) => (ids.has(id) ? {} : { id: ["There is no such object."] }))
  if (ids.size < changes.length) return yield* new WriteRefused({ errors: missing })
})

/** The rows of the file that a request carries. */
const itemsOf = Effect.fnUntraced(function* (type: ObjectType, request: Request) {
  const text = asText(yield* request.bytes(fileSizeMax))
  const read = text === undefined ? "The file is not UTF-8." : rowsOf(type, request, text)
  if (typeof read === "string") return yield* new HttpRefused({ reason: "InvalidBody", body: { detail: read } })
  const items = read.map((body, at) => ({ row: at + 1, body: withNamedReferences(type, body) }))
  const odd = items.filter(
    ({ body }) => hasId(body) && !Number.isSafeInteger(Number((body as { readonly id: unknown }).id))
  )
  if (odd.length === 0) return items
  const errors = odd.map(({ row }) => ({ row, errors: { id: ["A valid integer is required."] } }))
  return yield* new HttpRefused({ reason: "InvalidBody", body: { rows: items.length, created: 0, updated: 0, errors } })
})

const rowsOf = (type: ObjectType, { contentType, url }: Request, text: string): ReadonlyArray<unknown> | string => {
  const format = url.searchParams.get("format")
  if (format === "csv" || (format === null && isOfType(contentType, "text/csv"))) return tableRows(type, text)
  try {
    const isJson = format === "json" || (format === null && isOfType(contentType, "application/json"))
    const found = notTooDeep(isJson ? JSON.parse(text) : parse(text, { maxAliasCount: 0 }))
    return Array.isArray(found) ? found : "Expected a list of objects."
  } catch (error) {
    return `The file cannot be read: ${(error as Error).message.split("\n")[0]}`
  }
}

const tableRows = (type: ObjectType, text: string): ReadonlyArray<unknown> | string => {
  const lines = parseCsv(text)
  if (typeof lines === "string") return lines
  const [names = [], ...rows] = lines
  const header = names.map((name) => name.trim())
  const unknown = header.filter((name) => name !== "id" && !Object.hasOwn(type.fields, name))
  if (unknown.length > 0) return `Unknown columns: ${unknown.join(", ")}.`
  const uneven = rows.findIndex((cells) => cells.length !== header.length)
  if (uneven >= 0) return `Row ${uneven + 1} has ${rows[uneven]!.length} cells, and the header ${header.length}.`
  return rows.map((cells) => bodyOfCells(type, Object.fromEntries(header.map((name, at) => [name, cells[at]!]))))
}
