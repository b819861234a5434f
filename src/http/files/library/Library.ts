/**
 * Imports files of the device type library: creates device types or module types with their templates, and the
 * manufacturers that they name. A type that exists is left as it is, so a second import changes nothing.
 *
 * Runs in the transaction of the import (Import.ts): after an error in any document nothing is written.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorize } from "../../../auth/Permission.ts"
import { mapInSlices } from "../../../eventloop/Slices.ts"
import { cleared } from "../../../inventory/Clearance.ts"
import { type Dictionary, type Errors, emptyRecord, isStorable } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { after } from "../../../inventory/derive/filter/Where.ts"
import { parseExactly } from "../../../postgres/ExactJson.ts"
import { observedMax } from "../write/BatchWriter.ts"
import { WriteRefused } from "../../../inventory/write/WriteRefused.ts"
import type { Portion } from "../ImportRows.ts"
import { type WrittenRow, createAll } from "../write/Writes.ts"
import type { Request } from "../../wire/Request.ts"
import type { LibraryRow } from "./LibraryRows.ts"
import { type Manufacturers, findManufacturers } from "./Manufacturers.ts"
import { type LibraryType, writtenNames } from "./Parts.ts"
import { type Fault, type Owner, createParts, partsIn } from "./Templates.ts"

/** A type of a file, that is to be created. */
interface Document {
  /** Number of the document, from 1. */
  readonly row: number
  readonly read: LibraryRow
  readonly body: Dictionary
}

export const writeLibrary = Effect.fnUntraced(function* (
  library: LibraryType,
  portions: ReadonlyArray<Portion>,
  request: Request
) {
  const { type, parts } = library
  const faults: Array<Fault> = []
  const ignored = new Set<string>()
  const written: Array<number> = []
  const changes: Array<WrittenRow> = []
  const manufacturers: Manufacturers = { ids: new Map(), slugs: new Map(), refused: new Map(), created: [] }
  const rowCount = portions.reduce((sum, { count }) => sum + count, 0)
  const counts = { rows: rowCount, created: 0, unchanged: 0, templates: 0, pictures: 0 }
  for (const { bytes, first } of portions) {
    if (faults.length > faultsMax) break
    const rows = parseExactly(utf8.decode(bytes)) as ReadonlyArray<LibraryRow>
    yield* findManufacturers(
      rows.flatMap((row) => namesIn(row, parts)),
      manufacturers,
      request
    )
    const read = yield* mapInSlices(rows, (row, at) => documentOf(library, row, first + at, manufacturers))
    for (const each of read) {
      faults.push(...each.faults)
      counts.pictures += each.pictures
      for (const key of each.ignored) ignored.add(key)
    }
    const sound = read.filter(({ faults }) => faults.length === 0).map(({ document }) => document)
    const known = yield* knownAmong(type, sound)
    const missing = sound.filter((_, at) => !known.has(at))
    counts.unchanged += sound.length - missing.length
    const made = yield* createTypes(type, missing, faults, request)
    counts.created += made.length
    written.push(...made.map(({ change }) => change.after.id))
    changes.push(...made.map(({ change }) => change).slice(0, observedMax - changes.length))
    const owners = made.map(({ document: { row, read }, change }): Owner => {
      return { row, read, id: change.after.id, made: new Map() }
    })
    for (const [key, part] of Object.entries(parts)) {
      const items = yield* mapInSlices(owners, (owner) => partsIn(library, key, owner, manufacturers.ids))
      const all = items.flatMap((each) => each.items)
      for (const each of items) {
        faults.push(...each.faults)
        for (const name of each.ignored) ignored.add(`${key}.${name}`)
      }
      if (all.length === 0) continue
      yield* authorize(request.principal, "POST", "add", part)
      counts.templates += yield* createParts(part, key, all, faults, request)
    }
  }
  const errors = inOrder(faults)
  const report = {
    ...{ format: "yaml" as const, rows: counts.rows, created: counts.created, updated: 0, errors },
    ...{ unchanged: counts.unchanged, templates: counts.templates, pictures: counts.pictures },
    manufacturers: manufacturers.created,
    ...(ignored.size > 0 && { ignored: [...ignored].sort() })
  }
  return { report, written, changes }
})

const utf8 = new TextDecoder()

/** Documents are read until there are as many errors: more would not be reported. */
const faultsMax = 1000

/** In the order of the documents and of their lines. */
const inOrder = (faults: ReadonlyArray<Fault>): ReadonlyArray<Fault> =>
  [...faults].sort((a, b) => a.row - b.row || a.line - b.line)

