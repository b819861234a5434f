/**
 * Warnings about a condition that is well formed and never holds: it reads what no event has. Such a condition is not
 * refused, as in NetBox: a plugin or a later version may bring the field. Pure.
 */
import { type View, isDictionary } from "../../Field.ts"

/** Most warnings, and most pairs of a clause and an object type that are checked. */
const warningsMax = 20
const pairsMax = 2000

interface Clause {
  readonly place: string
  readonly attr: string
  readonly op: unknown
  readonly value: unknown
}

/** The clauses of a document of the grammar of conditions. */
function* clausesOf(document: unknown, place: string): Generator<Clause> {
  if (!isDictionary(document)) return
  const { attr, op = "eq", value } = document
  if (typeof attr === "string") return yield { place, attr, op, value }
  for (const logic of ["and", "or"]) {
    const items = document[logic]
    if (!Array.isArray(items)) continue
    for (const [at, item] of items.entries()) {
      yield* clausesOf(item, `${place === "" ? "" : `${place}.`}${logic}[${at}]`)
    }
  }
}

/** In words, by the place of each clause; none for a condition that is not valid. */
export const conditionWarnings = (
  types: ReadonlyArray<string>,
  document: unknown,
  { eventPath }: Pick<View, "eventPath">
): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  let pairs = 0
  for (const { place, attr, op, value } of clausesOf(document, "")) {
    pairs += types.length
    if (pairs > pairsMax || warnings.length >= warningsMax) break
    // An operator without a value compares the states before and after.
    const isChange = value === undefined
    const path = attr.split(".")
    const found = types.map((type) => [type, eventPath(type, path, isChange)] as const)
    const lacking = found.flatMap(([type, leads]) => (leads === undefined ? [type] : []))
    const at = place === "" ? "" : `${place}: `
    if (lacking.length > 0) warnings.push(`${at}${lackingText(attr, lacking, types, isChange)}`)
    if (lacking.length > 0 || isChange) continue
    const object = found.find(([, leads]) => isNeverEqual(leads, op, value))
    if (object !== undefined) warnings.push(`${at}${objectText(attr, value, object[1] === "objects")}`)
  }
  return warnings
}

/** Most object types that a warning names. */
const namedMax = 3

const lackingText = (
  attr: string,
  lacking: ReadonlyArray<string>,
  types: ReadonlyArray<string>,
  isChange: boolean
): string => {
  const more = lacking.length - namedMax
  const named = lacking.slice(0, namedMax).join(", ") + (more > 0 ? ` and ${more} more` : "")
  const where = isChange ? "the snapshots" : "events"
  const effect =
    lacking.length === types.length ? "the webhook does not fire where it is read" : "it does not fire for these"
  return `${where} of ${named} have no ${attr}, so ${effect}.`
}

const isNeverEqual = (leads: string | undefined, op: unknown, value: unknown): boolean => {
  if (leads !== "object" && leads !== "objects") return false
  if (op === "contains") return leads === "objects" && !isDictionary(value)
  if (op === "in") return Array.isArray(value) && value.length > 0 && value.every((each) => isPlain(each))
  return isPlain(value)
}

/** Null is no object, but what an object is where there is none. */
const isPlain = (value: unknown): boolean => value !== null && !isDictionary(value) && !Array.isArray(value)

const textOf = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`
}

const objectText = (attr: string, value: unknown, isList: boolean): string =>
  isList
    ? `${attr} is a list of objects in events, of which none equals ${textOf(value)}. Name a part of them, such as ${attr}.slug.`
    : `${attr} is an object in events, which ${textOf(value)} never equals. Name a part of it, such as ${attr}.value or ${attr}.slug.`
