/**
 * A row of an import file -> the body of a write. Values that people write otherwise than clients of the API become what
 * the API takes: choices by their label, lists in one cell, attributes of references in columns of their own. Pure.
 */
import { type Dictionary, type Field, type Reference, emptyRecord, isDictionary } from "../../Field.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { objectType, registry } from "../../Registry.ts"
import { naturalKey } from "../filter/Path.ts"
import type { CustomField } from "../../types/extras/CustomField.ts"
import { customTableValue } from "./CustomCell.ts"
import { itemsOfCell, nullCell, objectOfCell, valueOfCell } from "./Flat.ts"
import { genericFields } from "./NamedFlat.ts"

/** A row of a table, cells by column, as the body of a write: `device.name` is an attribute of `device`. */
export const bodyOfTableRow = (
  type: ObjectType,
  cells: Readonly<Record<string, string>>,
  customFields: ReadonlyArray<CustomField>
): Dictionary => {
  const body = emptyRecord<unknown>()
  for (const [column, cell] of Object.entries(cells)) {
    const custom = customFields.find((each) => customColumn(each) === column)
    if (custom !== undefined) {
      body[column] = customTableValue(custom, cell)
      continue
    }
    const [name = "", ...attributes] = column.split(".")
    const field = fieldNamed(type, name)
    const one = cell.trim() === nullCell ? null : cell.trim()
    if (attributes.length === 0) body[name] = valueIn(field, cell)
    else if (field?.reference?.many === true) {
      body[name] = one === null ? [] : itemsOfCell(cell).map((item) => attributed(undefined, attributes, item))
    } else body[name] = one === null && column === `${name}.id` ? null : attributed(body[name], attributes, one)
  }
  return body
}

/** `cf_asset`: the column of a custom field. */
export const customColumn = ({ name }: CustomField): string => `cf_${name}`

/** The value of a cell; `null` clears every field that is not a text. */
const valueIn = (field: Field | undefined, cell: string): unknown => {
  const isText = field?.type === "text" && field.choices === undefined && field.generic === undefined
  if (cell.trim() !== nullCell || isText) return field === undefined ? objectOfCell(cell) : valueOfCell(field, cell)
  return field?.type.endsWith("[]") === true ? [] : null
}

/** The attributes with one more, at the end of the path. */
const attributed = (known: unknown, [name, ...rest]: ReadonlyArray<string>, value: unknown): Dictionary => {
  const attributes: Dictionary = isDictionary(known) ? known : {}
  return { ...attributes, [name!]: rest.length === 0 ? value : attributed(attributes[name!], rest, value) }
}

/** The body of a row with choices by value, and with ends of cables and attributes of references as the API has them. */
export const bodyOfRow = (type: ObjectType, sent: unknown, customFields: ReadonlyArray<CustomField>): unknown => {
  if (!isDictionary(sent)) return sent
  const row = withCustomColumns(sent, customFields)
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const generic = genericFields(type).find(({ objectKey }) => objectKey === name)
      const pointed = generic === undefined ? undefined : registry.get(String(row[generic.typeField]))
      if (pointed !== undefined) return [name, isDictionary(value) ? withNamedAttributes(pointed, value) : value]
      const field = fieldNamed(type, name)
      if (field?.choices !== undefined) return [name, chosen(field.choices, value)]
      return [name, field?.reference === undefined ? value : mapNames(field.reference, value, nameOf)]
    })
  )
}

/** The row with the columns of custom fields inside `custom_fields`. */
const withCustomColumns = (row: Dictionary, customFields: ReadonlyArray<CustomField>): Dictionary => {
  const given = customFields.filter((each) => Object.hasOwn(row, customColumn(each)))
  if (given.length === 0) return row
  const columns = new Set(given.map(customColumn))
  const others = Object.entries(row).filter(([name]) => !columns.has(name))
  const values = given.map((each) => [each.name, row[customColumn(each)]] as const)
  const before = isDictionary(row["custom_fields"]) ? row["custom_fields"] : {}
  return { ...Object.fromEntries(others), custom_fields: { ...before, ...Object.fromEntries(values) } }
}

const fieldNamed = (type: ObjectType, name: string): Field | undefined =>
  Object.hasOwn(type.fields, name) ? type.fields[name] : undefined

/** A choice by its value or label, whatever the case. */
const chosen = (choices: Readonly<Record<string, string>>, value: unknown): unknown => {
  if (typeof value !== "string" || Object.hasOwn(choices, value)) return value
  const word = value.trim().toLowerCase()
  const entries = Object.entries(choices)
  const byValue = entries.find(([each]) => each.toLowerCase() === word)
  return (byValue ?? entries.find(([, label]) => label.toLowerCase() === word))?.[0] ?? value
}

/**
 * Maps the way in which a reference, or each item of a list, names its object. An end of a cable has it in `object_id`;
 * `of` is its type.
 */
export const mapNames = (
  { type, ends }: Pick<Reference, "type" | "ends">,
  value: unknown,
  map: (name: unknown, of: string) => unknown
): unknown => {
  const one = (item: unknown): unknown => {
    if (ends === undefined) return map(item, type)
    const end: Dictionary = isDictionary(item) && "object_type" in item ? item : { object_type: type, object_id: item }
    return { ...end, object_id: map(end["object_id"], String(end["object_type"])) }
  }
  return Array.isArray(value) ? value.map(one) : value === null ? null : one(value)
}

const nameOf = (name: unknown, of: string): unknown => {
  const type = registry.get(of)
  return type !== undefined && isDictionary(name) ? withNamedAttributes(type, name) : name
}

/** Attributes that are references themselves may be texts: `{site: "ams"}` is `{site: {slug: "ams"}}`. */
export const withNamedAttributes = (type: ObjectType, attributes: Dictionary): Dictionary =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const reference = fieldNamed(type, name)?.reference
      if (reference === undefined || reference.many) return [name, value]
      const target = objectType(reference.type)
      if (isDictionary(value)) return [name, withNamedAttributes(target, value)]
      return [name, typeof value === "string" && !/^\d+$/.test(value) ? { [naturalKey(target)]: value } : value]
    })
  )
