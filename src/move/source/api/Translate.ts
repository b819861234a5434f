/**
 * An object of NetBox's API to the rows that NetBox's database has of it, so that a move reads both alike: a nested object
 * becomes the column of its id, a choice its value, a list of objects rows of a table of pairs, a type its number. Pure.
 */
import { createHash } from "node:crypto"
import { holdsTypes } from "../../../inventory/Grammar.ts"
import { type Field, isDictionary } from "../../../inventory/Field.ts"
import { type ObjectType, columnOf } from "../../../inventory/ObjectType.ts"
import { mappings } from "../Mappings.ts"
import type { Endpoint } from "./Endpoints.ts"
import type { ApiObject } from "./Pages.ts"
import { isComputed, nativeType } from "./Names.ts"

/** A table of pairs: each has the id of the object, and that of another one. */
export interface PairTable {
  readonly name: string
  readonly own: string
  readonly other: string
  /** The type whose objects are named by a text, and the column of the text. */
  readonly shownBy?: { readonly table: string; readonly column: string }
}

interface Pairs {
  readonly table: PairTable
  readonly others: ReadonlyArray<number | string>
}

interface Column {
  readonly name: string
  /** Type of Postgres. */
  readonly type: string
  readonly value: unknown
}

export interface Translated {
  readonly columns: ReadonlyArray<Column>
  readonly pairs: ReadonlyArray<Pairs>
  readonly tags: ReadonlyArray<number>
  /** Names of the content types that the columns and pairs have numbers of. */
  readonly types: ReadonlyArray<string>
}

/** The object is not as NetBox shows objects. */
export class Untranslatable extends Error {}

/** The types of the custom fields, by name. */
export type CustomTypes = ReadonlyMap<string, string>

/** The number of a content type: the API has no numbers, so it follows from the name, and is the same in each run. */
export const numberOf = (type: string): number => createHash("md5").update(type).digest().readUInt32BE(0) >>> 1

const typeName = /^[a-z0-9_]+\.[a-z0-9_]+$/

/** Whether the value of a field is a type: that of a generic reference, or one that a custom field or a rule names. */
const isType = (field: Field | undefined, object: ApiObject, key: string): boolean => {
  const value = object[key]
  if (field !== undefined) return namesType(field) || holdsTypes(field)
  if (value === null)
    return key === "related_object_type" || (key.endsWith("_type") && `${key.slice(0, -5)}_id` in object)
  return key.endsWith("_type") && typeof value === "string" && typeName.test(value)
}

/** Whether the value is the type of an object that another field has the id of. */
const namesType = ({ generic, describes }: Field): boolean => generic !== undefined || describes !== undefined

/** Lists of types, by their names in all releases. */
const isTypesKey = (key: string): boolean => key === "content_types" || key === "object_types"

/** The table of pairs of a field of a type. */
export const pairsOf = (table: string, type: ObjectType, name: string, { reference }: Field): PairTable => {
  const [app, model] = reference!.type.split(".")
  return {
    ...{ name: `${table}_${name}`, own: `${type.name}_id`, other: `${model}_id` },
    ...(reference!.shownBy !== undefined && { shownBy: { table: `${app}_${model}`, column: reference!.shownBy } })
  }
}

/** The table of the types that an object is about. */
export const typePairsOf = (table: string): PairTable => ({
  ...{ name: `${table}_object_types`, own: `${table.replace(/^.*_/, "")}_id`, other: "objecttype_id" }
})

const isId = (value: unknown): value is number => Number.isSafeInteger(value)

/** The id of a nested object, or of one that is shown by its id. */
const idOf = (value: unknown, key: string): number | null => {
  const id = isDictionary(value) ? value["id"] : value
  if (id === null || isId(id)) return id
  throw new Untranslatable(`${key} is no reference`)
}

const isChoice = (value: unknown): value is { readonly value: unknown } =>
  isDictionary(value) && Object.hasOwn(value, "value") && Object.hasOwn(value, "label")

const listOf = (value: unknown, key: string): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value
  throw new Untranslatable(`${key} is no list`)
}

const textOf = (value: unknown, key: string): string => {
  if (typeof value === "string") return value
  throw new Untranslatable(`${key} has an entry that is no text`)
}

/** Values of custom fields of objects are nested objects: their ids. */
const customValues = (value: unknown, types: CustomTypes): unknown => {
  if (!isDictionary(value)) return value
  const valueOf = (name: string, each: unknown): unknown => {
    const type = types.get(name)
    if (type === "object") return idOf(each, name)
    if (type === "multiobject" && each !== null) return listOf(each, name).map((one) => idOf(one, name))
    return each
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, valueOf(name, each)]))
}

