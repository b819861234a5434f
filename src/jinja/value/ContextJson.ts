/**
 * Reads the context of a template from JSON text, keeping what JavaScript's parser would lose: 1.0 and large integers.
 */
import { Dict, type JsonObject, type JsonValue } from "./Dict.ts"
import { Float } from "./Values.ts"

/**
 * Finds a number that JSON.parse alone would get wrong: an integral float (`1.0`, `1e3`), 16 digits or more, or `-0`.
 * May find one inside a string as well; that costs only time.
 */
const needsCare = /(?:^|[:,[])\s*-?(?:\d{16}|\d+\.0*(?:[\s,\]}eE]|$)|\d+(?:\.\d+)?[eE]|0[\s,\]}])/

/** TypeScript does not know yet that a reviver sees the source. */
type Reviver = (this: unknown, key: string, value: unknown) => unknown

const careful = (_key: string, value: JsonValue, { source }: { readonly source: string }): JsonValue => {
  if (typeof value !== "number") return value
  if (/[.eE]/.test(source)) return new Float(value)
  return Number.isSafeInteger(value) ? value + 0 : BigInt(source)
}

/** The JSON text; throws a SyntaxError for what is no JSON. */
const parse = (json: string): JsonValue =>
  (needsCare.test(json) ? JSON.parse(json, careful as Reviver) : JSON.parse(json)) as JsonValue

/** The JSON text of an object, as the parser gives it. */
export const parseJsonObject = (json: string): JsonObject => {
  const value = parse(json)
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Float)) return value
  throw new SyntaxError("the context of a template must be a JSON object")
}

/** The JSON text of an object, as a template sees it. */
export const parseContext = (json: string): Dict => new Dict(parseJsonObject(json))
