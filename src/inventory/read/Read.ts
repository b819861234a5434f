/** Reading objects: lists, single rows, and the related rows that their representation needs. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { type Action, Clearance, cleared } from "../Clearance.ts"
import type { Row, RowOf, View } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { objectType, registry } from "../Registry.ts"
import { beginnings, wholeColumns } from "../derive/represent/Beginnings.ts"
import { type Reading, countsMark, fieldsMark, premiseMark, readStatement } from "../derive/represent/ReadStatement.ts"
import {
  filledReferences,
  nestedFields,
  references,
  referencesBehind,
  viewOf
} from "../derive/represent/Representation.ts"
import { listOrder, orderBy } from "../derive/table/Order.ts"
import { rowFromJson } from "../derive/values/Row.ts"
import { type Where, allOf, isEverything, whereIds, withText } from "../derive/filter/Where.ts"
import { customReferences } from "../field/CustomFields.ts"
import { rowsAsSeen } from "./SeenTags.ts"
import { type IdsOfType, byIdsOfTypes, unreadOf } from "./Unread.ts"
import type CustomFieldType from "../types/extras/CustomField.ts"
import type { CustomField } from "../types/extras/CustomField.ts"

export interface Page {
  readonly where: Where
  /** Field names, `-` before one turns it; fields that are not shown or have no order are ignored, as NetBox does. */
  readonly ordering: ReadonlyArray<string>
  /** Most rows; undefined for all. */
  readonly limit: number | undefined
  readonly offset: number
  /** Whether long values are cut, for pages. */
  readonly isCut?: boolean
}

interface JsonRow {
  readonly row: Readonly<Record<string, unknown>>
}

export const list = Effect.fnUntraced(function* <T extends ObjectType>(type: T, page: Page) {
  const sql = yield* SqlClient.SqlClient
  const { sql: query, parameters } = pageQuery(type, page, yield* cleared(type, "view"))
  const rows = yield* sql.unsafe<JsonRow>(`select row_to_json(t) as row from (${query}) t`, parameters)
  return yield* rowsAsSeen(type, yield* rowsFrom(type, rows))
})

/** Most bytes of the rows of a portion, as JSON; a larger row is a portion of its own. */
const portionBytes = 4 * 1024 * 1024

/** The first rows of a page by id, as many as a portion holds; `isCut`: the page has more. */
export const listPortion = Effect.fnUntraced(function* <T extends ObjectType>(type: T, page: Omit<Page, "ordering">) {
  const sql = yield* SqlClient.SqlClient
  const byId = { ...page, ordering: ["id"] }
  const { sql: query, parameters } = pageQuery(type, byId, yield* cleared(type, "view"))
  // Behind `offset 0` the JSON of a row is made once.
  const rows = yield* sql.unsafe<JsonRow | { readonly row: null }>(
    `select case when total = size or total <= ${portionBytes} then row end as row from (
       select row, size, sum(size) over (order by id rows unbounded preceding) as total from (
         select id, row, octet_length(row::text) as size from (
           select t.id, row_to_json(t) as row from (${query}) t offset 0) t offset 0) t) t
      where total - size < ${portionBytes}`,
    parameters
  )
  const whole = rows.filter((each): each is JsonRow => each.row !== null)
  return { rows: yield* rowsAsSeen(type, yield* rowsFrom(type, whole)), isCut: whole.length < rows.length }
})

/** In slices: a row may hold megabytes of JSON, which is searched for what cannot be shown. */
const rowsFrom = <T extends ObjectType>(type: T, rows: ReadonlyArray<JsonRow>) =>
  mapInSlices(rows, ({ row }) => rowFromJson(type, row))

/** The query for the rows of a page. The limit is a literal, so that Postgres plans for so many rows. */
export const pageQuery = (type: ObjectType, page: Page, visible: Where): Where => {
  const { where, ordering, limit, offset, isCut } = page
  const both = allOf(where, visible)
  const order = listOrder(type, ordering, visible, both.parameters.length)
  const bounds = `${limit === undefined ? "" : ` limit ${limit}`}${offset === 0 ? "" : ` offset ${offset}`}`
  return {
    sql: `select ${columnsOf(type, isCut)} from ${type.table} t where ${both.sql} order by ${order.sql}${bounds}`,
    parameters: [...both.parameters, ...order.parameters]
  }
}

/** The other rows and counts that representations need, as far as they were read with the rows. */
export interface Beside {
  /** Rows that they refer to, by object type and id; `viewFor` adds what it reads. */
  readonly related: Map<string, Map<number, Row>>
  readonly counts: ReadonlyMap<number, Readonly<Record<string, unknown>>>
  /** The custom fields of their type, in their order. */
  readonly customFields: ReadonlyArray<CustomField>
}

