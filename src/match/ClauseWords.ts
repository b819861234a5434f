/** The requirement of a clause and the value that it found, as sentences. Pure. */
import type { Explanation } from "./Explanation.ts"
import { operatorOf } from "./Operator.ts"

/** Most characters of a value in a sentence. */
const valueCharsMax = 120

const printed = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > valueCharsMax ? `${text.slice(0, valueCharsMax).toWellFormed()}…` : text
}

/** `status.value equal to "active"`; `site changed`. */
export const clauseText = ({ attr = "", op = "eq", value, negate = false }: Explanation): string => {
  const requirement = `${attr} ${wish(op, negate)}`
  return comparesStates(op) ? requirement : `${requirement} ${printed(value)}`
}

const wish = (op: string, negate: boolean): string => operatorOf(op)?.wish[negate ? 1 : 0] ?? op

/** Whether the operator compares the states before and after, and takes no value. */
const comparesStates = (op: string): boolean => "between" in (operatorOf(op) ?? {})

/** `status.value is "planned"; needs equal to "active"`: why a clause did not hold. */
export const missText = (clause: Explanation): string => {
  const { attr = "", op = "eq", value, negate = false, outcome, reason } = clause
  if (outcome === "hidden") return `${clauseText(clause)}: you may not view what it reads`
  if (reason !== undefined) return reason
  if (comparesStates(op)) {
    const same = printed(clause.before) === printed(clause.after)
    return same
      ? `${attr} did not change: it is ${printed(clause.after)}`
      : `${attr} changed from ${printed(clause.before)} to ${printed(clause.after)}`
  }
  const needs = op === "eq" && !negate ? printed(value) : `${wish(op, negate)} ${printed(value)}`
  return `${attr} is ${printed(clause.actual)}, needs ${needs}`
}

/** The clauses because of which a condition did not hold; of alternatives, the clauses of each. */
export const failingClauses = (explanation: Explanation): ReadonlyArray<Explanation> => {
  if (explanation.outcome === "holds" || explanation.outcome === "skipped") return []
  const { and, or } = explanation
  if (and === undefined && or === undefined) return [explanation]
  return (and ?? or ?? []).flatMap(failingClauses)
}

/** All clauses, in their order. */
export const clausesOf = (explanation: Explanation): ReadonlyArray<Explanation> => {
  const items = explanation.and ?? explanation.or
  return items === undefined ? [explanation] : items.flatMap(clausesOf)
}
