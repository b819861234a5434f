import { type Field, type Options, type ParseResult, invalid, isExact, isStorable, makeField, value } from "../Field.ts"
import { literal } from "../../postgres/Literal.ts"
import { bounds } from "../Unreadable.ts"

interface TextOptions extends Options {
  readonly format?: Field["format"]
  /** Most characters. */
  readonly max?: number
  readonly default?: string
  /** Keeps white space at both ends, for texts in which it means something. */
  readonly verbatim?: boolean
  /** Stores capital letters as small ones. */
  readonly lowered?: boolean
  readonly nullable?: boolean
}

/** The value of a text field with these options. */
type TextOf<O> = O extends { readonly nullable: true } ? string | null : string

interface PatternOptions extends TextOptions {
  /** The pattern that a text must match unless it is blank, and the message if it does not. */
  readonly pattern?: RegExp
  readonly refusal?: string
}

/** A text. Required and not blank, unless optional: then it is "" where none is given, or null. */
export const text = <const O extends PatternOptions = PatternOptions>(options: O = {} as O): Field<TextOf<O>> =>
  textField(options, (text) =>
    text === "" || options.pattern === undefined || options.pattern.test(text) ? undefined : options.refusal
  )

const slugHelp = "A name for addresses and filters: letters, numbers, underscores and hyphens."

/** A text of letters, numbers, underscores and hyphens for use in URLs. */
export const slug = (options: TextOptions = {}): Field<string> =>
  textField({ max: 100, format: "slug", help: slugHelp, ...options }, (text) =>
    /^[-a-zA-Z0-9_]+$/.test(text)
      ? undefined
      : `Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`
  )

/** Six hexadecimal digits. */
export const color = (options: TextOptions = {}): Field<string> =>
  textField(
    {
      max: 6,
      format: "color",
      placeholder: "9e9e9e",
      help: "Red, green and blue as six hexadecimal digits.",
      ...options
    },
    (text) => (text === "" || /^[0-9a-f]{6}$/.test(text) ? undefined : "Enter a valid hexadecimal RGB color code.")
  )

export const email = (options: TextOptions = {}): Field<string> =>
  textField({ max: 254, format: "email", placeholder: "name@example.com", ...options }, (text) =>
    text === "" || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? undefined : "Enter a valid email address."
  )

/** Characters that a parser of addresses drops silently. */
export const lineBreak = /[\t\n\r]/

/** An address on the web. */
export const url = (options: TextOptions = {}): Field<string> =>
  textField({ max: 200, format: "url", placeholder: "https://example.com/", ...options }, (text) =>
    text === "" || (/^(https?|ftps?):\/\/[^\s/]/i.test(text) && !lineBreak.test(text) && URL.canParse(text))
      ? undefined
      : "Enter a valid URL."
  )

/** Names of time zones as IANA writes them, by their lower case. */
const zones: ReadonlyMap<string, string> = new Map(
  Intl.supportedValuesOf("timeZone").map((name) => [name.toLowerCase(), name])
)

/** The name of a time zone; undefined for none. Older names, which Intl does not list, stay as they are written. */
const zoneNamed = (text: string): string | undefined => {
  const listed = zones.get(text.toLowerCase())
  if (listed !== undefined || !/^[a-z][\w+/-]*$/i.test(text)) return listed
  try {
    return Intl.DateTimeFormat("en", { timeZone: text }) instanceof Intl.DateTimeFormat ? text : undefined
  } catch {
    return undefined
  }
}

/** The name of a time zone, `Europe/Berlin`; null where none is given. */
export const timeZone = (): Field<string | null> => {
  const field = text({ max: 63, nullable: true, placeholder: "Europe/Berlin" })
  return {
    ...field,
    parse: (input) => {
      const parsed = field.parse(input)
      if ("errors" in parsed || parsed.value === null) return parsed
      const zone = zoneNamed(String(parsed.value))
      return zone === undefined ? invalid("A valid timezone is required.") : value(zone)
    }
  }
}

const textField = <Value>(options: TextOptions, refuse: (text: string) => string | undefined): Field<Value> => {
  const optional = options.optional === true || options.default !== undefined || options.nullable === true
  const initial = options.nullable === true ? null : optional ? (options.default ?? "") : undefined
  const max = options.max
  return makeField(
    {
      type: "text",
      maxLength: max,
      format: options.format,
      constraint: max === undefined ? bounds.text : `char_length($) <= ${max}`,
      sparesOldRows: max === undefined,
      nullable: options.nullable === true,
      initial: initial === undefined ? undefined : () => initial,
      sqlDefault: typeof initial === "string" ? literal(initial) : undefined,
      parse: (input): ParseResult => {
        if (typeof input !== "string" && typeof input !== "number") return invalid("Not a valid string.")
        if (typeof input === "number" && !isExact(input)) {
          return invalid("Not a valid string: write a number of so many digits in quotes.")
        }
        const given = options.verbatim === true ? String(input) : String(input).trim()
        const text = options.lowered === true ? given.toLowerCase() : given
        if (text === "" && options.nullable === true) return value(null)
        if (text === "" && !(optional && options.default === undefined)) return invalid("This field may not be blank.")
        if (text.includes("\0")) return invalid("Null characters are not allowed.")
        if (!isStorable(text)) return invalid("Not a valid string.")
        if (max !== undefined && text.length > max && [...text].length > max) {
          return invalid(`Ensure this field has no more than ${max} characters.`)
        }
        const refusal = refuse(text)
        return refusal === undefined ? value(text) : invalid(refusal)
      }
    },
    options
  )
}
