import { type Field, type Options, invalid, literal, makeField, value } from "../Field.ts"

export const flag = (options: Options & { readonly default: boolean }): Field =>
  makeField(
    {
      type: "boolean",
      initial: () => options.default,
      sqlDefault: String(options.default),
      comparison: "exact",
      fromText: (text) => text === "t",
      parse: (input) => {
        if (input === true || input === 1 || /^(true|t|1|on|yes)$/i.test(String(input))) return value(true)
        if (input === false || input === 0 || /^(false|f|0|off|no)$/i.test(String(input))) return value(false)
        return invalid("Must be a valid boolean.")
      }
    },
    options
  )

interface IntegerOptions extends Options {
  readonly min?: number
  readonly max?: number
}

/** A whole number, or null where none is given. */
export const integer = (options: IntegerOptions = {}): Field =>
  makeField(
    {
      type: "bigint",
      nullable: options.optional === true,
      initial: options.optional === true ? () => null : undefined,
      comparison: "number",
      fromText: Number,
      parse: (input) => {
        const number = typeof input === "string" && input.trim() !== "" ? Number(input) : input
        if (typeof number !== "number" || !Number.isSafeInteger(number)) return invalid("A valid integer is required.")
        return inBounds(number, options)
      }
    },
    options
  )

interface DecimalOptions extends IntegerOptions {
  /** Most digits in all, and how many of them stand after the point. */
  readonly digits: number
  readonly places: number
}

/** A number with a fixed count of decimal places, or null where none is given. */
export const decimal = (options: DecimalOptions): Field =>
  makeField(
    {
      type: `numeric(${options.digits},${options.places})`,
      nullable: options.optional === true,
      initial: options.optional === true ? () => null : undefined,
      comparison: "number",
      fromText: Number,
      snapshot: (value) => (typeof value === "number" ? value.toFixed(options.places) : value),
      parse: (input) => {
        const number = typeof input === "string" && input.trim() !== "" ? Number(input) : input
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

const inBounds = (number: number, { min, max }: IntegerOptions) => {
  if (min !== undefined && number < min) return invalid(`Ensure this value is greater than or equal to ${min}.`)
  if (max !== undefined && number > max) return invalid(`Ensure this value is less than or equal to ${max}.`)
  return value(number)
}

const wrongTime =
  "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."

/**
 * A point in time; null where none is given, unless `now` fills it in. Canonical is ISO 8601 in UTC with the
 * microseconds that Postgres keeps: `2026-11-20T23:48:01.123456Z`.
 */
export const time = (options: Options & { readonly now?: boolean } = {}): Field =>
  makeField(
    {
      type: "timestamptz",
      nullable: options.now !== true,
      initial: () => null,
      sqlDefault: options.now === true ? "now()" : undefined,
      comparison: "number",
      fromJson: (value) => String(value).replace("+00:00", "Z"),
      fromText: (text) => `${text.replace(" ", "T").replace(/\+00$/, "")}Z`,
      parse: (input) => {
        if (typeof input !== "string") return invalid(wrongTime)
        const match =
          /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i.exec(
            input.trim()
          )
        if (match === null) return invalid(wrongTime)
        const [, day, minute, second = "00", fraction = "", zone = "Z"] = match
        const offset = /^z$/i.test(zone) ? "Z" : zone.length === 3 ? `${zone}:00` : zone
        const moment = `${day}T${minute}:${second}${offset}`
        if (Number.isNaN(Date.parse(moment))) return invalid(wrongTime)
        const utc = new Date(moment).toISOString().slice(0, 19)
        return value(fraction === "" ? `${utc}Z` : `${utc}.${fraction}Z`)
      }
    },
    options
  )

/** Any JSON, or null. */
export const json = (options: Options = {}): Field =>
  makeField(
    { type: "jsonb", nullable: true, initial: () => null, comparison: "none", fromText: JSON.parse, parse: value },
    options
  )

/** JSON whose text is kept to the letter. For records. */
export const jsonText = (options: Options = {}): Field =>
  makeField({ type: "json", comparison: "none", fromText: JSON.parse, parse: value }, options)

export const isUuid = (input: unknown): input is string =>
  typeof input === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(input)

export const uuid = (options: Options = {}): Field =>
  makeField(
    {
      type: "uuid",
      comparison: "exact",
      parse: (input) => (isUuid(input) ? value(input.toLowerCase()) : invalid("Must be a valid UUID."))
    },
    options
  )

interface ChoiceOptions extends Options {
  readonly default?: string
  /** On the wire the value alone, not `{value, label}`. */
  readonly bare?: boolean
}

/** One of a closed list, by value and label. Null where none is given and there is no default. */
export const choice = (choices: Readonly<Record<string, string>>, options: ChoiceOptions = {}): Field => {
  const nullable = options.optional === true && options.default === undefined
  return makeField(
    {
      type: "text",
      constraint: `$ in (${Object.keys(choices).map(literal).join(", ")})`,
      nullable,
      initial: options.default !== undefined || nullable ? () => options.default ?? null : undefined,
      sqlDefault: options.default === undefined ? undefined : literal(options.default),
      comparison: "choice",
      choices,
      represent: (chosen) =>
        options.bare === true || chosen === null ? chosen : { value: chosen, label: choices[String(chosen)] ?? "" },
      parse: (input) => {
        if (typeof input === "object") {
          return invalid(`Value must be passed directly (e.g. "foo": 123); do not use a dictionary or list.`)
        }
        if (input === "") return nullable ? value(null) : invalid("This field may not be blank.")
        const chosen = String(input)
        if (Object.hasOwn(choices, chosen)) return value(chosen)
        return invalid(
          options.bare === true ? `"${chosen}" is not a valid choice.` : `${chosen} is not a valid choice.`
        )
      }
    },
    options
  )
}
