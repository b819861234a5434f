/**
 * match: whether a webhook subscribes to an event.
 *
 * Responsible for: the grammar and the meaning of condition documents, and finding the webhooks of an event.
 * Guarantees: pure; the work of one evaluation is bounded, whatever the document and the event. A clause that cannot be
 * evaluated (its attribute does not exist, its value cannot be compared) makes the whole condition not hold,
 * negated or not, and is distinguishable from a false one. Does not: read webhooks or write deliveries.
 *
 * Documents: `{"and": [item…]}`, `{"or": [item…]}`, or a clause. An item is a document again. A clause is
 * `{"attr": "status.value", "value": …, "op": "eq", "negate": false}`; a path walks through objects, and through a list
 * by taking the key of each of its items. It begins in the object's representation, with `snapshots.prechange.` or
 * `snapshots.postchange.` in its flat states, or with `context.` in what is known of the change: `username`, `event`,
 * `request.method`. `changed` and `unchanged` take no value: they compare the two states.
 */
import { effortMax } from "../pattern/Pattern.ts"
import { type ChangeOperator, type Comparison, kindOf, operatorOf, operators } from "./Operator.ts"

export type Condition = { readonly kind: "all" | "any"; readonly items: ReadonlyArray<Condition> } | Clause

export interface Clause {
  readonly kind: "clause"
  readonly path: ReadonlyArray<string>
  readonly op: string
  /** Undefined where the operator takes none. */
  readonly value: unknown
  readonly negate: boolean
  readonly test: ValueTest | ChangeTest
}

interface ValueTest {
  readonly compare: Comparison
}

interface ChangeTest {
  readonly between: ChangeOperator["between"]
}

/** The fault of a document, and its place: `and[1].op`. */
export class ConditionError extends Error {
  readonly path: string

  constructor(path: string, message: string) {
    super(path === "" ? message : `${path}: ${message}`)
    this.path = path
  }
}

/** Depth to which documents may nest. */
const depthMax = 32

/** Most items of a document in all. */
const itemsMax = 1000

/** Whether there is no condition: such a webhook wants every event. */
export const isEmpty = (document: unknown): boolean =>
  !document || (typeof document === "object" && Object.keys(document).length === 0)

/** Parses a document that is not empty; throws a ConditionError. */
export const parse = (document: unknown): Condition => {
  let items = 0
  let effort = 0
  /** Called before a value is compiled: a short text can be a long program. */
  const spend: Spend = (more, path) => {
    effort += more
    if (effort > effortMax) throw new ConditionError(path, "The patterns of the condition are too large.")
  }
  const item = (node: unknown, path: string, depth: number): Condition => {
    items += 1
    if (items > itemsMax) throw new ConditionError(path, `more than ${itemsMax} items`)
    if (depth > depthMax) throw new ConditionError(path, `nested deeper than ${depthMax}`)
    if (typeof node !== "object" || node === null || Array.isArray(node)) {
      throw new ConditionError(path, `Ruleset must be a dictionary, not ${nameOf(node)}.`)
    }
    const fields = node as Readonly<Record<string, unknown>>
    if ("attr" in fields || "value" in fields) return clause(fields, path, spend)
    const keys = Object.keys(fields)
    if (keys.length !== 1) {
      throw new ConditionError(path, `Ruleset must have exactly one logical operator (found ${keys.length})`)
    }
    const logic = keys[0]!
    const inner = fields[logic]
    if (logic !== "and" && logic !== "or") {
      throw new ConditionError(path, `Invalid logic type: ${logic} (must be 'and' or 'or')`)
    }
    const here = within(path, logic)
    if (!Array.isArray(inner)) throw new ConditionError(here, `Expected a list of conditions, not ${nameOf(inner)}.`)
    return {
      kind: logic === "and" ? "all" : "any",
      items: inner.map((each, at) => item(each, `${here}[${at}]`, depth + 1))
    }
  }
  return item(document, "", 1)
}

const clauseKeys = new Set(["attr", "value", "op", "negate"])

/** Copied from a body template, it would be looked up as it is, and found in no event. */
const isTemplate = /\{[{%]/

const within = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`)

type Spend = (effort: number, path: string) => void

const clause = (fields: Readonly<Record<string, unknown>>, place: string, spend: Spend): Clause => {
  const fail = (key: string, message: string) => new ConditionError(within(place, key), message)
  const { attr, value, op = "eq", negate = false } = fields
  const unknown = Object.keys(fields).find((key) => !clauseKeys.has(key))
  if (unknown !== undefined) throw fail(unknown, "A condition has the keys attr, value, op and negate, and no other.")
  if (typeof attr !== "string" || attr === "") throw fail("attr", "The path of an attribute is required.")
  if (isTemplate.test(attr)) {
    const instead = "snapshots.prechange.status, status.value or context.username."
    throw fail("attr", `An attribute is a path and no template, such as ${instead}`)
  }
  if (typeof negate !== "boolean") throw fail("negate", `Must be true or false, not ${nameOf(negate)}.`)
  const operator = typeof op === "string" ? operatorOf(op) : undefined
  if (typeof op !== "string" || operator === undefined) {
    const given = typeof op === "string" ? op : nameOf(op)
    throw fail("op", `Unknown operator: ${given}. Must be one of: ${Object.keys(operators).join(", ")}`)
  }
  const path = attr.split(".")
  const found = (test: Clause["test"]): Clause => ({ kind: "clause", path, op, value, negate, test })
  if ("between" in operator) {
    if ("value" in fields) {
      throw fail("value", `The '${op}' operator compares snapshots and does not accept a value.`)
    }
    if (path[0] === "snapshots") {
      const instead = "name the attribute without 'snapshots.prechange.' or 'snapshots.postchange.'."
      throw fail("attr", `The '${op}' operator resolves '${attr}' within each snapshot dict, ${instead}`)
    }
    if (path[0] === "context") throw fail("attr", `The '${op}' operator compares snapshots; '${attr}' is in neither.`)
    return found({ between: operator.between })
  }
  if (!("value" in fields)) throw fail("value", `A value is required for the '${op}' operator.`)
  const kind = kindOf(value)
  if (kind === undefined) throw fail("value", `Unsupported value type: ${nameOf(value)}`)
  if (isDeeper(value, depthMax)) throw fail("value", `nested deeper than ${depthMax}`)
  if (!operator.accepts.includes(kind)) throw fail("value", `Invalid type for ${op} operation: ${nameOf(value)}`)
  spend(operator.effort?.(value) ?? 0, within(place, "value"))
  try {
    return found({ compare: operator.compile(value) })
  } catch (error) {
    throw fail("value", `Invalid value for ${op}: ${(error as Error).message}`)
  }
}

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1)))

/** The type of a value in the words of NetBox's messages. */
const nameOf = (value: unknown): string => {
  const names = { null: "NoneType", list: "list", string: "str", boolean: "bool" } as const
  const kind = kindOf(value)
  if (kind === undefined) return "<class 'dict'>"
  return `<class '${kind === "number" ? (/[.e]/i.test(String(value)) ? "float" : "int") : names[kind]}'>`
}
