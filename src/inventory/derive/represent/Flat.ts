/**
 * Objects as flat records for files: references by id, choices by value; also as cells of a table. Importing an
 * unchanged export changes nothing. Pure.
 */
import { parseExactly } from "../../../postgres/ExactJson.ts"
import type { Field, Reference, Row } from "../../Field.ts"
import { typeNamed } from "../../field/Ends.ts"
import { type ObjectType, fieldOf } from "../../ObjectType.ts"
import { registry } from "../../Registry.ts"
import { isLeftOut } from "../../image/ImageField.ts"
import { shownOf } from "../../Unreadable.ts"
import { naturalKey } from "../filter/Path.ts"

export type Flat = Readonly<Record<string, unknown>>

/** Fields that a file holds: those that clients may read and write, without optional images. */
export const flatFields = (type: ObjectType): ReadonlyArray<string> =>
  Object.keys(type.fields).filter((name) => fieldOf(type, name).wire === "both" && !isLeftOut(fieldOf(type, name)))

export const flatOf = (type: ObjectType, row: Row): Flat =>
  Object.fromEntries([["id", row.id], ...flatFields(type).map((name) => [name, flatValue(type, row, name)])])

/** A value as a file or a form has it. Ends of cables of another type than usual say of which they are. */
const flatValue = (type: ObjectType, row: Row, name: string): unknown => {
  const { reference } = fieldOf(type, name)
  const value = shownOf(row[name])
  return reference?.ends === undefined ? value : endsNamed(reference, row, value, (id) => id)
}

/** The ends of a cable by `nameOf`, with their type where it is not the usual one. */
export const endsNamed = (
  reference: Reference,
  row: Row,
  ids: unknown,
  nameOf: (id: number, type: string) => unknown
): unknown => {
  if (!Array.isArray(ids)) return ids
  const type = typeNamed(reference, row)
  const names = (ids as ReadonlyArray<number>).map((id) => nameOf(id, type))
  return type === reference.type ? names : names.map((name) => ({ object_type: type, object_id: name }))
}

/** A flat value as the text of a cell; null is the empty cell. */
export const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (Array.isArray(value) && value.every(isPlainItem)) return value.join(",")
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

/** The cell that clears a value. A text field takes it as a text. */
export const nullCell = "null"

/** Whether an item is read again as it is from a list without quotes. */
const isPlainItem = (item: unknown): boolean =>
  typeof item === "number" || (typeof item === "string" && item !== "" && item.trim() === item && !/^\[|,/.test(item))

/** A record of cells as the body of a write. Empty cells name nothing. */
export const bodyOfCells = (type: ObjectType, cells: Readonly<Record<string, string>>): Flat =>
  Object.fromEntries(
    Object.entries(cells).flatMap(([name, cell]) => {
      const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
      return cell.trim() === "" ? [] : [[name, field === undefined ? cell : valueOfCell(field, cell)]]
    })
  )

/** The value that a cell means. Lists and references may be written in JSON. */
export const valueOfCell = (field: Field, cell: string): unknown => {
  if (field.type === "jsonb") return jsonOfCell(cell)
  if (field.reference?.many === true || field.type.endsWith("[]")) return valueOfList(cell)
  return field.reference === undefined ? cell : objectOfCell(cell)
}

/** A list with commas between its items, or in JSON. */
export const valueOfList = (cell: string): unknown => (/^\s*\[/.test(cell) ? jsonOfCell(cell) : itemsOfCell(cell))

/** The name of an object in a cell: a text, or attributes in JSON. */
export const objectOfCell = (cell: string): unknown => (/^\s*\{/.test(cell) ? jsonOfCell(cell) : cell)

const jsonOfCell = (cell: string): unknown => {
  try {
    return parseExactly(cell)
  } catch {
    return cell
  }
}

export const itemsOfCell = (cell: string): ReadonlyArray<string> =>
  cell
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** References that a file names by a text, as the attributes that they are looked up by; `typeOf`: of ends of cables. */
export const withNamedReferences = (
  type: ObjectType,
  body: unknown,
  typeOf: (reference: Reference) => string = ({ type: usual }) => usual
): unknown => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]: [string, unknown]) => {
      const reference = Object.hasOwn(type.fields, name) ? type.fields[name]?.reference : undefined
      if (reference === undefined) return [name, value]
      const target = registry.get(typeOf(reference))
      const key = target === undefined ? "id" : naturalKey(target)
      const read = (each: unknown): unknown => {
        const named = typeof each === "string" && !/^\d+$/.test(each) ? { [key]: each } : each
        // An end of a cable names its type too.
        if (reference.ends === undefined || typeof each === "object") return named
        return { object_type: typeOf(reference), object_id: named }
      }
      return [name, Array.isArray(value) ? value.map(read) : read(value)]
    })
  )
}
