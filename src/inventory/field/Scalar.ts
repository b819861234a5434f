import { type Field, type Optional, type Options, invalid, makeField, value } from "../Field.ts"
import { parseExactly } from "../../postgres/ExactJson.ts"
import {
  bounds,
  isDeeper,
  nestingMax,
  parseInteger,
  parseJson,
  readableJson,
  shownOf,
  writtenNestingMax
} from "../Unreadable.ts"

/** The spellings of true and false that NetBox accepts. */
const truths: ReadonlySet<unknown> = new Set(["true", "t", "yes", "y", "on", "1"])
const untruths: ReadonlySet<unknown> = new Set(["false", "f", "no", "n", "off", "0"])

export const flag = (options: Options & { readonly default: boolean }): Field<boolean> =>
  makeField(
    {
      type: "boolean",
      initial: () => options.default,
      sqlDefault: String(options.default),
      fromText: (text) => text === "t",
      parse: (input) => {
        const word = typeof input === "string" || typeof input === "number" ? String(input).toLowerCase() : input
        if (word === true || truths.has(word)) return value(true)
        return word === false || untruths.has(word) ? value(false) : invalid("Must be a valid boolean.")
      }
    },
    options
  )

interface NumberOptions extends Options {
  readonly min?: number
  readonly max?: number
  readonly default?: number
}

/** Longest text of a number, characters; Django REST framework's. */
const numberMax = 1000

const isTooLong = (input: unknown): boolean => typeof input === "string" && input.length > numberMax

const isNullable = (options: NumberOptions): boolean => options.optional === true && options.default === undefined

/** The initial value of a number: its default, or null if it is optional. */
const unless = (options: NumberOptions) => ({
  nullable: isNullable(options),
  initial: options.optional === true || options.default !== undefined ? () => options.default ?? null : undefined,
  sqlDefault: options.default === undefined ? undefined : String(options.default)
})

/** A whole number, or null where none is given and there is no default. */
export const integer = <const O extends NumberOptions = NumberOptions>(
  options: O = {} as O
): Field<Optional<O, number>> =>
  makeField(
    {
      type: "bigint",
      constraint: bounds.integer,
      sparesOldRows: true,
      ...unless(options),
      fromText: parseInteger,
      represent: shownOf,
      snapshot: shownOf,
      parse: (input) => {
        if (isTooLong(input)) return invalid("String value too large.")
        const number = typeof input === "string" && /^\s*[-+]?\d+(\.0*)?\s*$/.test(input) ? Number(input) : input
        if (typeof number !== "number" || !Number.isSafeInteger(number)) return invalid("A valid integer is required.")
        return inBounds(number, options)
      }
    },
    options
  )

/**
 * A position in the write-ahead log with its epoch (event/Position.ts). It has 63 bits, more than a JSON number holds
 * exactly: it is never on the wire, and is read from the database as a text.
 */
export const position = ({ optional = false }: Pick<Options, "optional"> = {}): Field<Optional<Options, number>> => ({
  ...integer({ wire: "none", optional }),
  constraint: "$ >= 0"
})

interface DecimalOptions extends NumberOptions {
  /** Most digits in all, and how many of them are after the point. */
  readonly digits: number
  readonly places: number
}

