/** A custom field's definition and a value from the wire -> the value as it is kept, or what is wrong with it. Pure. */
import { type Pattern, PatternError, matchMax, patternOf } from "../../../Pattern.ts"
import { type Row, isDictionary, isStorable, printed } from "../../Field.ts"
import { isDay } from "../../field/Calendar.ts"
import { isJsonStorable, time } from "../../field/Scalar.ts"

/** Objects are named by their ids, or as they were given out; points in time as everywhere. */
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

/** What is wrong with a value, in NetBox's words. */
export const refusal = (
  definition: Row,
  value: unknown,
  existing: ReadonlyMap<string, ReadonlySet<number>>
): string | undefined => {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) {
    return definition["required"] === true ? "Required field cannot be empty." : undefined
  }
  const kind = String(definition["type"])
  const check = Object.hasOwn(checks, kind) ? checks[kind] : undefined
  return check?.(value, definition, existing.get(String(definition["object_type"])) ?? new Set())
}

type Check = (value: unknown, definition: Row, existing: ReadonlySet<number>) => string | undefined

const isText: Check = (value, { validation_regex: pattern }) => {
  if (typeof value !== "string" || !isStorable(value)) return "Value must be a string."
  if (typeof pattern !== "string" || pattern === "") return undefined
  const compiled = compiledPattern(pattern)
  if (compiled instanceof PatternError) return `The field's validation_regex cannot be used: ${compiled.message}.`
  const length = Math.floor(matchMax / compiled.size)
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

const inBounds = (value: number, { validation_minimum: least, validation_maximum: most }: Row): string | undefined => {
  if (typeof least === "number" && value < least) return `Value must be at least ${least}`
  return typeof most === "number" && value > most ? `Value must not exceed ${most}` : undefined
}

const isChoice = (value: unknown, { choices }: Row): string | undefined => {
  const known = choices as ReadonlyArray<string>
  return typeof value === "string" && known.includes(value)
    ? undefined
    : `Invalid choice (${printed(value)}). Available choices are: ${known.join(", ")}`
}

const isObject: Check = (value, _, existing) => {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return "Value must be an object ID, not a text."
  return existing.has(value) ? undefined : `Related object not found using the provided numeric ID: ${value}`
}

/** By type of custom field. */
const checks: Readonly<Record<string, Check>> = {
  text: isText,
  longtext: isText,
  url: isText,
  integer: (value, definition) =>
    Number.isSafeInteger(value) ? inBounds(Number(value), definition) : "Value must be an integer.",
  decimal: (value, definition) =>
    typeof value === "number" && Number.isFinite(value) ? inBounds(value, definition) : "Value must be a decimal.",
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
}
