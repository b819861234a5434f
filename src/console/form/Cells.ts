/**
 * The texts of a form. A form holds an object as the cells of a table do: references by id or name, lists with commas,
 * dictionaries as JSON.
 */
import { indentedJson, indentedMax } from "../../http/wire/Nesting.ts"
import { type Reference, type Row, isDictionary } from "../../inventory/Field.ts"
import { type ObjectType, fieldOf } from "../../inventory/ObjectType.ts"
import { shownOf } from "../../inventory/Unreadable.ts"
import { bodyOfCells, cellOf, withNamedReferences } from "../../inventory/derive/represent/Flat.ts"
import { customValue } from "../../inventory/derive/represent/CustomCell.ts"
import { slugOf } from "../../inventory/field/SlugOf.ts"
import { customCell } from "./CustomCell.ts"
import type { Form, FormField } from "./FormField.ts"

export type Cells = Readonly<Record<string, string>>

/** Browsers send every line break as CR and LF. */
export const withPlainBreaks = (text: string): string => text.replaceAll(/\r\n?/g, "\n")

/** The cells of a row; of a new object, those of the declared defaults. Secrets are left out. */
export const cellsOf = ({ type, fields }: Form, row: Row | undefined): Cells => {
  const values = isDictionary(row?.["custom_fields"]) ? row["custom_fields"] : {}
  return Object.fromEntries(
    fields.map(({ name, custom, control }) => {
      if (control === "secret") return [name, ""]
      if (custom !== undefined) {
        const own = Object.hasOwn(values, custom.name) ? shownOf(values[custom.name]) : null
        return [name, withPlainBreaks(customCell(custom, row === undefined ? custom.default : own))]
      }
      return [name, withPlainBreaks(declaredCell(type, row, name))]
    })
  )
}

const declaredCell = (type: ObjectType, row: Row | undefined, name: string): string => {
  const field = fieldOf(type, name)
  const value = row === undefined ? field.initial?.() : shownOf(row[name])
  return field.type === "jsonb" && typeof value === "object" && value !== null
    ? indentedJson(value, 2, indentedMax.page)
    : cellOf(value)
}

/** The cells that a form sends. What it leaves out stays as it is. */
export const cellsIn = ({ fields }: Form, sent: URLSearchParams): Cells =>
  Object.fromEntries(
    fields.flatMap(({ name, control, custom }) => {
      const texts = sent.getAll(name)
      if (texts.length === 0) return []
      if (control === "moment") return [[name, momentIn(texts[0]!)]]
      if (control !== "several") return [[name, withPlainBreaks(texts[0]!)]]
      const chosen = texts.filter((each) => each !== "")
      if (custom === undefined) return [[name, chosen.join(",")]]
      return [[name, chosen.length === 0 ? "" : JSON.stringify(chosen)]]
    })
  )

/** The cells with a slug made of the name, where none was typed. */
export const withSlug = ({ fields }: Form, cells: Cells): Cells => {
  const made = fields.flatMap(({ name, slugFrom }) =>
    slugFrom !== undefined && cells[name]?.trim() === "" ? [[name, slugOf(cells[slugFrom] ?? "")] as const] : []
  )
  return { ...cells, ...Object.fromEntries(made) }
}

/** The cells of one of several objects: a slug that was made of the range of names is made of its own name. */
export const withOwnSlug = ({ fields }: Form, all: Cells, own: Cells): Cells => {
  const made = fields.flatMap(({ name, slugFrom }) =>
    slugFrom !== undefined && own[slugFrom] !== all[slugFrom] && all[name] === slugOf(all[slugFrom] ?? "")
      ? [[name, slugOf(own[slugFrom] ?? "")] as const]
      : []
  )
  return { ...own, ...Object.fromEntries(made) }
}

/** A point in time as it was typed; a day is its beginning in UTC. */
export const momentIn = (text: string): string =>
  /^\d{4}-\d\d-\d\d$/.test(text.trim()) ? `${text.trim()}T00:00:00Z` : text

/** The body of a write that changes these cells to those: what stayed as it was is left out. */
export const bodyOf = ({ type, fields }: Form, before: Cells, cells: Cells): unknown => {
  const differs = (name: string) => Object.hasOwn(cells, name) && cells[name] !== (before[name] ?? "")
  const endsOf = ({ name, custom }: FormField) =>
    custom === undefined ? fieldOf(type, name).reference?.ends : undefined
  const typesOfEnds = new Set(fields.map((field) => endsOf(field)?.typeIn))
  const changed = fields.filter((field) => {
    const { typeIn } = endsOf(field) ?? {}
    return differs(field.name) || (typeIn !== undefined && differs(typeIn) && Object.hasOwn(cells, field.name))
  })
  const declared = changed.filter(({ name, custom }) => custom === undefined && !typesOfEnds.has(name))
  const typeNamed = ({ type: usual, ends }: Reference) =>
    (ends === undefined ? undefined : (cells[ends.typeIn] ?? before[ends.typeIn])) ?? usual
  const custom = changed.flatMap((field) =>
    field.custom === undefined ? [] : [[field.custom.name, customValue(field.custom, cells[field.name]!)] as const]
  )
  const isBlank = ({ name }: FormField) => cells[name]!.trim() === ""
  const emptied = declared.filter((field) => isBlank(field) && field.control !== "secret")
  const body = {
    ...bodyOfCells(type, Object.fromEntries(declared.map(({ name }) => [name, cells[name]!]))),
    ...Object.fromEntries(emptied.map(({ name }) => [name, blankOf(type, name)])),
    ...(custom.length > 0 && { custom_fields: Object.fromEntries(custom) })
  }
  return withNamedReferences(type, body, typeNamed)
}

const blankOf = (of: ObjectType, name: string): unknown => {
  const { reference, type, nullable } = fieldOf(of, name)
  if (reference?.many === true || type.endsWith("[]")) return []
  return nullable || type !== "text" ? null : ""
}

/** Longest cell that a form holds, characters. */
const cellCharsMax = 20_000

/** Largest sum of a form's cells as they are sent; each is sent twice, and a form has 256 KiB (Body.ts). */
const cellsBytesMax = 96 * 1024

const sentBytes = (cell: string): number => encodeURIComponent(cell.toWellFormed()).length

/** The cells without those that are too long for a form, the longest first. */
export const withoutLong = (cells: Cells): Cells => {
  const bySize = Object.entries(cells)
    .map(([name, cell]) => ({ name, isLong: cell.length > cellCharsMax, bytes: cell === "" ? 0 : sentBytes(cell) }))
    .sort((a, b) => Number(b.isLong) - Number(a.isLong) || b.bytes - a.bytes)
  let sum = bySize.reduce((total, { bytes }) => total + bytes, 0)
  const left = new Set<string>()
  for (const { name, isLong, bytes } of bySize) {
    if (!isLong && sum <= cellsBytesMax) break
    left.add(name)
    sum -= bytes
  }
  return left.size === 0 ? cells : Object.fromEntries(Object.entries(cells).filter(([name]) => !left.has(name)))
}