const decimalPattern = /^\s*[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i

/** A number with a fixed count of decimal places, or null where none is given and there is no default. */
export const decimal = <const O extends DecimalOptions>(options: O): Field<Optional<O, number>> =>
  makeField(
    {
      type: `numeric(${options.digits},${options.places})`,
      ...unless(options),
      fromText: Number,
      snapshot: (value) => (typeof value === "number" ? value.toFixed(options.places) : value),
      parse: (input) => {
        if (isTooLong(input)) return invalid("String value too large.")
        if (typeof input === "string" && input.trim() === "" && isNullable(options)) return value(null)
        const number = typeof input === "string" && decimalPattern.test(input) ? Number(input) : input
        if (typeof number !== "number" || !Number.isFinite(number)) return invalid("A valid number is required.")
        if (Math.abs(number) >= 10 ** (options.digits - options.places)) {
          const whole = options.digits - options.places
          return invalid(`Ensure that there are no more than ${whole} digits before the decimal point.`)
        }
        if (Number(number.toFixed(options.places)) !== number) {
          return invalid(`Ensure that there are no more than ${options.places} decimal places.`)
        }
        return inBounds(number, options)
      }
    },
    options
  )

const inBounds = (number: number, { min, max }: NumberOptions) => {
  if (min !== undefined && number < min) return invalid(`Ensure this value is greater than or equal to ${min}.`)
  if (max !== undefined && number > max) return invalid(`Ensure this value is less than or equal to ${max}.`)
  return value(number)
}

const wrongTime =
  "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."

interface TimeOptions extends Options {
  readonly now?: boolean
}

/**
 * A point in time; null where none is given, unless `now` fills it in. Canonical is ISO 8601 in UTC with the
 * microseconds that Postgres keeps: `2026-11-20T23:48:01.123456Z`.
 */
export const time = <const O extends TimeOptions = TimeOptions>(
  options: O = {} as O
): Field<O extends { readonly now: true } ? string : string | null> =>
  makeField(
    {
      type: "timestamptz",
      placeholder: "2026-11-20T14:30:00Z",
      nullable: options.now !== true,
      initial: () => null,
      sqlDefault: options.now === true ? "now()" : undefined,
      fromJson: (value) => String(value).replace("+00:00", "Z"),
      fromText: (text) => `${text.replace(" ", "T").replace(/\+00$/, "")}Z`,
      parse: (input) => {
        const moment = typeof input === "string" ? momentOf(input) : undefined
        return moment === undefined ? invalid(wrongTime) : value(moment)
      }
    },
    options
  )

const timePattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** Longest text of a point in time, characters. */
const timeMax = 100

/** The canonical text of a point in time from the year 1 to 9999; undefined for what is none. */
const momentOf = (text: string): string | undefined => {
  if (text.length > timeMax) return undefined
  const match = timePattern.exec(text.trim())
  if (match === null) return undefined
  const [, day, minute, second = "00", fraction = "", zone = "Z"] = match
  const local = `${day}T${minute}:${second}`
  // A text that does not survive the round trip is no date: Date reads the 31st of February as the 3rd of March.
  if (!isDate(local)) return undefined
  const offset = /^z$/i.test(zone) ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`
  const millis = Date.parse(`${local}${offset}`)
  if (Number.isNaN(millis)) return undefined
  const utc = new Date(millis).toISOString()
  if (!/^(?!0000)\d{4}-/.test(utc)) return undefined
  const digits = fraction.replace(/0+$/, "")
  return digits === "" ? `${utc.slice(0, 19)}Z` : `${utc.slice(0, 19)}.${digits}Z`
}

const isDate = (local: string): boolean => {
  const millis = Date.parse(`${local}Z`)
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(local)
}

/** Any JSON that Postgres can keep, or null unless it is required. */
export const json = (options: Options & { readonly required?: boolean } = {}): Field =>
  makeField(
    {
      type: "jsonb",
      constraint: bounds.json,
      sparesOldRows: true,
      nullable: options.required !== true,
      initial: options.required === true ? undefined : () => null,
      fromText: parseJson,
      fromJson: readableJson,
      represent: shownOf,
      snapshot: shownOf,
      parse: (input) => {
        // Behind a body and a list.
        const levels = writtenNestingMax - 2
        if (isDeeper(input, levels)) return invalid(`Value must not be nested more than ${levels} levels deep.`)
        return isJsonStorable(input) ? value(input) : invalid("Value must be valid JSON.")
      }
    },
    options
  )

/** Whether all texts in a JSON value are storable; false if it is nested too deep to be written. */
export const isJsonStorable = (input: unknown): boolean => {
  try {
    // JSON.stringify writes a zero byte and a half character as escapes, and no whole character.
    return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(JSON.stringify(input))
  } catch {
    return false
  }
}

/** Levels that an event puts around the values of an object. */
const envelopeLevels = 10

/** JSON whose text is stored unchanged. For records. */
export const jsonText = (options: Options = {}): Field =>
  makeField(
    {
      type: "json",
      fromText: parseExactly,
      fromJson: (json) => (isDeeper(json, nestingMax + envelopeLevels) ? null : json),
      parse: value
    },
    options
  )

export const isUuid = (input: unknown): input is string =>
  typeof input === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(input)

export const uuid = (options: Options = {}): Field<string> =>
  makeField(
    {
      type: "uuid",
      parse: (input) => (isUuid(input) ? value(input.toLowerCase()) : invalid("Must be a valid UUID."))
    },
    options
  )
