/**
 * The names by which a file refers to objects: a slug, or attributes with the objects that they belong to, as writes
 * take them. An object that is hidden from the reader, or has no name, gets a name that no import accepts.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../Clearance.ts"
import type { Row } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { objectType, registry } from "../Registry.ts"
import { naturalKey } from "../derive/filter/Path.ts"
import { allOf } from "../derive/filter/Where.ts"
import { references } from "../derive/represent/Representation.ts"
import { customReferences } from "../field/CustomFields.ts"
import { byIds } from "../read/Read.ts"
import type { CustomField } from "../types/extras/CustomField.ts"
import { identityOf, isNamedBySlug, namingReferences } from "./Identity.ts"

/** Deepest nesting of a name; imports read no deeper names (NaturalName.ts). */
const depthMax = 5

/** The name of an object. */
export type NameOf = (type: string, id: number) => unknown

/** Names of all objects that these rows refer to, and of `others`. */
export const namesFor = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  customFields: ReadonlyArray<CustomField>,
  others: ReadonlyArray<readonly [string, ReadonlySet<number>]> = []
) {
  const known = new Map<string, Map<number, Row>>()
  let wanted: ReadonlyArray<readonly [string, ReadonlySet<number>]> = [
    ...references(type, rows),
    ...customReferences(customFields, rows, registry),
    ...others
  ]
  while (wanted.length > 0) {
    const next: Array<readonly [string, ReadonlySet<number>]> = []
    for (const [id, ids] of wanted) {
      const found = known.get(id) ?? new Map<number, Row>()
      known.set(id, found)
      const unread = ids.difference(found)
      if (unread.size === 0) continue
      const target = objectType(id)
      const read = yield* byIds(target, unread)
      for (const row of read) found.set(row.id, row)
      next.push(...references(target, read, namingReferences(target)))
    }
    wanted = next
  }
  const repeated = new Map<string, ReadonlySet<string>>()
  for (const [id, found] of known) {
    if (isNamedBySlug(objectType(id))) repeated.set(id, yield* repeatedSlugs(objectType(id), [...found.values()]))
  }
  return nameIn(known, repeated)
})

/** The slugs that other visible objects of the type have as well. */
const repeatedSlugs = Effect.fnUntraced(function* (target: ObjectType, rows: ReadonlyArray<Row>) {
  const sql = yield* SqlClient.SqlClient
  const slugs = JSON.stringify(rows.map(({ slug }) => slug))
  const among = { sql: "t.slug in (select jsonb_array_elements_text($1::jsonb))", parameters: [slugs] }
  const where = allOf(among, yield* cleared(target, "view"))
  const found = yield* sql.unsafe<{ readonly slug: string }>(
    `select t.slug from ${target.table} t where ${where.sql} group by t.slug having count(*) > 1`,
    where.parameters
  )
  return new Set(found.map(({ slug }) => slug))
})

const nameIn = (
  known: ReadonlyMap<string, ReadonlyMap<number, Row>>,
  repeated: ReadonlyMap<string, ReadonlySet<string>>
): NameOf => {
  const nameAt = (id: string, key: number, depth: number): unknown => {
    // A custom field that plain SQL made may be one of objects of no type.
    const type = registry.get(id)
    const row = known.get(id)?.get(key)
    const fields = type === undefined || row === undefined ? undefined : identityOf(type, row)
    if (type === undefined || row === undefined || fields === undefined) return { unnamed: key }
    const slug = isNamedBySlug(type) ? String(row["slug"]) : undefined
    if (slug !== undefined && !isDigits(slug) && repeated.get(id)?.has(slug) !== true) return slug
    const [only] = fields.length === 1 ? fields : []
    const text = only !== undefined && only === naturalKey(type) ? row[only] : undefined
    if (typeof text === "string" && !isDigits(text)) return text
    return Object.fromEntries(
      fields.flatMap((name) => {
        const target = type.fields[name]?.reference?.type
        const value = row[name]
        if (target === undefined || value === null) return [[name, value ?? null]]
        return depth < depthMax ? [[name, nameAt(target, Number(value), depth + 1)]] : []
      })
    )
  }
  return (id, key) => nameAt(id, key, 1)
}

/** A text of digits alone would be read as an id. */
const isDigits = (text: string): boolean => /^\d+$/.test(text)
