/** The columns that an import file of an object type may have. Pure. */
import { type Field, isDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { isLeftOut } from "../../inventory/image/ImageField.ts"
import { customColumn } from "../../inventory/derive/represent/ImportedRow.ts"
import { genericFields, namedFields } from "../../inventory/derive/represent/NamedFlat.ts"
import { backColumns } from "../../inventory/name/BackReference.ts"
import type { CustomField } from "../../inventory/types/extras/CustomField.ts"

/**
 * How a column reads a scalar that YAML has without quotes. `text`: `0123` as it is written. `value`: as the number that
 * it means. `reference`: a whole number is an id, anything else a text. A record has kinds by key.
 */
export type Kind = "text" | "value" | "reference" | { readonly [key: string]: Kind }

/** The kinds of all columns, by name. */
export const kindsOf = (type: ObjectType, customFields: ReadonlyArray<CustomField>): Readonly<Record<string, Kind>> => {
  const custom = Object.fromEntries(customFields.map((each) => [each.name, customKind(each)]))
  return {
    id: "value",
    ...Object.fromEntries([...type.leftOut, ...inputsOf(type)].map((name) => [name, "value"])),
    ...Object.fromEntries(Object.entries(type.fields).map(([name, field]) => [name, kindOf(field)])),
    ...Object.fromEntries(genericFields(type).map(({ objectKey }) => [objectKey, "reference"])),
    ...Object.fromEntries(backColumns(type).map((column) => [column, "reference"])),
    ...Object.fromEntries(customFields.map((each) => [customColumn(each), customKind(each)])),
    ...(Object.hasOwn(type.fields, "custom_fields") && { custom_fields: custom })
  }
}

const inputsOf = (type: ObjectType): ReadonlyArray<string> => Object.keys(type.creation.inputs ?? {})

/** All columns of a table that creates objects. */
export const templateColumns = (type: ObjectType, customFields: ReadonlyArray<CustomField>): ReadonlyArray<string> => [
  ...namedFields(type).filter((name) => name !== "custom_fields"),
  ...customFields.map(customColumn)
]

/** The keys that a row may have: those that are written, and those that are passed over and named in the report. */
export interface Keys {
  readonly written: ReadonlySet<string>
  readonly ignored: ReadonlySet<string>
}

export const keysOf = (type: ObjectType, customFields: ReadonlyArray<CustomField>): Keys => {
  const isShown = (name: string) => type.fields[name]!.wire === "read" || isLeftOut(type.fields[name]!)
  const isWritten = (name: string) => !isShown(name) && type.fields[name]!.wire !== "none"
  const names = Object.keys(type.fields)
  const shown = names.filter(isShown)
  return {
    written: new Set([
      "id",
      ...[...names.filter(isWritten), ...inputsOf(type)],
      ...genericFields(type).map(({ objectKey }) => objectKey),
      ...customFields.map(customColumn),
      ...backColumns(type)
    ]),
    ignored: new Set([
      ...["url", "display", ...shown, ...type.leftOut],
      ...[type.derived, type.counts, type.pointedBy].flatMap((each) => Object.keys(each))
    ])
  }
}

/** Most unknown keys of a row that are reported, and most characters of each. */
const unknownMax = 10
const keyCharsMax = 100

/** The row without the keys that are passed over; the unknown ones as errors, and passed over ones that have a value. */
export const checkKeys = (row: unknown, { written, ignored }: Keys) => {
  const entries = isDictionary(row) ? Object.entries(row).filter(([name]) => !written.has(name)) : []
  const isKept = ([name]: readonly [string, unknown]) => !ignored.has(name) || written.has(name)
  const unknown = entries.filter(([name]) => !ignored.has(name)).slice(0, unknownMax)
  return {
    row: entries.length > 0 && isDictionary(row) ? Object.fromEntries(Object.entries(row).filter(isKept)) : row,
    errors: Object.fromEntries(unknown.map(([name]) => [name.slice(0, keyCharsMax), ["Unknown field."]])),
    ignored: entries.flatMap(([name, value]) => (ignored.has(name) && value !== null && value !== "" ? [name] : []))
  }
}

const kindOf = (field: Field): Kind => {
  const { type, reference } = field
  if (reference !== undefined) return "reference"
  // `true` in files of the device type library.
  if (isLeftOut(field)) return "value"
  return /^(bigint|integer|numeric|boolean|json)/.test(type) ? "value" : "text"
}

const customKind = ({ type }: CustomField): Kind => {
  if (type.endsWith("object")) return "reference"
  return /^(integer|decimal|boolean|json)$/.test(type) ? "value" : "text"
}
