/**
 * The constraint of a permission, in the words of Django's lookups -> an SQL condition, or what is wrong with it. Pure.
 *
 * `{"site__region__slug": "emea", "status__in": ["active", "planned"]}`: all entries of a document must hold, and one
 * document of a list. An unknown name is an error, so that a misspelt constraint grants nothing. Descendants in a tree
 * do not match, as in Django.
 */
import { isNumber } from "../../../postgres/ExactJson.ts"
import { isStorable, typeName } from "../../Field.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { objectType } from "../../Registry.ts"
import { addressOf, hostOf } from "./Address.ts"
import type { Filtered } from "./Filter.ts"
import { type Comparand, type CompiledLookup, asText, compare, compared, denial, kindOf } from "./Lookup.ts"
import { along, comparandOf } from "./Path.ts"
import { type Bind, type Where, allVisible, anyOf, everything, isEverything } from "./Where.ts"

export const constraint = (type: ObjectType, document: unknown): Filtered => {
  if (document === null || document === undefined) return { where: everything }
  if (!Array.isArray(document)) return one(type, document)
  const parts = document.map((each: unknown) => one(type, each))
  const bad = parts.find((part) => "errors" in part)
  if (bad !== undefined) return bad
  const wheres = parts.flatMap((part): ReadonlyArray<Where> => ("where" in part ? [part.where] : []))
  return { where: wheres.some(isEverything) ? everything : anyOf(...wheres) }
}

const refused = (message: string): Filtered => ({ errors: { constraints: [message] } })

const one = (type: ObjectType, document: unknown): Filtered => {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    return refused(`Constraints are a dictionary or a list of them, not ${typeName(document)}.`)
  }
  const parameters: Array<unknown> = []
  const bind: Bind = (value) => `$${parameters.push(value)}`
  const conditions: Array<string> = []
  for (const [name, value] of Object.entries(document)) {
    const condition = clause(type, name.split("__"), value, bind)
    if (condition === undefined) return refused(`${type.id} has nothing to filter by ${name} with this value.`)
    if (typeof condition !== "string") return refused(`${name}: ${condition.messages.join(" ")}`)
    conditions.push(condition)
  }
  return { where: { sql: conditions.length === 0 ? "true" : conditions.join(" and "), parameters } }
}

/** A name consists of references, a field, and a lookup unless it is `exact`. */
const clause = (type: ObjectType, words: ReadonlyArray<string>, value: unknown, bind: Bind): CompiledLookup => {
  const steps: Array<string> = []
  let there = type
  for (const word of words) {
    const reference = Object.hasOwn(there.fields, word) ? there.fields[word]?.reference : undefined
    const next = words[steps.length + 1]
    const target = reference === undefined ? undefined : objectType(reference.type)
    if (target === undefined || next === undefined || comparandIn(target, "t", next) === undefined) break
    steps.push(word)
    there = target
  }
  const [name = "", lookup = "exact", ...more] = words.slice(steps.length)
  if (more.length > 0) return undefined
  const follow = (lookup: string, value: unknown) =>
    along(type, "t", steps, { visible: allVisible, bind }, (target, alias) => {
      const comparand = comparandIn(target, alias, name)
      return comparand === undefined ? undefined : asked(comparand, lookup, value, bind)
    })
  const wantsNone = (lookup === "isnull" && value === true) || (lookup === "exact" && value === null)
  // Also null where the path ends early.
  return wantsNone && steps.length > 0 ? denial(follow("isnull", false), true) : follow(lookup, value)
}

/** The target of a word: the id, a field, or the id of a referenced object. */
const comparandIn = (type: ObjectType, alias: string, word: string): Comparand | undefined => {
  if (word === "id" || word === "pk") return { kind: "number", sql: `${alias}.id`, type: "bigint" }
  const name = Object.hasOwn(type.fields, word) ? word : word.replace(/_id$/, "")
  const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
  if (field === undefined) return undefined
  if (field.reference !== undefined) {
    const sql = `${alias}.${type.columns[name]}`
    return field.reference.many ? { kind: "list", sql, type: field.type } : { kind: "number", sql, type: "bigint" }
  }
  return name !== word || kindOf(field) === undefined ? undefined : comparandOf(type, alias, name)
}

/** Django's lookups that filters have under another name. */
const names: Readonly<Record<string, string>> = {
  exact: "",
  in: "",
  iexact: "ie",
  icontains: "ic",
  istartswith: "isw",
  iendswith: "iew",
  regex: "regex",
  iregex: "iregex",
  lt: "lt",
  lte: "lte",
  gt: "gt",
  gte: "gte"
}

/** Case-sensitive lookups, with their patterns. */
const written: Readonly<Record<string, (text: string) => string>> = {
  contains: (text) => `%${text}%`,
  startswith: (text) => `${text}%`,
  endswith: (text) => `%${text}`
}

/** Lookups of networks and addresses. */
const networks: Readonly<Record<string, (sql: string, value: string) => string>> = {
  net_contained: (sql, value) => `${sql} << ${value}::inet`,
  net_contained_or_equal: (sql, value) => `${sql} <<= ${value}::inet`,
  net_contains: (sql, value) => `${sql} >> ${value}::inet`,
  net_contains_or_equals: (sql, value) => `${sql} >>= ${value}::inet`,
  net_host_contained: (sql, value) => `${hostOf(sql)} <<= ${value}::inet`
}

/** The lookups that a name may end with. */
export const constraintLookups: ReadonlySet<string> = new Set([
  ...[names, written, networks].flatMap(Object.keys),
  ...["isnull", "range"]
])

const asked = (of: Comparand, lookup: string, value: unknown, bind: Bind): CompiledLookup => {
  const isNone = of.kind === "list" ? `cardinality(${of.sql}) = 0` : `${of.sql} is null`
  if (lookup === "isnull") return typeof value === "boolean" ? (value ? isNone : `not (${isNone})`) : undefined
  if (value === null) return lookup === "exact" ? isNone : undefined
  if (Array.isArray(value) !== (lookup === "in" || lookup === "range")) return undefined
  const values = (Array.isArray(value) ? value : [value]) as ReadonlyArray<unknown>
  if (values.some((each) => !isNumber(each) && !/^(string|boolean)$/.test(typeof each))) return undefined
  const texts = values.map(String)
  if (texts.some((text) => !isStorable(text))) return undefined
  if (lookup === "in" && texts.length === 0) return "false"
  if (lookup === "range") {
    if (texts.length !== 2) return undefined
    const bounds = [compare(of, "gte", [texts[0]!], bind), compare(of, "lte", [texts[1]!], bind)]
    return bounds.find((bound) => typeof bound !== "string") ?? bounds.join(" and ")
  }
  if (Object.hasOwn(written, lookup)) {
    const text = texts[0]!.replaceAll(/[\\%_]/g, String.raw`\$&`)
    return of.kind === "text" ? `${asText(of.sql, of.type)} like ${bind(written[lookup]!(text))}` : undefined
  }
  if (Object.hasOwn(networks, lookup)) {
    const address = of.kind === "network" ? addressOf(texts[0]!) : undefined
    return address === undefined ? undefined : networks[lookup]!(of.sql, bind(address))
  }
  // In Django an empty text is a value; filters ignore it.
  if (of.kind === "text" && (lookup === "exact" || lookup === "in")) {
    return compared("=")(of, texts, bind)
  }
  return Object.hasOwn(names, lookup) ? compare(of, names[lookup]!, texts, bind) : undefined
}
