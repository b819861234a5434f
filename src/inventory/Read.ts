/** Reading objects: lists, single rows, and the related rows that their representation needs. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Row, View } from "./Field.ts"
import type { ObjectType } from "./ObjectType.ts"
import { objectType } from "./Registry.ts"
import type { Where } from "./derive/Where.ts"
import { references, viewOf } from "./derive/Representation.ts"
import { readStatement } from "./derive/ReadStatement.ts"
import { rowFromJson } from "./derive/Row.ts"

export interface Page {
  readonly where: Where
  /** Field names, `-` before one turns it; names that the type does not have are ignored. */
  readonly ordering: ReadonlyArray<string>
  /** Most rows; undefined for all. */
  readonly limit: number | undefined
  readonly offset: number
}

interface JsonRow {
  readonly row: Readonly<Record<string, unknown>>
}

export const list = Effect.fnUntraced(function* (type: ObjectType, page: Page) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<JsonRow>(
    `select row_to_json(t) as row from (${pageQuery(type, page)}) t`,
    page.where.parameters
  )
  return rows.map(({ row }) => rowFromJson(type, row))
})

/** SQL of the rows of a page. Numbers stand in it, so that Postgres plans for so many rows. */
export const pageQuery = (type: ObjectType, { where, ordering, limit, offset }: Page): string => {
  const bounds = `${limit === undefined ? "" : ` limit ${limit}`}${offset === 0 ? "" : ` offset ${offset}`}`
  return `select t.* from ${type.table} t where ${where.sql} order by ${orderBy(type, ordering)}${bounds}`
}

/** Rows by object type and id. */
export type Related = ReadonlyMap<string, ReadonlyMap<number, Row>>

export interface Objects {
  readonly rows: ReadonlyArray<Row>
  readonly related: Related
}

/** A page of objects, and what their representations point at: one statement. */
export const readObjects = Effect.fnUntraced(function* (type: ObjectType, page: Page) {
  return yield* readAll(type, pageQuery(type, page), page.where.parameters)
})

/** The objects of these ids that exist, and what their representations point at, in the order of their ids. */
export const readByIds = Effect.fnUntraced(function* (type: ObjectType, ids: ReadonlyArray<number>) {
  if (ids.length === 0) return { rows: [], related: new Map() } satisfies Objects
  const one = ids.length === 1
  const condition = one ? "t.id = $1::bigint" : "t.id = any ($1::text[]::bigint[]) order by t.id"
  const parameter = one ? `${ids[0]}` : ids.map(String)
  return yield* readAll(type, `select t.* from ${type.table} t where ${condition}`, [parameter])
})

const readAll = Effect.fnUntraced(function* (type: ObjectType, page: string, parameters: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.unsafe<JsonRow & { readonly type: string }>(readStatement(type, page), parameters)
  const rows: Array<Row> = []
  const related = new Map<string, Map<number, Row>>()
  for (const each of found) {
    if (each.type === "") {
      rows.push(rowFromJson(type, each.row))
      continue
    }
    const target = objectType(each.type)
    const row = rowFromJson(target, each.row)
    const ofType = related.get(each.type)
    if (ofType === undefined) related.set(each.type, new Map([[row.id, row]]))
    else ofType.set(row.id, row)
  }
  return { rows, related } satisfies Objects
})

/** The rows of these ids that exist, in the type's usual order. */
export const byIds = Effect.fnUntraced(function* (
  type: ObjectType,
  ids: Iterable<number>,
  lock: "" | "for update" = ""
) {
  const wanted = [...ids]
  if (wanted.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<JsonRow>(
    `select row_to_json(t) as row from ${type.table} t where id = any ($1::bigint[]) order by ${orderBy(type, [])} ${lock}`,
    [wanted]
  )
  return rows.map(({ row }) => rowFromJson(type, row))
})

/** SQL of the order by these fields, or the usual ones. Ties are broken by id, in the direction of the last field. */
export const orderBy = (type: ObjectType, ordering: ReadonlyArray<string>): string => {
  const known = ordering.filter((name) => /^-?id$/.test(name) || Object.hasOwn(type.columns, name.replace(/^-/, "")))
  const terms = (known.length > 0 ? known : type.ordering).map((name) => {
    const field = name.replace(/^-/, "")
    return `t.${field === "id" ? "id" : type.columns[field]}${name.startsWith("-") ? " desc" : ""}`
  })
  return [...terms, terms.at(-1)?.endsWith(" desc") === true ? "t.id desc" : "t.id"].join(", ")
}

/**
 * A view on everything that the representations of these rows point at. What was not read with them is read now, one
 * query per object type pointed at.
 */
export const viewFor = (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  base: string,
  related: Related = new Map()
): Effect.Effect<View, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const known = new Map(Array.from(related, ([id, found]) => [id, new Map(found)]))
    known.set(type.id, new Map([...(known.get(type.id) ?? []), ...rows.map((row) => [row.id, row] as const)]))
    let pending = [...references(type, rows)]
    while (pending.length > 0) {
      const next: typeof pending = []
      for (const [id, ids] of pending) {
        const target = objectType(id)
        const found = known.get(id) ?? new Map<number, Row>()
        known.set(id, found)
        const missing = yield* byIds(target, ids.difference(found))
        for (const row of missing) found.set(row.id, row)
        // Inside a representation objects are brief, so from here on only brief fields are followed.
        next.push(...references(target, missing, target.brief))
      }
      pending = next
    }
    return viewOf(base, (id, key) => known.get(id)?.get(key))
  })
