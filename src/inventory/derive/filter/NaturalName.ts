/**
 * Attributes by which a write names an object -> an SQL condition. Pure.
 *
 * `{"name": "eth0", "device": {"name": "sw1"}}`: the names of the object, and the objects that it belongs to, named the
 * same way. Everybody who may see the object may read these attributes, they are compared as a whole, and only visible
 * objects are searched, so a refusal reveals nothing that the sender could not read.
 */
import { isDictionary, isExact, isStorable } from "../../Field.ts"
import { type ObjectType, fieldOf, perType } from "../../ObjectType.ts"
import { objectType } from "../../Registry.ts"
import { type Comparand, type CompiledLookup, compare, kindOf } from "./Lookup.ts"
import { type Reach, along, comparandOf } from "./Path.ts"
import { uniquesOf } from "../table/TableOf.ts"
import type { Bind, Visible, Where } from "./Where.ts"

/** Deepest nesting of named objects. */
const depthMax = 5

/** The fields that may name an object of the type: names, unique values, and the objects it belongs to. */
export const namingFields = perType((type): ReadonlyArray<string> => {
  const unique = new Set(uniquesOf(type).flatMap(({ fields }) => fields))
  return Object.entries(type.fields).flatMap(([name, field]) => {
    const isShown = field.wire === "both" || field.wire === "read"
    if (field.reference !== undefined) return isShown && !field.reference.many ? [name] : []
    const kind = kindOf(field)
    const isBrief = type.brief.includes(name) && /^(text|number|network)$/.test(kind ?? "")
    const isUsual = unique.has(name) || /^(name|slug)$/.test(name) || name === type.key
    const isName = isUsual || type.identity.includes(name) || type.knownBy.includes(name)
    const names = isName || isOfGeneric(type, name)
    return isShown && kind !== undefined && (names || isBrief) ? [name] : []
  })
})

/** Whether the field is the type or the id of a generic reference. */
export const isOfGeneric = ({ fields }: ObjectType, name: string): boolean =>
  Object.entries(fields).some(([each, { generic }]) => generic !== undefined && (each === name || generic.id === name))

/** Visible objects of the type with these attributes; or the attribute that cannot name one, with its value. */
export const naturalName = (
  type: ObjectType,
  attributes: Readonly<Record<string, unknown>>,
  visible: Visible
): { readonly where: Where } | { readonly unknown: string; readonly type: ObjectType } => {
  const parameters: Array<unknown> = []
  const bind: Bind = (value) => `$${parameters.push(value)}`
  let wrong: { readonly unknown: string; readonly type: ObjectType } | undefined
  const all = (
    of: ObjectType,
    alias: string,
    from: Readonly<Record<string, unknown>>,
    depth: number
  ): CompiledLookup => {
    const conditions = Object.entries(from).map(([name, value]) => {
      const condition = one(of, alias, name, value, { visible, bind }, (target, at, inner) =>
        depth >= depthMax ? undefined : all(target, at, inner, depth + 1)
      )
      if (typeof condition !== "string") wrong ??= { unknown: name, type: of }
      return condition
    })
    const told = conditions.filter((condition) => typeof condition === "string")
    return told.length > 0 && told.length === conditions.length ? told.join(" and ") : undefined
  }
  const sql = all(type, "t", attributes, 1)
  return typeof sql === "string" ? { where: { sql, parameters } } : (wrong ?? { unknown: "{}", type })
}

type NestedCompiler = (
  target: ObjectType,
  alias: string,
  attributes: Readonly<Record<string, unknown>>
) => CompiledLookup

/** One attribute of the object under the alias. Django's names of the steps to it, `device__name`, are read as well. */
const one = (
  type: ObjectType,
  alias: string,
  name: string,
  value: unknown,
  reach: Reach,
  nested: NestedCompiler
): CompiledLookup => {
  const [word = "", ...more] = name.split("__")
  if (more.length > 0 && referenceOf(type, word) === undefined) return undefined
  if (more.length > 0) return one(type, alias, word, { [more.join("__")]: value }, reach, nested)
  if (word === "id" || word === "pk") return equal({ kind: "number", sql: `${alias}.id`, type: "bigint" }, value, reach)
  const field = referenceOf(type, word) === undefined ? word.replace(/_id$/, "") : word
  const reference = referenceOf(type, field)
  if (reference !== undefined) {
    const column: Comparand = { kind: "number", sql: `${alias}.${type.columns[field]}`, type: "bigint" }
    if (isDictionary(value) && "id" in value) return equal(column, value["id"], reach)
    if (isDictionary(value)) {
      return along(type, alias, [field], reach, (target, at) => nested(target, at, value))
    }
    return equal(column, value, reach)
  }
  return namingFields(type).includes(word) ? equal(comparandOf(type, alias, word), value, reach) : undefined
}

const referenceOf = (type: ObjectType, name: string): ObjectType | undefined => {
  const reference = namingFields(type).includes(name) ? fieldOf(type, name).reference : undefined
  return reference === undefined ? undefined : objectType(reference.type)
}

const equal = (of: Comparand, value: unknown, { bind }: Reach): CompiledLookup => {
  if (value === null) return `${of.sql} is null`
  const text = typeof value === "number" && isExact(value) ? String(value) : value
  // `true` names nothing: as a text it would name another object.
  if (typeof text !== "string" || !isStorable(text)) return undefined
  // An empty text is a value here; filters ignore it.
  return of.kind === "text" ? `${of.sql} = ${bind(text)}` : compare(of, "", [text], bind)
}
