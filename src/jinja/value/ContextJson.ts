/** Parses the context of a template from JSON. Unlike JavaScript's parser it keeps 1.0 and large integers exact. */
import { Dict, type JsonObject, type JsonValue } from "./Dict.ts"
import { Float } from "./Values.ts"

/**
 * Finds a number that JSON.parse alone would get wrong: an integral float (`1.0`, `1e3`), 16 characters or more, or `-0`.
 * It may also match inside a string, which only costs time.
 */
const needsCare = /(?:^|[:,[])\s*(?:-?(?:[\d.]{16}|\d+\.0*(?:[\s,\]}eE]|$)|\d+(?:\.\d+)?[eE])|-0[\s,\]}])/

/** TypeScript's type of a reviver lacks the third argument, the source. */
type Reviver = (this: unknown, key: string, value: unknown) => unknown

/** Whether a number's text means another number than JavaScript's. */
type IsRounded = (text: string, number: number) => boolean

const careful =
  (isRounded: IsRounded) =>
  (_key: string, value: JsonValue, { source }: { readonly source: string }): JsonValue => {
    if (typeof value !== "number") return value
    if (/[.eE]/.test(source)) return new Float(value, isRounded(source, value) ? source : undefined)
    return Number.isSafeInteger(value) ? value + 0 : BigInt(source)
  }

/** Parses JSON; throws a SyntaxError if it is invalid. */
const parse = (json: string, isRounded: IsRounded): JsonValue =>
  (needsCare.test(json) ? JSON.parse(json, careful(isRounded) as Reviver) : JSON.parse(json)) as JsonValue

/** Parses the JSON of an object. A float that is rounded keeps its digits as long as nobody computes with it. */
export const parseJsonObject = (json: string, isRounded: IsRounded = () => false): JsonObject => {
  const value = parse(json, isRounded)
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Float)) return value
  throw new SyntaxError("the context of a template must be a JSON object")
}

/** Parses the JSON of an object to a dict for templates. */
export const parseContext = (json: string): Dict => new Dict(parseJsonObject(json))
