/** A custom field's definition and a value from the wire -> the value as it is kept, or what is wrong with it. Pure. */
import { type Pattern, matchMax, patternOf } from "../../../pattern/Pattern.ts"
import { PatternError } from "../../../pattern/PatternError.ts"
import { type ExactNumber, compareNumbers, isNumber } from "../../../postgres/ExactJson.ts"
import { isDictionary, isStorable, printed } from "../../Field.ts"
import { isDay } from "../../field/Calendar.ts"
import { isJsonStorable, time } from "../../field/Scalar.ts"

/** The rules of a custom field for a value. */
interface Rules {
  readonly required: boolean
  readonly validation_regex: string
  readonly validation_minimum: number | ExactNumber | null
  readonly validation_maximum: number | ExactNumber | null
  readonly choices: ReadonlyArray<string>
}

interface Definition extends Rules {
  readonly type: keyof typeof checks
  readonly object_type: string | null
}

/** Canonical form of a value: objects by id (also from their representation), points in time in UTC. */
export const canonical = (kind: unknown, value: unknown): unknown => {
  if (kind === "object") return isDictionary(value) && "id" in value ? value["id"] : value
  if (kind === "multiobject" && Array.isArray(value)) return value.map((each) => canonical("object", each))
  if (kind === "datetime" && value !== null) {
    const parsed = moment.parse(value)
    return "value" in parsed ? parsed.value : value
  }
  return value === "" && kind !== "text" && kind !== "longtext" ? null : value
}

const moment = time()

/** Why a value is refused, in NetBox's words; undefined if it is valid. */
export const refusal = (
  definition: Definition,
  value: unknown,
  existing: ReadonlyMap<string, ReadonlySet<number>>
): string | undefined => {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) {
    return definition.required ? "Required field cannot be empty." : undefined
  }
  return checks[definition.type](value, definition, existing.get(definition.object_type ?? "") ?? new Set())
}

type Check = (value: unknown, rules: Rules, existing: ReadonlySet<number>) => string | undefined

const isText: Check = (value, { validation_regex: pattern }) => {
  if (typeof value !== "string" || !isStorable(value)) return "Value must be a string."
  if (pattern === "") return undefined
  const compiled = compiledPattern(pattern)
  if (compiled instanceof PatternError) return `The field's validation_regex cannot be used: ${compiled.message}.`
  const length = Math.floor((matchMax * value.length) / Math.max(compiled.costOf(value), 1))
  if (value.length > length) return `Value must have at most ${length} characters to be matched with '${pattern}'.`
  return compiled.isIn(value) ? undefined : `Value must match regex '${pattern}'`
}

export const compiledPattern = (pattern: string): Pattern | PatternError => {
  try {
    return patternOf(pattern)
  } catch (error) {
    if (error instanceof PatternError) return error
    throw error
  }
}

const inBounds = (
  value: number | ExactNumber,
  { validation_minimum: least, validation_maximum: most }: Rules
): string | undefined => {
  if (least !== null && compareNumbers(value, least) < 0) return `Value must be at least ${least}`
  return most !== null && compareNumbers(value, most) > 0 ? `Value must not exceed ${most}` : undefined
}

const isChoice = (value: unknown, { choices }: Rules): string | undefined =>
  typeof value === "string" && choices.includes(value)
    ? undefined
    : `Invalid choice (${printed(value)}). Available choices are: ${choices.join(", ")}`

const isObject: Check = (value, _, existing) => {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return "Value must be an object ID, not a text."
  return existing.has(value) ? undefined : `Related object not found using the provided numeric ID: ${value}`
}

/** By type of custom field. */
const checks = {
  text: isText,
  longtext: isText,
  url: isText,
  integer: (value, definition) =>
    Number.isSafeInteger(value) ? inBounds(Number(value), definition) : "Value must be an integer.",
  decimal: (value, definition) => (isNumber(value) ? inBounds(value, definition) : "Value must be a decimal."),
  boolean: (value) => (typeof value === "boolean" ? undefined : "Value must be true or false."),
  date: (value) => (isDay(value) ? undefined : "Date values must be in ISO 8601 format (YYYY-MM-DD)."),
  datetime: (value) =>
    "value" in moment.parse(value)
      ? undefined
      : "Date and time values must be in ISO 8601 format (YYYY-MM-DDTHH:MM:SS).",
  json: (value) => (isJsonStorable(value) ? undefined : "Value must be valid JSON."),
  select: isChoice,
  multiselect: (value, definition) =>
    Array.isArray(value)
      ? value.map((each) => isChoice(each, definition)).find((each) => each !== undefined)
      : "Value must be a list of choices.",
  object: isObject,
  multiobject: (value, definition, existing) =>
    Array.isArray(value)
      ? value.map((each) => isObject(each, definition, existing)).find((each) => each !== undefined)
      : "Value must be a list of object IDs."
} satisfies Readonly<Record<string, Check>>
