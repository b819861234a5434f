/** The templates of device types and module types that were created of files of the device type library. */
import { Effect } from "effect"
import { type Dictionary, type Errors, emptyRecord, isDictionary } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { objectType } from "../../../inventory/Registry.ts"
import { WriteRefused } from "../../../inventory/write/WriteRefused.ts"
import { createAll } from "../write/Writes.ts"
import type { Request } from "../../wire/Request.ts"
import type { LibraryRow } from "./LibraryRows.ts"
import { type LibraryType, writtenNames } from "./Parts.ts"

/** Errors of a document, at a line of the file. */
export interface Fault {
  readonly row: number
  readonly line: number
  readonly errors: Errors
}

/** A type that was created, and its document. */
export interface Owner {
  readonly row: number
  readonly read: LibraryRow
  readonly id: number
  /** Ids of its templates by their type and name. */
  readonly made: Map<string, number>
}

/** A template of a document. */
interface PartItem {
  readonly owner: Owner
  /** Its place in the list, from 0, and its line. */
  readonly at: number
  readonly line: number
  readonly body: Dictionary
  /** The names by which it refers to other templates of the document, by field. */
  readonly names: Readonly<Record<string, string>>
}

const keyOf = (type: ObjectType, name: string): string => `${type.id} ${name}`

/** The items of a list of templates; keys that Rackwire has no field for are ignored, and named. */
export const partsIn = (
  { owner: ownerField, parts }: LibraryType,
  key: string,
  owner: Owner,
  manufacturers: ReadonlyMap<string, number>
) => {
  const part = parts[key]!
  const list = owner.read.values[key]
  const [, ...lines] = owner.read.lines[key] ?? []
  const items: Array<PartItem> = []
  const faults: Array<Fault> = []
  const ignored = new Set<string>()
  for (const [at, item] of (Array.isArray(list) ? (list as ReadonlyArray<unknown>) : []).entries()) {
    const line = lines[at] ?? owner.read.line
    if (!isDictionary(item)) {
      faults.push({ row: owner.row, line, errors: { [`${key}[${at}]`]: ["Expected an object."] } })
      continue
    }
    const body = emptyRecord<unknown>()
    const names = emptyRecord<string>()
    for (const [name, value] of Object.entries(item)) {
      if (!writtenNames(part).has(name) || name === ownerField) ignored.add(name)
      else if (refersToPart(part, name) && typeof value === "string") names[name] = value.trim()
      else if (name === "manufacturer" && typeof value === "string" && manufacturers.has(value.trim()))
        body[name] = manufacturers.get(value.trim())
      else body[name] = named(part, name, value)
    }
    items.push({ owner, at, line, body: { ...body, [ownerField]: owner.id }, names })
  }
  return { items, faults, ignored }
}

/** Whether the field refers to a template, which is one of the same document. */
const refersToPart = ({ fields }: ObjectType, name: string): boolean =>
  fields[name]!.reference?.type.endsWith("template") === true

/** Objects that are no templates are named by their names. */
const named = ({ fields }: ObjectType, name: string, value: unknown): unknown =>
  fields[name]!.reference !== undefined && typeof value === "string" ? { name: value } : value

/**
 * Creates templates of one type, those first that others of it refer to. Returns how many; faults are added to the list.
 */
export const createParts = Effect.fnUntraced(function* (
  type: ObjectType,
  key: string,
  items: ReadonlyArray<PartItem>,
  faults: Array<Fault>,
  request: Request
) {
  let count = 0
  let waiting = items
  while (waiting.length > 0) {
    const ready = waiting.filter((item) => missingIn(type, item) === undefined)
    if (ready.length === 0) {
      for (const item of waiting) faults.push(notFound(key, item, missingIn(type, item)!))
      return count
    }
    count += yield* createReady(type, key, ready, faults, request)
    const created = new Set(ready)
    waiting = waiting.filter((item) => !created.has(item))
  }
  return count
})

/** The first field whose template is not there, or not yet. */
const missingIn = ({ fields }: ObjectType, { owner, names }: PartItem): string | undefined =>
  Object.keys(names).find((name) => !owner.made.has(keyOf(objectType(fields[name]!.reference!.type), names[name]!)))

const notFound = (key: string, { owner, at, line, names }: PartItem, field: string): Fault => ({
  row: owner.row,
  line,
  errors: { [`${key}[${at}].${field}`]: [`The document has no such component: ${names[field]}`] }
})

const createReady = Effect.fnUntraced(function* (
  type: ObjectType,
  key: string,
  items: ReadonlyArray<PartItem>,
  faults: Array<Fault>,
  request: Request
) {
  const writes = items.map(({ owner, body, names }) => {
    const references = Object.entries(names).map(([field, name]) => {
      const target = objectType(type.fields[field]!.reference!.type)
      return [field, owner.made.get(keyOf(target, name))!] as const
    })
    return { body: { ...body, ...Object.fromEntries(references) }, id: undefined }
  })
  const { rows, refused } = yield* createAll(type, writes, request).pipe(
    Effect.map((rows) => ({ rows, refused: [] as ReadonlyArray<Errors> })),
    Effect.catchIf(
      (error): error is WriteRefused => error instanceof WriteRefused,
      ({ errors }) => Effect.succeed({ rows: [], refused: errors })
    )
  )
  for (const [n, { owner, at, line }] of items.entries()) {
    const row = rows[n]?.after
    if (row !== undefined) owner.made.set(keyOf(type, String(row["name"])), row.id)
    const errors = Object.entries(refused[n] ?? {})
    if (errors.length === 0) continue
    const placed = errors.map(([field, messages]) => [
      field === "__all__" ? `${key}[${at}]` : `${key}[${at}].${field}`,
      messages
    ])
    faults.push({ row: owner.row, line, errors: Object.fromEntries(placed) as Errors })
  }
  return rows.length
})