/** Reads a page of objects and the objects that their representations refer to, in one statement. */
export const readPage = Effect.fnUntraced(function* <T extends ObjectType>(type: T, page: Page, reading?: Reading) {
  return yield* readAll(type, pageQuery(type, page, yield* cleared(type, "view")), reading)
})

/** The query for the object of this id, if it is visible. */
export const oneQuery = Effect.fnUntraced(function* (type: ObjectType, id: number, isCut = false) {
  const where = allOf({ sql: "t.id = $1::bigint", parameters: [`${id}`] }, yield* cleared(type, "view"))
  return allWhere(type, where, isCut)
})

/** Reads the object of this id, if it is visible, and the objects that its representation refers to, in one statement. */
export const readOne = Effect.fnUntraced(function* <T extends ObjectType>(type: T, id: number, isCut = false) {
  return yield* readAll(type, yield* oneQuery(type, id, isCut))
})

/** Whether there is an object of this id that the reader may see. */
export const isThere = Effect.fnUntraced(function* (type: ObjectType, id: number) {
  const sql = yield* SqlClient.SqlClient
  const where = allOf({ sql: "t.id = $1::bigint", parameters: [`${id}`] }, yield* cleared(type, "view"))
  return (yield* sql.unsafe(`select from ${type.table} t where ${where.sql}`, where.parameters)).length > 0
})

/** Reads what the representations of these rows need, in one statement. */
const readBeside = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  const page = allWhere(type, whereIds(rows.map(({ id }) => id)))
  return (yield* readAll(type, page, { withRows: false, fields: filledReferences(type, rows) })).beside
})

const allWhere = (type: ObjectType, { sql, parameters }: Where, isCut = false): Where => ({
  sql: `select ${columnsOf(type, isCut)} from ${type.table} t where ${sql}`,
  parameters
})

const columnsOf = (type: ObjectType, isCut = false): string => (isCut ? beginnings(type) : wholeColumns(type))

/**
 * Runs a query over the table of the type, and reads what the representations of its rows need, in one statement.
 * `holds`: whether the premise holds, false without one.
 */
export const readAll = Effect.fnUntraced(function* <T extends ObjectType>(type: T, page: Where, reading: Reading = {}) {
  const sql = yield* SqlClient.SqlClient
  const { where } = yield* Clearance
  // viewFor reads the types of which the user may see only some objects: it distinguishes hidden from missing ones.
  const statement = readStatement(type, page, (target) => where(target, "view"), reading)
  const found = yield* sql.unsafe<JsonRow & { readonly type: string }>(statement.sql, statement.parameters)
  const rows: Array<RowOf<T>> = []
  const related = new Map<string, Map<number, Row>>()
  const counts = new Map<number, Readonly<Record<string, unknown>>>()
  const customFields: Array<CustomField> = []
  let holds = false
  yield* mapInSlices(found, ({ type: of, row }) => {
    if (of === "") rows.push(rowFromJson(type, row))
    else if (of === countsMark) counts.set(Number(row["id"]), row["counts"] as Readonly<Record<string, unknown>>)
    else if (of === premiseMark) holds = true
    else if (of === fieldsMark) customFields.push(rowFromJson(objectType<typeof CustomFieldType>(customFieldType), row))
    else {
      const other = rowFromJson(objectType(of), row)
      const ofType = related.get(of)
      if (ofType === undefined) related.set(of, new Map([[other.id, other]]))
      else ofType.set(other.id, other)
    }
  })
  const sorted = customFieldsByType(customFields).get(type.id) ?? []
  return {
    rows: yield* rowsAsSeen(type, rows),
    beside: { related, counts, customFields: sorted } satisfies Beside,
    holds
  }
})

const customFieldType = "extras.customfield"

