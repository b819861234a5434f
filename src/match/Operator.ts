/**
 * Operators of conditions: which values each accepts in a document, how it compares, and its words. A new one is one
 * entry: verdicts, messages and the table in docs/webhooks.md take their words from it.
 *
 * Values compare as in Python, which NetBox users know: 1, 1.0 and true are equal, "1" and 1 are not.
 */
import { effortOf, patternOf } from "../pattern/Pattern.ts"
import { ExactNumber, comparable, compareNumbers, isNumber } from "../postgres/ExactJson.ts"
import { pay } from "./Budget.ts"
import { isWithin, networksIn } from "../inventory/derive/values/Within.ts"

/** True or false; undefined if the two cannot be compared this way. Pays for work that grows with them. */
export type Comparison = (actual: unknown) => boolean | undefined

type ValueKind = "string" | "boolean" | "number" | "list" | "null"

/** Compares an attribute with the clause's value, or its values before and after the change. */
type Operator = ValueOperator | ChangeOperator

interface Words {
  /** The requirement for the value, as a verdict shows it, and its negation: "equal to", "other than". */
  readonly wish: readonly [holds: string, negated: string]
  /** The rest of the sentence "It holds if the attribute …", for docs/webhooks.md. */
  readonly holdsIf: string
}

export interface ChangeOperator extends Words {
  /** Null where the object did not exist. */
  readonly between: (before: unknown, after: unknown) => boolean
}

interface ValueOperator extends Words {
  /** Kinds of value that a clause with this operator may hold. */
  readonly accepts: ReadonlyArray<ValueKind>
  /** Compiles the comparison with a clause's value; throws an Error with the reason if the value is invalid. */
  readonly compile: (value: unknown) => Comparison
  /** Upper bound of the work to compile the value (pattern/Pattern.ts), if it is a pattern. */
  readonly effort?: (value: unknown) => number
}

/** `holds`: of a difference that is negative where the attribute is the smaller one. */
const ordered = (holds: (difference: number) => boolean, ...wish: Words["wish"]): ValueOperator => ({
  wish,
  holdsIf: `is a number that is ${wish[0]} the value`,
  accepts: ["number"],
  compile: (value) => (actual) => {
    const number = typeof actual === "boolean" ? Number(actual) : actual
    return isNumber(number) ? holds(compareNumbers(number, value as number | ExactNumber)) : undefined
  }
})

/** Equality of JSON as Python sees it. */
export const equal = (a: unknown, b: unknown): boolean => {
  if (isScalar(a) || isScalar(b)) return scalar(a) === scalar(b)
  if (Array.isArray(a) || Array.isArray(b)) {
    if (Array.isArray(a)) pay(a.length)
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => equal(item, b[at]))
  }
  const left = Object.entries(a)
  pay(left.length * unitsPerEntry)
  return (
    left.length === Object.keys(b).length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && equal(value, (b as Readonly<Record<string, unknown>>)[key]))
  )
}

/** Listing the names of an object and searching for each in another takes longer than an item of a list. */
const unitsPerEntry = 8

/** Whether a value is no list and no object. */
export const isScalar = (value: unknown): value is undefined | null | string | boolean | number | ExactNumber =>
  typeof value !== "object" || value === null || value instanceof ExactNumber

/** Values that are no list and no object are equal where these are identical. */
export const scalar = (value: unknown): unknown => {
  if (value instanceof ExactNumber) return comparable(value)
  return typeof value === "boolean" ? Number(value) : value
}

export const operators: Readonly<Record<string, Operator>> = {
  eq: {
    wish: ["equal to", "other than"],
    holdsIf: "equals the value. It is the operator of a clause that names none.",
    accepts: ["string", "boolean", "number", "list", "null"],
    compile: (value) => (actual) => equal(actual, value)
  },
  gt: ordered((difference) => difference > 0, "greater than", "not greater than"),
  gte: ordered((difference) => difference >= 0, "at least", "less than"),
  lt: ordered((difference) => difference < 0, "less than", "at least"),
  lte: ordered((difference) => difference <= 0, "at most", "greater than"),
  in: {
    wish: ["one of", "none of"],
    holdsIf: "is one of the values",
    accepts: ["list"],
    compile: (value) => (actual) => {
      pay((value as ReadonlyArray<unknown>).length / perUnit.items)
      return (value as ReadonlyArray<unknown>).some((item) => equal(actual, item))
    }
  },
  contains: {
    wish: ["a value that contains", "a value that does not contain"],
    holdsIf: "is a list with the value, a text with that part, or an object with that key",
    accepts: ["string", "boolean", "number", "list"],
    compile: (value) => (actual) => contains(actual, value)
  },
  regex: {
    wish: ["a match of", "no match of"],
    holdsIf:
      "is a text that matches the regular expression from its beginning, as Python's `re.match`, without lookaround and backreferences",
    accepts: ["string"],
    effort: (value) => effortOf(value as string),
    compile: (value) => {
      const pattern = patternOf(value as string)
      return (actual) => {
        if (typeof actual !== "string") return undefined
        pay(pattern.costOf(actual))
        return pattern.startsIn(actual)
      }
    }
  },
  within: {
    wish: ["inside", "outside"],
    holdsIf:
      "is a prefix or an address inside the network of the value, or inside one of several: `10.0.0.0/8`. A text with bits behind its mask, `10.0.0.1/24`, is an address.",
    accepts: ["string", "list"],
    compile: (value) => {
      const networks = networksIn(value)
      return (actual) => {
        if (typeof actual !== "string") return undefined
        pay(1 + (actual.length + networks.length * charsPerNetwork) / perUnit.chars)
        return isWithin(actual, networks)
      }
    }
  },
  changed: {
    wish: ["changed", "unchanged"],
    holdsIf: "differs between the states before and after. It takes no value.",
    between: (before, after) => !equal(before, after)
  },
  unchanged: {
    wish: ["unchanged", "changed"],
    holdsIf: "is the same in the states before and after. It takes no value.",
    between: equal
  }
}

/** The operator of this name; undefined for a name of none. */
export const operatorOf = (name: string): Operator | undefined =>
  Object.hasOwn(operators, name) ? operators[name] : undefined

/** The kind of a value in a document; undefined for an object, which no operator takes. */
export const kindOf = (value: unknown): ValueKind | undefined => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "list"
  if (value instanceof ExactNumber) return "number"
  const type = typeof value
  return type === "string" || type === "boolean" || type === "number" ? type : undefined
}

/** Characters, and items of a list, that a search without a pattern reads for the cost of one unit. */
const perUnit = { chars: 16, items: 4 }

/** Comparing with a network takes as long as reading so many characters. */
const charsPerNetwork = 8

const contains = (actual: unknown, value: unknown): boolean | undefined => {
  if (typeof actual === "string") {
    pay(actual.length / perUnit.chars)
    return typeof value === "string" ? actual.includes(value) : undefined
  }
  if (Array.isArray(actual)) {
    pay(actual.length / perUnit.items)
    return actual.some((item) => equal(item, value))
  }
  // Python cannot hash a list, so it refuses to search for one in an object.
  if (isScalar(actual) || !isScalar(value)) return undefined
  return typeof value === "string" && Object.hasOwn(actual, value)
}
