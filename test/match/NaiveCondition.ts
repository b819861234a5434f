/**
 * The meaning of condition documents once more, as NetBox describes it and as slowly as one likes: no parsing, no
 * compiling, and the whole document fails by an exception where a clause that counts cannot be evaluated.
 */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

export interface ClauseDocument {
  readonly attr: string
  readonly value?: Json
  readonly op?: string
  readonly negate?: boolean
}

export type Document =
  | ClauseDocument
  | { readonly and: ReadonlyArray<Document> }
  | { readonly or: ReadonlyArray<Document> }

class Unanswerable extends Error {}

export interface Snapshots {
  readonly prechange: Json
  readonly postchange: Json
}

/** True, false, or undefined where the document cannot be evaluated. */
export const evaluate = (document: Document, data: Json, snapshots?: Snapshots): boolean | undefined => {
  try {
    return holds(document, data, snapshots)
  } catch (error) {
    if (error instanceof Unanswerable) return undefined
    throw error
  }
}

const holds = (document: Document, data: Json, snapshots: Snapshots | undefined): boolean => {
  if ("and" in document) return document.and.every((item) => holds(item, data, snapshots))
  if ("or" in document) return document.or.some((item) => holds(item, data, snapshots))
  const { op = "eq", negate = false } = document
  return answer(document, op, data, snapshots) !== negate
}

const answer = ({ attr, value }: ClauseDocument, op: string, data: Json, snapshots: Snapshots | undefined): boolean => {
  const path = attr.split(".")
  if (op === "changed" || op === "unchanged") {
    if (snapshots === undefined) throw new Unanswerable()
    const same =
      spelled(inSnapshot(path, "prechange", snapshots)) === spelled(inSnapshot(path, "postchange", snapshots))
    return same === (op === "unchanged")
  }
  const [root, side = "", ...rest] = path
  if (root !== "snapshots" || snapshots === undefined) return comparisons[op]!(path.reduce(step, data), value!)
  const isSide = side === "prechange" || side === "postchange"
  const actual =
    isSide && rest.length > 0 ? inSnapshot(rest, side, snapshots) : path.slice(1).reduce<Json>(step, { ...snapshots })
  try {
    return comparisons[op]!(actual, value!)
  } catch (error) {
    if (actual === null && error instanceof Unanswerable) return false
    throw error
  }
}

/** Null in a snapshot that is not there, if the other one knows the path. */
const inSnapshot = (path: ReadonlyArray<string>, side: keyof Snapshots, snapshots: Snapshots): Json => {
  const sides = Object.values(snapshots).filter((snapshot) => snapshot !== null)
  if (sides.length === 0) throw new Unanswerable()
  for (const each of sides) path.reduce<Json>(step, each as Json)
  return snapshots[side] === null ? null : path.reduce(step, snapshots[side])
}

const step = (node: Json, key: string, at: number): Json => {
  if (isList(node)) return node.map((item) => step(item, key, 1))
  // Behind a null, such as a reference to nothing, everything is null; but there must be something to begin with.
  if (node === null && at > 0) return null
  if (isObject(node) && Object.keys(node).includes(key)) return node[key]!
  throw new Unanswerable()
}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)
const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  value !== null && typeof value === "object" && !isList(value)

/** One text for all values that are equal in Python. */
const spelled = (value: Json): string => {
  if (typeof value === "boolean" || typeof value === "number") return `number ${value === false ? 0 : Number(value)}`
  if (isList(value)) return `list (${value.map(spelled).join(", ")})`
  if (isObject(value)) {
    const pairs = Object.keys(value).map((key) => `${JSON.stringify(key)}: ${spelled(value[key]!)}`)
    return `dict (${pairs.sort().join(", ")})`
  }
  return JSON.stringify(value)
}

const numberIn = (value: Json): number => {
  if (typeof value === "boolean" || typeof value === "number") return Number(value)
  throw new Unanswerable()
}

/** All addresses as texts of bits, with their family. */
const bitsIn = (text: string): readonly [family: string, bits: string, length: number] => {
  const [address = "", length] = text.split("/")
  const isV4 = address.includes(".")
  const groups = (part: string) => part.split(":").filter(Boolean)
  const [head = "", tail] = address.split("::")
  const zeros = Array<string>(8).fill("0")
  const words = tail === undefined ? groups(head) : [...groups(head), ...zeros, ...groups(tail)]
  const missing = words.length - 8
  const whole = missing > 0 ? [...groups(head), ...zeros.slice(missing), ...groups(tail!)] : words
  const bits = isV4
    ? address.split(".").map((part) => Number(part).toString(2).padStart(8, "0"))
    : whole.map((part) => Number.parseInt(part, 16).toString(2).padStart(16, "0"))
  const all = bits.join("")
  return [isV4 ? "4" : "6", all, length === undefined ? all.length : Number(length)]
}

const comparisons: Readonly<Record<string, (actual: Json, value: Json) => boolean>> = {
  eq: (actual, value) => spelled(actual) === spelled(value),
  gt: (actual, value) => numberIn(actual) > numberIn(value),
  gte: (actual, value) => numberIn(actual) >= numberIn(value),
  lt: (actual, value) => numberIn(actual) < numberIn(value),
  lte: (actual, value) => numberIn(actual) <= numberIn(value),
  in: (actual, value) => (value as ReadonlyArray<Json>).map(spelled).includes(spelled(actual)),
  contains: (actual, value) => {
    if (typeof actual === "string" && typeof value === "string") return actual.split(value).length > 1 || value === ""
    if (isList(actual)) return actual.map(spelled).includes(spelled(value))
    if (isObject(actual) && !isList(value)) return Object.keys(actual).some((key) => key === value)
    throw new Unanswerable()
  },
  regex: (actual, value) => {
    if (typeof actual !== "string") throw new Unanswerable()
    // From the start, and `$` also before a final line break, as in Python.
    return new RegExp(`^(?:${String(value).replaceAll("$", String.raw`(?=\n?$)`)})`).test(actual)
  },
  within: (actual, value) => {
    if (typeof actual !== "string" || !/[.:]/.test(actual)) throw new Unanswerable()
    const [family, bits, length] = bitsIn(actual)
    const isAddress = bits.slice(length).includes("1")
    return [value].flat().some((each) => {
      const [otherFamily, others, prefix] = bitsIn(String(each))
      const isLongEnough = isAddress || length >= prefix
      return family === otherFamily && isLongEnough && bits.slice(0, prefix) === others.slice(0, prefix)
    })
  }
}
