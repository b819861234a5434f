/** Filters that a type declares as SQL (Asked.ts) -> a condition. */
import { type SqlFilter, searchedMax } from "../../Asked.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { registry } from "../../Registry.ts"
import { addressOf, wrongAddress } from "./Address.ts"
import {
  type CompiledLookup,
  compare,
  containing,
  denial,
  either,
  isFalse,
  isTrue,
  positive,
  unknownChoice
} from "./Lookup.ts"
import { orderBy } from "../table/Order.ts"
import type { Reach } from "./Path.ts"
import { isEverything, visibleRows } from "./Where.ts"

export const askedNamed = (type: ObjectType, base: string): SqlFilter | undefined =>
  Object.hasOwn(type.asked, base) ? type.asked[base] : undefined

export const askedCondition = (
  type: ObjectType,
  asked: SqlFilter,
  suffix: string,
  values: ReadonlyArray<string>,
  { visible, bind, others = [] }: Reach
): CompiledLookup => {
  const rows = (target: ObjectType) => visibleRows(target, visible, bind)
  const condition = isEverything(visible(type)) ? asked.sql : (asked.sqlOfSome ?? asked.sql)
  const sql = (value: string) => condition(type, registry, rows, value)
  if (asked.of === "text" || asked.of === "number") {
    const columnType = asked.of === "text" ? "text" : "bigint"
    return compare({ kind: asked.of, sql: sql(""), type: columnType }, suffix, values, bind)
  }
  const [lookup, denied] = positive(suffix)
  if (lookup !== "") return undefined
  if (asked.of === "flag") {
    const value = values.at(-1) ?? ""
    if (!isTrue(value) && !isFalse(value)) return undefined
    // The condition is not compared with the value, so that an index can answer it.
    return denial(`(${sql("")})`, denied !== isFalse(value))
  }
  const given = values.filter((value) => value !== "")
  if (given.length === 0) return undefined
  if (asked.of === "texts") return denial(sql(`${bind(given)}::text[]`), denied)
  if (asked.of === "search") {
    const found = `select t.id from (select t.* from ${type.table} t where ${[...others, "true"].join(" and ")}
      order by ${orderBy(type, [])} limit ${searchedMax}) t where ${sql(bind(containing(given.at(-1)!)))}`
    return denied ? undefined : `t.id = any (array(${found}))`
  }
  if (asked.of === "taggedType") {
    const targets = new Set(given.map((value) => registry.get(value.toLowerCase())))
    const parts = [...targets].map((target) =>
      target !== undefined && Object.hasOwn(target.fields, "tags") ? sql(rows(target)) : "false"
    )
    return denial(either(parts), denied)
  }
  if (asked.of === "address") {
    const addresses = given.map(addressOf)
    const messages = addresses.flatMap((address) => (address === undefined ? [wrongAddress] : []))
    if (messages.length > 0) return { messages }
    if (given.length > addressesMax) {
      return { messages: [`Ensure that there are no more than ${addressesMax} values; there are ${given.length}.`] }
    }
    return denial(either(addresses.map((address) => sql(`${bind(address)}::inet`))), denied)
  }
  const messages = given.filter((value) => !/^\d{1,18}$/.test(value)).map(unknownChoice)
  if (messages.length > 0) return { messages }
  return denial(sql(`array[${given.map((value) => `${bind(value)}::bigint`).join(", ")}]`), denied)
}

/** Most addresses of one filter, which are compared one by one. */
const addressesMax = 250

/** Whether the filter reads only a few of the rows that match the others, so that it is applied after them. */
export const isSearch = (type: ObjectType, name: string): boolean => askedNamed(type, name)?.of === "search"
