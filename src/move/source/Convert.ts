/** A row of NetBox to a row of ours. Pure. */
import { ExactNumber } from "../../postgres/ExactJson.ts"
import { type Field, isDictionary, textsIn } from "../../inventory/Field.ts"
import { namedMax } from "../../inventory/field/Reference.ts"
import { isDeeper, writtenNestingMax } from "../../inventory/Unreadable.ts"
import type { Catalogue } from "./Catalogue.ts"
import { type SelectedField, type Selection, homelessName } from "./Selection.ts"

export type SourceRow = Readonly<Record<string, unknown>> & { readonly id: number }

/** A value that is stored in another form than NetBox had it. */
interface ChangedValue {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

type Converted =
  | {
      readonly row: Readonly<Record<string, unknown>> & { readonly id: number }
      readonly changed: ReadonlyArray<ChangedValue>
      /** Values that no field has. */
      readonly homeless: Readonly<Record<string, unknown>>
    }
  | { readonly id: number; readonly refused: string }

interface Surroundings {
  readonly contentTypes: Catalogue["contentTypes"]
  /** Whether objects of this type can be named. */
  readonly isKnown: (type: string) => boolean
  /** When the move began: the time of rows that NetBox stores without one. */
  readonly began: string
}

/** Most bytes of a row, which the write-ahead log and an event of it must take. */
const rowCharsMax = 16 * 1024 * 1024

/** The row by field name, the fields among `later` left out; or why it cannot be stored. */
export const convert = (
  selection: Selection,
  source: SourceRow,
  around: Surroundings,
  later: ReadonlyArray<string> = []
): Converted => {
  const { id } = source
  if (!Number.isSafeInteger(id) || id < 1) return { id, refused: "The id is not between 1 and 2^53." }
  const row: Record<string, unknown> & { id: number } = { id }
  const changed: Array<ChangedValue> = []
  for (const field of selection.fields) {
    if (later.includes(field.name)) continue
    const from = source[field.name] ?? null
    const read = valueOf(selection.type.fields[field.name]!, field, from, around)
    if ("refused" in read) return { id, refused: `${field.name}: ${read.refused}` }
    row[field.name] = read.value
    if (read.isChanged === true) changed.push({ field: field.name, from, to: read.value })
  }
  for (const [name, field] of Object.entries(selection.type.fields)) {
    if (name in row || later.includes(name) || field.initial === undefined) continue
    row[name] = timeOf(field, around) ?? field.initial()
  }
  return { row, changed, homeless: meaningful(source[homelessName], selection.usual) }
}

/** Whether a row is too large; `json` is what is sent to Postgres. */
export const isTooLarge = (json: string): boolean => json.length > rowCharsMax

type Read = { readonly value: unknown; readonly isChanged?: boolean } | { readonly refused: string }

/** The time of a field that always has one. */
const timeOf = (field: Field, { began }: Surroundings): string | undefined =>
  field.type === "timestamptz" && !field.nullable ? began : undefined

const valueOf = (field: Field, { kind }: SelectedField, from: unknown, around: Surroundings): Read => {
  if (kind === "verbatim" || kind === "initial") return { value: from }
  if (from === null) return withoutValue(field, around)
  if (kind === "contentType") return contentTypeOf(from, around)
  if (kind === "contentTypes") return contentTypesOf(field, from, around)
  if (kind === "ids" || field.reference !== undefined) {
    return Array.isArray(from) && from.length > namedMax
      ? { refused: `Ensure this field has no more than ${namedMax} elements.` }
      : { value: from }
  }
  if (isDeeper(from, writtenNestingMax)) return { refused: `Nested more than ${writtenNestingMax} levels deep.` }
  return parsed(field, from)
}

const withoutValue = (field: Field, around: Surroundings): Read => {
  if (field.nullable) return { value: null }
  const value = timeOf(field, around) ?? field.initial?.()
  return value === undefined ? { refused: "This field has no value, but needs one." } : { value }
}

const contentTypeOf = (from: unknown, { contentTypes, isKnown }: Surroundings): Read => {
  const type = contentTypes.get(Number(from))
  if (type === undefined) return { refused: `There is no content type ${String(from)}.` }
  return isKnown(type) ? { value: type } : { refused: `Objects of type ${type} do not exist here.` }
}

/** Types that do not exist here are left out of a list. */
const contentTypesOf = (field: Field, from: unknown, { contentTypes, isKnown }: Surroundings): Read => {
  const named = (from as ReadonlyArray<number>).map((id) => contentTypes.get(id))
  const known = named.filter((type) => type !== undefined && isKnown(type))
  const read = parsed(field, known)
  return "refused" in read ? read : { ...read, isChanged: known.length < named.length }
}

const parsed = (field: Field, from: unknown): Read => {
  const input = from instanceof ExactNumber && field.type !== "jsonb" ? Number(`${from}`) : from
  const read = field.parse(input)
  if ("value" in read && read.value !== undefined) {
    return { value: read.value, isChanged: !isSame(field, input, read.value) }
  }
  if (from === "") {
    // Releases before 4.2 store no choice as the empty text, and 4.2 still does so in places.
    if (field.nullable) return { value: null }
    const value = field.initial?.()
    if (value !== undefined) return { value, isChanged: value !== "" }
  }
  return { refused: "errors" in read ? textsIn(read.errors).join(" ") : "This field may not be blank." }
}

/** Types whose values have several texts: Postgres reads all of them alike. */
const spelled = /^(?:inet|cidr|macaddr8?|timestamptz|date|uuid)$/

const isSame = (field: Field, from: unknown, to: unknown): boolean =>
  from === to ||
  spelled.test(field.type) ||
  (from === "" && to === null) ||
  (field.choices !== undefined && String(from) === to) ||
  JSON.stringify(from) === JSON.stringify(to)

/** The values that say something: no blank, no default of NetBox. */
const meaningful = (values: unknown, usual: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  if (!isDictionary(values)) return {}
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isBlank(value) && value !== usual[name]))
}

const isBlank = (value: unknown): boolean =>
  value === "" || value === false || value === null || JSON.stringify(value) === "{}" || JSON.stringify(value) === "[]"