/** The names of manufacturers in a document: its own, and those of its inventory items. */
const namesIn = ({ values }: LibraryRow, parts: LibraryType["parts"]): ReadonlyArray<string> => {
  const items = Object.hasOwn(parts, "inventory-items") ? values["inventory-items"] : []
  const named = [values, ...(Array.isArray(items) ? items : [])] as ReadonlyArray<Dictionary | null>
  return named.flatMap((each) => nameIn(each?.["manufacturer"]) ?? [])
}

const nameIn = (value: unknown): string | undefined =>
  typeof value === "string" && isStorable(value) ? value.trim() : undefined

const documentOf = (
  { type, parts, leftOut }: LibraryType,
  read: LibraryRow,
  row: number,
  { ids, refused }: Manufacturers
) => {
  const { values, lines } = read
  const body = emptyRecord<unknown>()
  const faults: Array<Fault> = []
  const ignored: Array<string> = []
  const refuse = (key: string, message: string) =>
    faults.push({ row, line: lines[key]?.[0] ?? read.line, errors: { [key]: [message] } })
  for (const [key, value] of Object.entries(values)) {
    if (Object.hasOwn(parts, key)) {
      if (value !== null && !Array.isArray(value)) refuse(key, "Expected a list.")
    } else if (leftOut.has(key)) {
      if (value !== null && value !== false) ignored.push(key)
    } else if (key === "id" || !writtenNames(type).has(key)) refuse(key.slice(0, keyCharsMax), "Unknown field.")
    else body[key] = key === "default_platform" && typeof value === "string" ? { name: value } : value
  }
  const name = nameIn(values["manufacturer"])
  if (name !== undefined) {
    const reason = refused.get(name)
    if (reason !== undefined) refuse("manufacturer", reason)
    body["manufacturer"] = ids.get(name)
  }
  const pictures = ["front_image", "rear_image"].filter((key) => values[key] === true).length
  return { document: { row, read, body }, faults, ignored, pictures }
}

/** Most characters of an unknown key that are reported. */
const keyCharsMax = 100

/** The places of documents whose type exists: by its model or slug, of the same manufacturer. */
const knownAmong = Effect.fnUntraced(function* (type: ObjectType, documents: ReadonlyArray<Document>) {
  const sql = yield* SqlClient.SqlClient
  const hasSlug = Object.hasOwn(type.fields, "slug")
  const visible = yield* cleared(type, "view")
  const json = documents.map(({ body }, at) => ({
    at,
    manufacturer: Number.isSafeInteger(body["manufacturer"]) ? body["manufacturer"] : null,
    model: nameIn(body["model"]) ?? null,
    slug: nameIn(body["slug"]) ?? null
  }))
  const found = yield* sql.unsafe<{ readonly at: number }>(
    `select j.at from jsonb_to_recordset($1::jsonb) j(at int, manufacturer bigint, model text, slug text)
      where exists (select from ${type.table} t where t.manufacturer_id = j.manufacturer
        and (t.model = j.model${hasSlug ? " or t.slug = j.slug" : ""}) and ${after(1, visible)})`,
    [JSON.stringify(json), ...visible.parameters]
  )
  return new Set(found.map(({ at }) => at))
})

/** Creates the types; where some are refused, the others, so that their templates are checked as well. */
const createTypes = Effect.fnUntraced(function* (
  type: ObjectType,
  documents: ReadonlyArray<Document>,
  faults: Array<Fault>,
  request: Request
) {
  if (documents.length === 0) return []
  const { made, refused } = yield* attempt(type, documents, request)
  const wrong = new Set<number>()
  for (const [at, { row, read }] of documents.entries()) {
    const errors = refused[at] ?? {}
    const [key] = Object.keys(errors)
    if (key === undefined) continue
    wrong.add(at)
    faults.push({ row, line: read.lines[key]?.[0] ?? read.line, errors })
  }
  if (wrong.size === 0) return made
  const others = documents.filter((_, at) => !wrong.has(at))
  return others.length === 0 ? [] : (yield* attempt(type, others, request)).made
})

const attempt = (type: ObjectType, documents: ReadonlyArray<Document>, request: Request) =>
  createAll(
    type,
    documents.map(({ body }) => ({ body, id: undefined })),
    request
  ).pipe(
    Effect.map((rows) => ({
      made: rows.map((change, at) => ({ document: documents[at]!, change })),
      refused: [] as ReadonlyArray<Errors>
    })),
    Effect.catchIf(
      (error): error is WriteRefused => error instanceof WriteRefused,
      ({ errors }) => Effect.succeed({ made: [], refused: errors })
    )
  )
