/**
 * Stored values that cannot be decoded. The API and constraints (derive/table/Table.ts) refuse them, but a row older
 * than the constraints, or one that bypassed them, may still hold one.
 *
 * The API shows null in their place and writes an object only where the write replaces them. Capture sets
 * aside a change whose row holds one. Pure.
 */
import { parseStored } from "../postgres/ExactJson.ts"
import { isDictionary } from "./Field.ts"

/** Deepest nesting of a value: code that walks one is recursive, and so is Postgres' parser. */
export const nestingMax = 600

/**
 * Deepest nesting that a request may write, its body and a list of objects included: indentation makes a text of a deep
 * value that is longer by its depth. Plain SQL may have written deeper values.
 */
export const writtenNestingMax = 100

/** Largest value of one column, bytes: as large as the largest file that an import takes. */
export const valueBytesMax = 16 * 1024 * 1024

/** Takes the place of such a value in a row. */
export class Unreadable {
  /** Not a property, so that it is taken for no entry of a dictionary. */
  readonly #reason: string

  constructor(reason: string) {
    this.#reason = reason
  }

  get reason(): string {
    return this.#reason
  }

  /** Not null, which would mean something: that a webhook has no conditions, say. */
  toJSON(): unknown {
    return { unreadable: this.#reason }
  }
}

/** The value as it is shown. */
export const shownOf = (value: unknown): unknown => (value instanceof Unreadable ? null : value)

/** Returns the value, or the first entry of a dictionary, that cannot be read; undefined if all can. */
const unreadableIn = (value: unknown): Unreadable | undefined => {
  if (value instanceof Unreadable) return value
  if (!isDictionary(value)) return undefined
  for (const name in value) if (value[name] instanceof Unreadable) return value[name]
  return undefined
}

/** Whether a value is nested more than so many levels deep. */
export const isDeeper = (value: unknown, levels: number): boolean => {
  if (levels < 0) return true
  if (typeof value !== "object" || value === null) return false
  return (Array.isArray(value) ? value : Object.values(value)).some((each) => isDeeper(each, levels - 1))
}

const tooDeep = new Unreadable(`nested more than ${nestingMax} levels deep`)

/** JSON as Postgres gave it. */
export const readableJson = (value: unknown): unknown => (isDeeper(value, nestingMax) ? tooDeep : value)

/** JSON as the WAL carries it. */
export const parseJson = (text: string): unknown => readableJson(parseStored(text))

/** A whole number as the WAL carries it. */
export const parseInteger = (text: string): unknown => {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : new Unreadable(`${text} is beyond ${Number.MAX_SAFE_INTEGER}`)
}

/** Most objects in a list of references. */
const referencesMax = 100_000

/** Size of a stored value, bytes, up to which it cannot hold more than `valueBytesMax`: Postgres compresses by 255 at most. */
const storedBytesMax = valueBytesMax / 256

/** A condition on the size of a value's text, which need not be made of a value that is stored in few bytes. */
const shorter = (text: string) =>
  `(pg_column_size($) <= ${storedBytesMax} or octet_length(${text}) <= ${valueBytesMax})`

/** SQL conditions that keep such values out; `$` is the column. */
export const bounds = {
  json: `not jsonb_path_exists($, 'strict $.**{${nestingMax + 1}}') and ${shorter("($)::text")}`,
  text: `octet_length($) <= ${valueBytesMax}`,
  texts: shorter("array_to_string($, ',', 'null')"),
  integer: `$ between ${-Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
  integers: `array_position($, null) is null and cardinality($) <= ${referencesMax} and ${Number.MAX_SAFE_INTEGER} >= all($) and ${-Number.MAX_SAFE_INTEGER} <= all($)`
}

/** A write replaces the whole row, so it must replace values that cannot be read. */
export const unreadableErrors = (
  row: Readonly<Record<string, unknown>>
): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const found = unreadableIn(value)
      return found === undefined ? [] : [[name, [`The stored value is ${found.reason}: give another value.`]]]
    })
  )
