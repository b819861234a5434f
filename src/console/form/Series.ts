/**
 * Ranges in the names of a form that adds objects: `[ge,xe]-0/0/[1-48]` means 96 names, and the form adds one object
 * for each. Pure.
 */
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import type { Cells } from "./Cells.ts"

/** Most objects of one form, and most characters of the cells of all of them. */
export const seriesMax = 1000
const charsMax = 1 << 20

export type Series =
  | { readonly all: ReadonlyArray<Cells> }
  /** The name of the field that is wrong, and why. */
  | { readonly field: string; readonly message: string }

interface Ranged {
  /** Fields whose texts may have ranges, the name first; empty for types whose forms add one object. */
  readonly texts: ReadonlyArray<string>
  /** Fields with numbers that rise by one from object to object. */
  readonly numbers: ReadonlyArray<string>
}

/**
 * Forms add several objects of the types whose names are unique within another object that they belong to or must have:
 * components of a device, templates of a device type, devices of a site. Numbers are unique together with a reference,
 * such as the position at a rear port. A slug has no ranges.
 */
export const rangedOf = perType(({ fields, unique }): Ranged => {
  const hasSlug = Object.values(fields).some(({ format }) => format === "slug")
  const belongs = (name: string): boolean => {
    const { reference, initial } = fields[name] ?? {}
    if (reference === undefined || reference.many) return false
    return reference.onDelete === "cascade" || (initial === undefined && !hasSlug)
  }
  const together = unique.filter((each) => each.fields.some(belongs)).flatMap((each) => each.fields)
  if (!together.includes("name")) return { texts: [], numbers: [] }
  return {
    texts: ["name", "label"].filter((name) => Object.hasOwn(fields, name)),
    numbers: together.filter((name) => /int/.test(fields[name]!.type) && fields[name]!.reference === undefined)
  }
})

/** The cells of each object that the form adds: its texts are as many as its names, or one for all. */
export const seriesOf = (type: ObjectType, cells: Cells): Series => {
  const { texts: series, numbers } = rangedOf(type)
  const texts = new Map<string, ReadonlyArray<string>>()
  for (const field of series) {
    const names = namesIn(cells[field] ?? "")
    if (names === undefined) return { field, message: `Ranges may make ${seriesMax} names, and these make more.` }
    texts.set(field, names)
  }
  const [first = "", ...others] = series
  const length = texts.get(first)?.length ?? 1
  const wrong = others.find((field) => ![1, length].includes(texts.get(field)!.length))
  if (wrong !== undefined) {
    const found = texts.get(wrong)!.length
    return { field: wrong, message: `These are ${found} texts for ${length} objects. Give as many, or one for all.` }
  }
  if (length === 1) return { all: [cells] }
  const chars = Object.values(cells).reduce((sum, cell) => sum + cell.length, 0)
  if (chars * length > charsMax) {
    return {
      field: first,
      message: `The texts of the form are too long for ${length} objects. Add fewer, or shorter ones.`
    }
  }
  return {
    all: Array.from({ length }, (_, at) => ({
      ...cells,
      ...Object.fromEntries([...texts].map(([field, names]) => [field, names[names.length === 1 ? 0 : at]!])),
      ...Object.fromEntries(
        numbers.flatMap((field) => (isNumber(cells[field]) ? [[field, `${Number(cells[field]) + at}`]] : []))
      )
    }))
  }
}

const isNumber = (cell: string | undefined): boolean => /^\d{1,9}$/.test(cell ?? "")

/** The names that a text means; undefined if these are too many. Brackets without a range are a part of the name. */
export const namesIn = (text: string): ReadonlyArray<string> | undefined => {
  let names: ReadonlyArray<string> = [""]
  for (const [part, inside] of partsOf(text)) {
    const items = inside === undefined ? undefined : itemsOf(inside)
    if (items === "many") return undefined
    if (items !== undefined && names.length * items.length > seriesMax) return undefined
    names = names.flatMap((name) => (items ?? [part]).map((item) => name + item))
  }
  return names
}

/** Plain parts, and those in brackets with the text inside. */
const partsOf = (text: string): ReadonlyArray<readonly [part: string, inside: string | undefined]> =>
  Array.from(text.matchAll(/\[([^[\]]*)\]|[^[]+|\[/g), ([part, inside]) => [part, inside])

/** `1-3,a-c,x` -> `1 2 3 a b c x`; undefined if it is no list and no range. */
const itemsOf = (inside: string): ReadonlyArray<string> | "many" | undefined => {
  const pieces = inside.split(",")
  if (pieces.length === 1 && !/^\w+-\w+$/.test(inside)) return undefined
  const items: Array<string> = []
  for (const piece of pieces) {
    const ranged = rangeOf(piece)
    if (ranged === "many" || items.length + (ranged?.length ?? 1) > seriesMax) return "many"
    if (ranged === undefined && (piece === "" || piece.includes("-"))) return undefined
    items.push(...(ranged ?? [piece]))
  }
  return items
}

const rangeOf = (piece: string): ReadonlyArray<string> | "many" | undefined => {
  const [, low, high] =
    /^(\d{1,9})-(\d{1,9})$/.exec(piece) ?? /^([a-z])-([a-z])$/.exec(piece) ?? /^([A-Z])-([A-Z])$/.exec(piece) ?? []
  if (low === undefined || high === undefined) return undefined
  const isNumeric = /\d/.test(low)
  const [from, to] = isNumeric ? [Number(low), Number(high)] : [low.codePointAt(0)!, high.codePointAt(0)!]
  if (to < from) return undefined
  if (to - from >= seriesMax) return "many"
  // `01-10` keeps its digits.
  const width = low.startsWith("0") ? low.length : 0
  return Array.from({ length: to - from + 1 }, (_, at) =>
    isNumeric ? `${from + at}`.padStart(width, "0") : String.fromCodePoint(from + at)
  )
}
