/** Explains why a condition holds or not: its document with the outcome of each part. For people; slower than deciding. */
import { isScalar } from "./Operator.ts"
import type { Clause, Condition } from "./Condition.ts"
import { affordable, bounded, isSpent, unpaid } from "./Budget.ts"
import { type Subject, clauseSteps } from "./Decision.ts"

/**
 * `invalid`: it cannot be evaluated, so the condition does not hold. `skipped`: the answer was already known. `hidden`:
 * the clause reads what the reader of the explanation may not view.
 */
type Outcome = "holds" | "fails" | "invalid" | "skipped" | "hidden"

/** The document of a clause or of several items, with its outcome. */
export interface Explanation extends ClauseValue {
  readonly outcome: Outcome
  readonly attr?: string
  readonly op?: string
  readonly value?: unknown
  readonly negate?: boolean
  readonly and?: ReadonlyArray<Explanation>
  readonly or?: ReadonlyArray<Explanation>
  /** Why the clause could not be evaluated. */
  readonly reason?: string
}

/** The value that the clause read, or those before and after. */
interface ClauseValue {
  readonly actual?: unknown
  readonly before?: unknown
  readonly after?: unknown
}

export const tooCostly = "Evaluating the condition takes too long: its patterns are too large for texts of this length."

/** Within the budget of one evaluation. */
export const explain = (condition: Condition, subject: Subject): Explanation =>
  bounded(() => explainItem(condition, subject))!

/**
 * The explanation for a reader who may see `shown` of the subject: a clause that reads something else shows neither
 * its value nor its outcome, and no skipped part reveals it.
 */
export const explainTo = (condition: Condition, subject: Subject, shown: Subject): Explanation =>
  bounded(() => explainItem(condition, shown, subject))!

/** `whole`: the subject as the condition sees it, where the reader of the explanation sees less. */
const explainItem = (condition: Condition, subject: Subject, whole?: Subject): Explanation => {
  if (condition.kind !== "clause") return explainItems(condition, subject, whole)
  return whole === undefined || readsTheSame(condition, subject, whole)
    ? explainClause(condition, subject)
    : { outcome: "hidden", ...documentOf(condition) }
}

const readsTheSame = (clause: Clause, one: Subject, other: Subject): boolean => {
  const { look } = clauseSteps(clause)
  const [read, also] = [one, other].map(
    (subject) =>
      foundIn(
        clause,
        unpaid(() => look(subject)),
        (value) => value
      ) ?? {}
  )
  return (["actual", "before", "after"] as const).every((side) => isSame(read![side], also![side]))
}

/** Parts that are the same in both subjects are one object (Masked.ts), except for lists that a lookup makes. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((item, at) => isSame(item, other[at])))

const explainItems = ({ kind, items }: Exclude<Condition, Clause>, subject: Subject, whole?: Subject): Explanation => {
  const decisive = kind === "any" ? "holds" : "fails"
  let outcome: Outcome = kind === "any" ? "fails" : "holds"
  let isKnown = false
  const explained = items.map((item) => {
    if (isKnown) return skipped(item)
    const each = explainItem(item, subject, whole)
    isKnown = each.outcome === "invalid" || each.outcome === decisive
    if (isKnown || each.outcome === "hidden") outcome = each.outcome
    return each
  })
  return { outcome, [kind === "any" ? "or" : "and"]: explained }
}

const skipped = (condition: Condition): Explanation =>
  condition.kind === "clause"
    ? { outcome: "skipped", ...documentOf(condition) }
    : { outcome: "skipped", [condition.kind === "any" ? "or" : "and"]: condition.items.map(skipped) }

const documentOf = ({ path, op, value, negate }: Clause) => ({
  attr: path.join("."),
  op,
  ...(value === undefined ? {} : { value }),
  ...(negate ? { negate } : {})
})

const explainClause = (clause: Clause, subject: Subject): Explanation => {
  const { look, decide } = clauseSteps(clause)
  // Read once: walking through a long list is most of the work.
  const read = affordable(() => look(subject))
  const holds = read === undefined ? undefined : affordable(() => decide(read))
  const found = foundIn(clause, read, (value) => shortened(value))
  const invalid = holds === undefined ? { reason: reasonOf(clause, subject, found) } : {}
  return {
    outcome: holds === undefined ? "invalid" : holds ? "holds" : "fails",
    ...documentOf(clause),
    ...found,
    ...invalid
  }
}

/** The value that a clause has read, as it is shown. */
const foundIn = ({ test }: Clause, read: unknown, show: (value: unknown) => unknown): ClauseValue | undefined => {
  if (read === undefined) return undefined
  if (!("between" in test)) return { actual: show(read) }
  const { before, after } = read as { readonly before: unknown; readonly after: unknown }
  return { before: show(before), after: show(after) }
}

const reasonOf = ({ path, op, test }: Clause, { snapshots }: Subject, found: ClauseValue | undefined): string => {
  const attribute = path.join(".")
  if (isSpent()) return tooCostly
  if (found !== undefined) return `'${op}' cannot compare what ${attribute} holds.`
  const inSnapshots = path[0] === "snapshots" || "between" in test
  if (inSnapshots && snapshots === undefined) return "There are no snapshots."
  return `There is no ${attribute}.`
}

/** How much of a value an explanation shows: characters of a text, items of a list or object, levels. */
const shown = { chars: 200, items: 10, levels: 2 }

const shortened = (value: unknown, levels = shown.levels): unknown => {
  if (typeof value === "string") return value.length > shown.chars ? `${value.slice(0, shown.chars)}…` : value
  if (isScalar(value)) return value
  if (levels === 0) return "…"
  const inner = (item: unknown) => shortened(item, levels - 1)
  if (Array.isArray(value)) {
    return value.length > shown.items ? [...value.slice(0, shown.items).map(inner), "…"] : value.map(inner)
  }
  const entries = firstEntries(value).map(([key, item]) => [key, inner(item)])
  return Object.fromEntries(entries)
}

/** Kept for each object: a thousand clauses may read the same one, and listing the names of a large object takes long. */
const knownEntries = new WeakMap<object, ReadonlyArray<readonly [key: string, value: unknown]>>()

const firstEntries = (value: object) => {
  const known = knownEntries.get(value)
  if (known !== undefined) return known
  const first = Object.entries(value).slice(0, shown.items)
  knownEntries.set(value, first)
  return first
}
