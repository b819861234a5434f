/** A condition compiled to closures: whether it holds for an event, within a budget. */
import { bounded, pay } from "./Budget.ts"
import type { Clause, Condition } from "./Condition.ts"

/** The part of an event that a condition can read. */
export interface Subject {
  /** The object's representation. */
  readonly data: unknown
  /** Its flat state before and after; null where it did not exist. Absent if only the data is known. */
  readonly snapshots?: { readonly prechange: unknown; readonly postchange: unknown } | undefined
  /** Facts of the event beside the object (event/Event.ts), under `context.`. Absent if only the object is known. */
  readonly context?: unknown
}

/** True, false, or undefined if a decisive clause could not be evaluated or the budget was spent. */
export type Decision = (subject: Subject) => boolean | undefined

/** Compiles to closures. Evaluation goes from left to right and stops as soon as the answer is known. */
export const compile = (condition: Condition): Decision => {
  const decide = evaluation(condition)
  return (subject) => bounded(() => decide(subject))
}

/** The same without a budget of its own: the caller sets it. */
export const evaluation = (condition: Condition): Decision => {
  if (condition.kind === "clause") return clauseDecision(condition)
  const items = condition.items.map(evaluation)
  const decisive = condition.kind === "any"
  return (subject) => {
    for (const decide of items) {
      const holds = decide(subject)
      if (holds === undefined || holds === decisive) return holds
    }
    return !decisive
  }
}

/** One clause; the caller sets the budget. */
export const clauseDecision = (clause: Clause): Decision => {
  const { look, decide } = clauseSteps(clause)
  return (subject) => {
    const found = look(subject)
    return found === undefined ? undefined : decide(found)
  }
}

interface Sides {
  readonly before: unknown
  readonly after: unknown
}

/** The value that a clause reads, undefined if there is none; and whether the clause holds for it. */
export const clauseSteps = ({
  path,
  negate,
  test
}: Clause): { readonly look: (subject: Subject) => unknown; readonly decide: Decide } => {
  if ("between" in test) {
    const decide = (found: unknown) => test.between((found as Sides).before, (found as Sides).after) !== negate
    return { look: sidesOf(path), decide }
  }
  const { compare } = test
  const isSnapshot = path[0] === "snapshots"
  return {
    look: lookUp(path),
    decide: (actual) => {
      pay(1)
      // Null in a snapshot means that the object did not exist, and compares like any other value.
      const holds = compare(actual) ?? (isSnapshot && actual === null ? false : undefined)
      return holds === undefined ? undefined : holds !== negate
    }
  }
}

type Decide = (found: unknown) => boolean | undefined

/** Compiles the lookup of a path; it returns undefined if nothing is there. */
export const lookUp = (path: ReadonlyArray<string>): ((subject: Subject) => unknown) => {
  const [root, side, ...rest] = path
  if (root === "context" && path.length > 1) return ({ context }) => walk(context, path, 1)
  if (root !== "snapshots") return ({ data }) => walk(data, path, 0)
  return ({ data, snapshots }) => {
    if (snapshots === undefined) return walk(data, path, 0)
    if (rest.length === 0 || (side !== "prechange" && side !== "postchange")) return walk({ snapshots }, path, 0)
    const found = sidesOf(rest)({ data, snapshots })
    return side === "prechange" ? found?.before : found?.after
  }
}

/**
 * The values at a path in both snapshots. Where there is one snapshot only, the other's value is null; the one that
 * there is says whether the path exists.
 */
export const sidesOf =
  (path: ReadonlyArray<string>) =>
  ({ snapshots }: Subject): Sides | undefined => {
    const prechange = snapshots?.prechange ?? null
    const postchange = snapshots?.postchange ?? null
    if (prechange === null && postchange === null) return undefined
    const before = prechange === null ? null : walk(prechange, path, 0)
    const after = postchange === null ? null : walk(postchange, path, 0)
    return before === undefined || after === undefined ? undefined : { before, after }
  }

/** Returns the value at the path; null behind a null, such as an empty reference; undefined if there is no such name. */
const walk = (data: unknown, path: ReadonlyArray<string>, from: number): unknown => {
  let value = data
  for (let at = from; at < path.length; at++) {
    if (Array.isArray(value)) {
      pay(value.length)
      const items = value.map((item) => (item === null ? null : walk(item, path, at)))
      return items.includes(undefined) ? undefined : items
    }
    if (value === null && at > from) return null
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, path[at]!)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[path[at]!]
  }
  return value
}