/** Whether the key is that of the object of a generic reference, beside its type and id. */
const isGenericObject = (object: ApiObject, key: string): boolean =>
  `${key}_id` in object && (`${key}_type` in object || (key === "object" && "content_type" in object))

/** Whether the key is that of an id of a generic reference. */
const isGenericId = (object: ApiObject, key: string): boolean =>
  key.endsWith("_id") && (`${key.slice(0, -3)}_type` in object || (key === "object_id" && "content_type" in object))

export const translate = ({ table, type }: Endpoint, object: ApiObject, customTypes: CustomTypes): Translated => {
  const columns: Array<Column> = []
  const pairs: Array<Pairs> = []
  const types = new Set<string>()
  let tags: ReadonlyArray<number> = []
  const shown = new Set(Object.values(type?.fields ?? {}).flatMap(({ generic }) => generic?.shownAs ?? []))
  const put = (name: string, kind: string, value: unknown) => {
    if (columns.every((column) => column.name !== name)) columns.push({ name, type: kind, value })
  }
  const putType = (key: string, value: unknown) => {
    if (value !== null) types.add(textOf(value, key))
    put(`${key}_id`, "bigint", value === null ? null : numberOf(String(value)))
  }
  for (const [key, value] of Object.entries(object)) {
    const field = type?.fields[key]
    const isObject = field === undefined && (shown.has(key) || isGenericObject(object, key))
    if (key === "id" || isComputed(type, key) || isObject) continue
    if (key === "tags" && field?.reference?.shownBy === undefined) {
      tags = listOf(value, key).flatMap((tag) => idOf(tag, key) ?? [])
    } else if (field?.reference?.many === true) {
      // Ends of cables are objects of their own.
      if (field.reference.ends !== undefined) continue
      const pairTable = pairsOf(table, type!, key, field)
      const others = listOf(value, key).map((each) =>
        pairTable.shownBy === undefined ? (idOf(each, key) ?? 0) : textOf(each, key)
      )
      pairs.push({ table: pairTable, others })
    } else if (isTypesKey(key) || (key === "content_type" && type?.fields["content_types"] !== undefined)) {
      // Links and templates of early releases are about one type.
      const named = [value].flat().map((each) => textOf(each, key))
      for (const name of named) types.add(name)
      pairs.push({ table: typePairsOf(table), others: named.map(numberOf) })
    } else if (isType(field, object, key)) putType(key, value)
    else if (key === "custom_fields") put("custom_field_data", "jsonb", customValues(value, customTypes))
    else if (isGenericId(object, key)) put(key, "bigint", idOf(value, key))
    else if (field?.reference !== undefined) put(columnOf(type!, key), "bigint", idOf(value, key))
    else if (isChoice(value) && field?.type !== "jsonb") put(key, nativeType(table, key), value.value)
    else if (field === undefined && isDictionary(value) && isId(value["id"])) put(`${key}_id`, "bigint", value["id"])
    else put(key, nativeType(table, key), nativeValue(table, key, value))
  }
  return { columns, pairs, tags, types: [...types] }
}

/** Ranges are shown as lists of both ends, which belong to them. */
const nativeValue = (table: string, key: string, value: unknown): unknown =>
  nativeType(table, key) === "int4range[]" && Array.isArray(value) ? value.map((each) => JSON.stringify(each)) : value

/** The columns of a type without objects: those of its fields. */
export const declaredColumns = (table: string, type: ObjectType): ReadonlyArray<Omit<Column, "value">> => {
  const mapped = mappings.get(type.id)?.flatMap(({ fields }) => Object.keys(fields ?? {})) ?? []
  const generic = new Set(Object.values(type.fields).flatMap((field) => field.generic?.id ?? field.describes ?? []))
  return Object.entries(type.fields).flatMap(([name, field]): ReadonlyArray<Omit<Column, "value">> => {
    const isShown = field.wire === "both" || field.wire === "read"
    if (!isShown || field.reference?.many === true || mapped.includes(name) || isComputed(type, name)) return []
    if (name === "custom_fields") return [{ name: "custom_field_data", type: "jsonb" }]
    if (namesType(field)) return [{ name: `${name}_id`, type: "bigint" }]
    if (generic.has(name)) return [{ name, type: "bigint" }]
    if (holdsTypes(field)) return field.type === "text[]" ? [] : [{ name: `${name}_id`, type: "bigint" }]
    if (field.reference !== undefined) return [{ name: columnOf(type, name), type: "bigint" }]
    return [{ name, type: nativeType(table, name) }]
  })
}
