/** Addresses and prefixes in filters: how they are written, what contains what, and the names that ask for it. */
import { isIP } from "node:net"
import type { ObjectType } from "../../ObjectType.ts"
import { type Compiled, compare, denial, either, positive } from "./Lookup.ts"
import type { Bind } from "./Where.ts"

export const wrongAddress = "Enter a valid IPv4 or IPv6 address, with or without a mask."

/** A text that Postgres reads as an address with or without a mask; undefined for what it does not. */
export const addressOf = (text: string): string | undefined => {
  const [host = "", mask, ...rest] = text.trim().split("/")
  const family = host.includes("%") ? 0 : isIP(host)
  if (family === 0 || rest.length > 0) return undefined
  if (mask === undefined) return host
  return /^\d{1,3}$/.test(mask) && Number(mask) <= (family === 4 ? 32 : 128) ? `${host}/${mask}` : undefined
}

/** SQL of an address without its mask, as the index on it spells it. */
export const hostOf = (sql: string): string => `(host(${sql})::inet)`

export const sameAddress = (sql: string, type: string, value: string, bind: Bind): string =>
  `${type === "inet" && !value.includes("/") ? hostOf(sql) : sql} = ${bind(value)}::inet`

type Relation = (sql: string, type: string, value: string) => string

/** Name of a filter -> how the network or address of an object lies to the one that is named. */
const relations: Readonly<Record<string, { readonly of: string; readonly sql: Relation }>> = {
  within: { of: "cidr", sql: (sql, _, value) => `${sql} << ${value}::inet` },
  within_include: { of: "cidr", sql: (sql, _, value) => `${sql} <<= ${value}::inet` },
  contains: { of: "cidr", sql: (sql, _, value) => `${sql} >>= ${value}::inet` },
  parent: { of: "inet", sql: (sql, _, value) => `${hostOf(sql)} <<= ${value}::inet` }
}

/** The field by which an object is a network or an address: the first of such a type. */
const networkField = (type: ObjectType): string | undefined =>
  Object.keys(type.fields).find((name) => /^(inet|cidr)$/.test(type.fields[name]!.type))

/** The names that a type has beside its fields, because it is a network or an address. */
export const networkNames = (type: ObjectType): ReadonlyArray<string> => {
  const name = networkField(type)
  if (name === undefined) return []
  const columnType = type.fields[name]!.type
  const own = Object.keys(relations).filter((relation) => relations[relation]!.of === columnType)
  return [...own, "family", "mask_length"].filter((each) => !Object.hasOwn(type.fields, each))
}

export const networkCondition = (
  type: ObjectType,
  alias: string,
  name: string,
  suffix: string,
  values: ReadonlyArray<string>,
  bind: Bind
): Compiled => {
  if (!networkNames(type).includes(name)) return undefined
  const field = networkField(type)!
  const column = `${alias}.${type.columns[field]}`
  if (name === "family" || name === "mask_length") {
    const sql = `${name === "family" ? "family" : "masklen"}(${column})`
    return compare({ kind: "number", sql, type: "integer" }, suffix, values, bind)
  }
  const [asked, denied] = positive(suffix)
  if (asked !== "") return undefined
  const given = values.filter((value) => value !== "")
  if (given.length === 0) return undefined
  const read = given.map(addressOf)
  const messages = read.filter((value) => value === undefined).map(() => wrongAddress)
  if (messages.length > 0) return { messages }
  const { sql } = relations[name]!
  return denial(either(read.map((value) => sql(column, type.fields[field]!.type, bind(value)))), denied)
}
