/** Filters that a type declares as SQL (Asked.ts) -> a condition. */
import type { Asked } from "../../Asked.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { registry } from "../../Registry.ts"
import { addressOf, wrongAddress } from "./Address.ts"
import { type Compiled, compare, denial, either, isFalse, isTrue, positive, unknownChoice } from "./Lookup.ts"
import type { Reach } from "./Path.ts"
import { visibleRows } from "./Where.ts"

export const askedNamed = (type: ObjectType, base: string): Asked | undefined =>
  Object.hasOwn(type.asked, base) ? type.asked[base] : undefined

export const askedCondition = (
  type: ObjectType,
  asked: Asked,
  suffix: string,
  values: ReadonlyArray<string>,
  { visible, bind }: Reach
): Compiled => {
  const rows = (target: ObjectType) => visibleRows(target, visible, bind)
  const sql = (value: string) => asked.sql(type, registry, rows, value)
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
  const conditions = given.map((value): Compiled => {
    if (asked.of === "taggedType") {
      const target = registry.get(value.toLowerCase())
      return target !== undefined && Object.hasOwn(target.fields, "tags") ? sql(rows(target)) : "false"
    }
    if (asked.of === "address") {
      const address = addressOf(value)
      return address === undefined ? { messages: [wrongAddress] } : sql(`${bind(address)}::inet`)
    }
    return /^\d{1,18}$/.test(value) ? sql(`${bind(value)}::bigint`) : { messages: [unknownChoice(value)] }
  })
  const messages = conditions.flatMap((each) => (typeof each === "object" ? each.messages : []))
  if (messages.length > 0) return { messages }
  return denial(either(conditions.filter((each) => typeof each === "string")), denied)
}