/** The rows of these ids on which the user may do the action, in the type's usual order. */
export const byIds = Effect.fnUntraced(function* <T extends ObjectType>(
  type: T,
  ids: Iterable<number>,
  action: Action = "view",
  lock: "" | "for update" = ""
) {
  const wanted = [...ids]
  if (wanted.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const where = allOf(whereIds(wanted), yield* cleared(type, action))
  const rows = yield* sql.unsafe<JsonRow>(
    `select row_to_json(t) as row from ${type.table} t where ${where.sql} order by ${orderBy(type, [])} ${lock}`,
    where.parameters
  )
  return yield* rowsFrom(type, rows)
})

/** Sorts custom fields and groups them by object type. */
export const customFieldsByType = (
  definitions: Iterable<CustomField>
): ReadonlyMap<string, ReadonlyArray<CustomField>> => {
  const byType = new Map<string, Array<CustomField>>()
  const sorted = [...definitions].sort((a, b) => a.weight - b.weight || (a.name < b.name ? -1 : 1))
  for (const definition of sorted) {
    for (const id of Array.isArray(definition.content_types) ? definition.content_types : []) {
      const fields = byType.get(id) ?? []
      byType.set(id, fields)
      fields.push(definition)
    }
  }
  return byType
}

/** The custom fields of a type, in their order. They are visible to everybody who may see objects of the type. */
export const customFieldsOf = Effect.fnUntraced(function* (type: ObjectType) {
  if (!Object.hasOwn(type.fields, "custom_fields")) return []
  const fields = objectType<typeof CustomFieldType>(customFieldType)
  const where = withText(fields, "content_types", type.id)
  const rows = yield* Effect.provideService(
    list(fields, { where, ordering: [], limit: undefined, offset: 0 }),
    Clearance,
    Clearance.all
  )
  return customFieldsByType(rows).get(type.id) ?? []
})

/**
 * A view on everything that the representations of these rows refer to. It reads what `read` does not have, with one
 * statement for each level of references. A hidden object is shown by its id alone, so that an answer can be written back.
 */
export const viewFor: (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  base: string,
  read?: Beside
) => Effect.Effect<View, SqlError.SqlError, SqlClient.SqlClient | Clearance> = Effect.fnUntraced(
  function* (type, rows, base, read) {
    const beside = read ?? (yield* readBeside(type, rows))
    const { related: known, counts, customFields: definitions } = beside
    const own = known.get(type.id) ?? new Map<number, Row>()
    known.set(type.id, own)
    for (const row of rows) own.set(row.id, row)
    const hidden = new Map<string, ReadonlySet<number>>()
    const row: View["row"] = (id, key) => known.get(id)?.get(key)
    const follow = (wanted: ReadonlyArray<IdsOfType>) =>
      Effect.gen(function* () {
        let unread = unreadOf(wanted, known)
        while (unread.size > 0) {
          const found = yield* byIdsOfTypes(unread)
          const next: Array<IdsOfType> = []
          for (const [id, ids] of unread) {
            const target = objectType(id)
            const rows = found.get(id) ?? new Map<number, Row>()
            known.set(id, new Map([...(known.get(id) ?? []), ...rows]))
            // A user who may not see all objects of the type does not learn whether it is hidden or gone.
            if (!isEverything(yield* cleared(target, "view"))) {
              hidden.set(id, ids.difference(rows).union(hidden.get(id) ?? new Set()))
            }
            // Nested objects are brief, so from here on only brief fields are followed.
            next.push(...references(target, [...rows.values()], nestedFields(target)))
          }
          unread = unreadOf(next, known)
        }
      })
    const pointing = Object.entries(type.pointedBy).map(
      ([name, by]) => [by.type, new Set([...counts.values()].flatMap((each) => each[name] as Array<number>))] as const
    )
    yield* follow([...references(type, rows), ...customReferences(definitions, rows, registry), ...pointing])
    if (type.derivedBy.length > 0) yield* follow(referencesBehind(type, rows, row))
    const view = viewOf(base, {
      row,
      customFields: (id) => (id === type.id ? definitions : []),
      counted: (id, key) => (id === type.id ? counts.get(key) : undefined)
    })
    return yield* masking(view, (id, key) => hidden.get(id)?.has(key) === true)
  }
)

/** The view where hidden objects are shown by their ids alone. */
const masking = (view: View, isHidden: (id: string, key: number) => boolean) =>
  Effect.map(Clearance, ({ reveal }): View => {
    const masked = (id: string, key: number) => ({
      id: key,
      url: `${view.base}${objectType(id).path}${key}/`,
      display: `#${key}`
    })
    return {
      ...view,
      reveal,
      nested: (id, key, shows) => (isHidden(id, key) ? masked(id, key) : view.nested(id, key, shows))
    }
  })

/**
 * A view on these rows, which are everything that it is needed for. No statement: another object is
 * hidden where the reader may not view all of its type, and otherwise deleted.
 */
export const viewOfRows = Effect.fnUntraced(function* (
  rows: ReadonlyMap<string, ReadonlyMap<number, Row>>,
  base: string,
  counted?: View["counted"]
) {
  const { where } = yield* Clearance
  const row: View["row"] = (id, key) => rows.get(id)?.get(key)
  const isHidden = (id: string, key: number) =>
    row(id, key) === undefined && !isEverything(where(objectType(id), "view"))
  return yield* masking(viewOf(base, { row, ...(counted && { counted }) }), isHidden)
})
