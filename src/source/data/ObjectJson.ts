/**
 * Objects in answers of an API, as their JSON text: digits and order of keys stay as NetBox sent them. Pure, and
 * generators where the text may be long: no step between two yields takes long on the event loop (eventloop/Slices.ts).
 */
import { isDictionary } from "../../inventory/Field.ts"
import { nestingMax } from "../../inventory/Unreadable.ts"
import { endOfString, isNestedDeeper } from "../../postgres/JsonNesting.ts"
import { type AbsentObject, type FoundObject, absent } from "./FetchedObject.ts"

/** Longest object, characters: V8 parses so many hostile ones in some 30 ms. */
export const objectCharsMax = 256 * 1024

/** Longest page without its objects, characters. */
const envelopeCharsMax = 16 * 1024

/** Most objects that are taken from a page. */
const objectsMax = 1000

/** Characters between two yields of a scan. */
const sliceChars = 32 * 1024

/** An object with its id. */
interface ObjectInAnswer {
  readonly id: string
  readonly found: FoundObject
}

/** The object of a JSON text, or the reason why it is none; `place` begins the message. */
export function* objectIn(text: string, place: string): Generator<void, ObjectInAnswer | AbsentObject> {
  if (text.length > objectCharsMax)
    return absent("TooLarge", `${place} has an object of more than ${objectCharsMax / 1024} KB.`)
  if (isNestedDeeper(text, nestingMax))
    return absent("Malformed", `${place} is nested more than ${nestingMax} levels deep.`)
  yield
  const value = parsed(text)
  if (!isDictionary(value) || (typeof value["id"] !== "number" && typeof value["id"] !== "string"))
    return absent("Malformed", `${place} answers with no object of NetBox's API.`)
  yield
  const json = compact(text)
  if (json === undefined || hasUnstorable(json))
    return absent("Malformed", `${place} has a text or a number that no JSON column takes.`)
  const lastUpdated = value["last_updated"]
  const found = { _tag: "Found", json, lastUpdated: typeof lastUpdated === "string" ? lastUpdated : undefined } as const
  return { id: String(value["id"]), found }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Valid JSON without white space between its tokens; undefined if it has a number whose exponent Postgres refuses. */
const compact = (text: string): string | undefined => {
  let json = ""
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (isExponent(code) && isDigit(text.charCodeAt(at - 1)) && enormous.test(text.slice(at + 1, at + 6)))
      return undefined
    else if (code <= space) {
      json += text.slice(from, at)
      from = at + 1
    }
  }
  return from === 0 ? text : json + text.slice(from)
}

const [quote, space] = [34, 32]

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** `e` or `E`. */
const isExponent = (code: number): boolean => code === 69 || code === 101

const enormous = /^[-+]?\d{4}/

/** A zero byte, or half of a character, as an escape: Postgres refuses them once the text is read as `jsonb`. */
const zero = /(?<!\\)(?:\\\\)*\\u0000/
const surrogate = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/

const hasUnstorable = (json: string): boolean =>
  json.includes("\\u") && (zero.test(json) || (surrogate.test(json) && !isWellFormed(JSON.parse(json))))

const isWellFormed = (value: unknown): boolean => {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([name, each]) => name.isWellFormed() && isWellFormed(each))
}

/** A page of objects. */
interface Page {
  /** The JSON text of each object. */
  readonly objects: ReadonlyArray<string>
  /** Whether there are more objects than those of the page. */
  readonly hasMore: boolean
}

/** The page of a list; undefined if the text is none. Its objects are not checked. */
export function* pageIn(text: string): Generator<void, Page | undefined> {
  const spans = yield* resultsIn(text)
  if (spans === undefined) return undefined
  const envelope = text.slice(0, spans.begin) + text.slice(spans.end)
  if (envelope.length > envelopeCharsMax || isNestedDeeper(envelope, 10)) return undefined
  const value = parsed(envelope)
  if (!isDictionary(value) || !Array.isArray(value["results"])) return undefined
  return { objects: spans.objects, hasMore: value["next"] !== null && value["next"] !== undefined }
}

interface Results {
  /** Places behind the bracket that opens the list, and of the one that closes it. */
  readonly begin: number
  readonly end: number
  readonly objects: ReadonlyArray<string>
}

/** The texts of the objects in the list `results` of the outermost object. */
function* resultsIn(text: string): Generator<void, Results | undefined> {
  const objects: Array<string> = []
  let [depth, begin, from, sliceEnd] = [0, -1, 0, sliceChars]
  let lastText = ""
  for (let at = 0; at < text.length; at++) {
    if (at >= sliceEnd) {
      sliceEnd = at + sliceChars
      yield
    }
    const character = text[at]!
    if (character === '"') {
      const end = endOfString(text, at)
      if (depth === 1) lastText = text.slice(at, Math.min(end + 1, at + 20))
      at = end
    } else if (character === "{" || character === "[") {
      depth += 1
      if (begin < 0 && depth === 2 && character === "[" && lastText === '"results"') begin = at + 1
      else if (begin >= 0 && depth === 3) from = at
    } else if (character === "}" || character === "]") {
      if (begin >= 0 && depth === 3 && objects.length < objectsMax) objects.push(text.slice(from, at + 1))
      if (begin >= 0 && depth === 2) return { begin, end: at, objects }
      depth -= 1
    }
  }
  return undefined
}
