/** Filters of networks and addresses beside those of their fields: which contains which, family and mask length. */
import { type ObjectType, fieldOf } from "../../ObjectType.ts"
import { addressOf, hostOf, wrongAddress } from "./Address.ts"
import { type CompiledLookup, compare, denial, either, positive } from "./Lookup.ts"
import type { Bind } from "./Where.ts"

type Relation = (sql: string, type: string, value: string) => string

/** Name of a filter -> how the network or address of an object relates to the one in the parameter. */
const relations: Readonly<Record<string, { readonly of: string; readonly sql: Relation }>> = {
  within: { of: "cidr", sql: (sql, _, value) => `${sql} << ${value}::inet` },
  within_include: { of: "cidr", sql: (sql, _, value) => `${sql} <<= ${value}::inet` },
  contains: { of: "cidr", sql: (sql, _, value) => `${sql} >>= ${value}::inet` },
  parent: { of: "inet", sql: (sql, _, value) => `${hostOf(sql)} <<= ${value}::inet` }
}

/** The field that holds the network or address of an object: the first of such a type. */
const networkField = (type: ObjectType): string | undefined =>
  Object.keys(type.fields).find((name) => /^(inet|cidr)$/.test(fieldOf(type, name).type))

/** The filters that a type has beside its fields because it is a network or an address. */
export const networkNames = (type: ObjectType): ReadonlyArray<string> => {
  const name = networkField(type)
  if (name === undefined) return []
  const columnType = fieldOf(type, name).type
  const own = Object.entries(relations).flatMap(([relation, { of }]) => (of === columnType ? [relation] : []))
  return [...own, "family", "mask_length"].filter((each) => !Object.hasOwn(type.fields, each))
}

export const networkCondition = (
  type: ObjectType,
  alias: string,
  name: string,
  suffix: string,
  values: ReadonlyArray<string>,
  bind: Bind
): CompiledLookup => {
  const field = networkField(type)
  if (field === undefined || !networkNames(type).includes(name)) return undefined
  const column = `${alias}.${type.columns[field]}`
  if (name === "family" || name === "mask_length") {
    const sql = `${name === "family" ? "family" : "masklen"}(${column})`
    return compare({ kind: "number", sql, type: "integer" }, suffix, values, bind)
  }
  const [asked, denied] = positive(suffix)
  const relation = relations[name]
  if (asked !== "" || relation === undefined) return undefined
  const given = values.filter((value) => value !== "")
  if (given.length === 0) return undefined
  const read = given.map(addressOf)
  const messages = read.filter((value) => value === undefined).map(() => wrongAddress)
  if (messages.length > 0) return { messages }
  return denial(either(read.map((value) => relation.sql(column, fieldOf(type, field).type, bind(value)))), denied)
}
