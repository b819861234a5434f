/**
 * Declaration -> indexes, so that one can answer every filter, search and order of an object type.
 *
 * They are few and wide, because every write of a row goes to every index: one GIN index holds the trigrams of all
 * texts, one the values of all choices, flags and numbers. Records have only the indexes that they declare.
 */
import { type ObjectType, type Unique, columnOf, fieldOf } from "../../ObjectType.ts"
import { kindOf } from "../filter/Lookup.ts"
import { hostOf } from "../filter/Address.ts"
import { isNatural, orderTerm } from "./Order.ts"
import { storedName } from "./StoredName.ts"
import type { Index } from "../../../postgres/migrate/Table.ts"

/** Size of the pending list of a GIN index, kilobytes: every search reads the whole list. */
const pendingMax = 512

/** Pages that one entry of a BRIN index is for: those of a value are read whole. */
const pagesPerRange = 32

/** Most columns that Postgres accepts in one index. */
const columnsMax = 32

export const indexesOf = (type: ObjectType, uniques: ReadonlyArray<Unique>): ReadonlyArray<Index> => {
  const named = (column: string, sql: string): Index => ({ name: storedName([type.table, column], "idx"), sql })
  const declared = type.indexes.map((fields) => {
    const columns = fields.map((field) => type.columns[field])
    return named(columns.join("_"), `(${columns.join(", ")})`)
  })
  const covering = type.coveringIndexes.map(({ name, fields, columns, where, ofBlocks = false }) => {
    const keys = fields.map((field) => type.columns[field]).join(", ")
    if (ofBlocks)
      return named(name, `using brin (${keys}) with (pages_per_range = ${pagesPerRange}, autosummarize = on)`)
    const held = columns.length === 0 ? "" : ` include (${columns.join(", ")})`
    return named(name, `(${keys})${held}${where === undefined ? "" : ` where ${where}`}`)
  })
  const references = Object.entries(type.fields).flatMap(([name, { generic, reference, type: columnType }]) => {
    const column = columnOf(type, name)
    if (generic !== undefined) return [named(column, `(${column}, ${type.columns[generic.id]})`)]
    if (reference === undefined || type.coveringIndexes.some((index) => index.name === column)) return []
    // Nothing is found by what a path leads to.
    if (reference.many && reference.onDelete === "keep") return []
    return [named(column, columnType.endsWith("[]") ? `using gin (${column})` : `(${column})`)]
  })
  const own = [...references, ...declared, ...covering]
  if (type.kind !== "object") return own
  return [...own, ...ordered(type, uniques), ...asked(type)]
}

/** For the usual order, unless a uniqueness begins with it, and for the order of changes. */
const ordered = (type: ObjectType, uniques: ReadonlyArray<Unique>): ReadonlyArray<Index> => {
  const fields = type.ordering.map((field) => field.replace(/^-/, ""))
  const starts = [
    ...uniques
      .filter(({ whereNull, ignoreCase }) => whereNull === undefined && ignoreCase === undefined)
      .map((unique) => unique.fields)
  ]
  // The other indexes have the usual collation.
  const covered =
    !fields.some((field) => isNatural(type, field)) &&
    [...starts, ...type.indexes].some((start) => fields.every((field, at) => start[at] === field))
  const terms = type.ordering.map((name) => orderTerm(type, name, ""))
  // One statement gives all its rows the same time: without the id a page would sort them all.
  const isByTime = fields.join() === "created"
  if (isByTime) terms.push(terms[0]!.endsWith(" desc") ? "id desc" : "id")
  return [
    ...(covered || terms.length === 0
      ? []
      : [{ name: storedName([type.table, "order"], "idx"), sql: `(${terms.join(", ")})` }]),
    ...(isByTime ? ["last_updated"] : ["created", "last_updated"]).map((column) => ({
      name: storedName([type.table, column], "idx"),
      sql: `(${column})`
    }))
  ]
}

const asked = (type: ObjectType): ReadonlyArray<Index> => {
  const texts: Array<string> = []
  const values: Array<string> = []
  const others: Array<Index> = []
  const more = (name: string, sql: string) => others.push({ name: storedName([type.table, name], "idx"), sql })
  for (const [name, field] of Object.entries(type.fields)) {
    const column = columnOf(type, name)
    const kind = field.wire === "both" || field.wire === "read" ? kindOf(field) : undefined
    if (kind === "text") texts.push(column)
    else if (kind === "mac") texts.push(`(${column}::text)`)
    else if (kind === "list") more(column, `using gin (${column})`)
    else if (kind === "network") {
      more(column, `using gist (${column} inet_ops)`)
      more(`${column}_size`, `(family(${column}), masklen(${column}))`)
      if (field.type === "inet") more(`${column}_host`, `using gist (${hostOf(column)} inet_ops)`)
    }
    if (kind === "mac" || (kind !== undefined && /^(choice|flag|number|time|date|uuid)$/.test(kind))) {
      if (column !== "created" && column !== "last_updated") values.push(column)
    }
  }
  if (Object.hasOwn(type.fields, "custom_fields")) {
    more("custom_fields", "using gin (custom_fields)")
    texts.push("(custom_fields::text)")
  }
  const searched = type.search.filter((name) => /^(inet|cidr|bigint)$/.test(fieldOf(type, name).type))
  texts.push(...searched.map((name) => `(${type.columns[name]}::text)`))
  const wide = (name: string, needs: Index["needs"], columns: ReadonlyArray<string>): ReadonlyArray<Index> =>
    Array.from({ length: Math.ceil(columns.length / columnsMax) }, (_, at) => {
      const some = columns.slice(at * columnsMax, (at + 1) * columnsMax).join(", ")
      const sql = `using gin (${some}) with (gin_pending_list_limit = ${pendingMax})`
      return { name: storedName([type.table, `${name}${at === 0 ? "" : at + 1}`], "idx"), needs, sql }
    })
  return [
    ...others,
    ...wide(
      "text",
      "pg_trgm",
      texts.map((text) => `${text} gin_trgm_ops`)
    ),
    ...wide("value", "btree_gin", values)
  ]
}
