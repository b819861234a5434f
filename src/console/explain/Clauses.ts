/** The clauses of a condition with their outcomes and the values that they found. */
import { bareType } from "../../event/SourceType.ts"
import { kindOf } from "../../event/Kind.ts"
import type { Change } from "../../inventory/read/Changes.ts"
import { clauseText, clausesOf } from "../../match/ClauseWords.ts"
import type { Explanation } from "../../match/Explanation.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { beginning } from "../value/Value.ts"

/** Most clauses that are listed, and most characters of a value. */
const clausesMax = 50
const valueLengthMax = 120

const marks = {
  holds: ["ok", "check", "holds"],
  fails: ["no", "x", "fails"],
  invalid: ["no", "x", "cannot be evaluated"],
  skipped: ["unread", "minus", "not evaluated"],
  hidden: ["unread", "eye-off", "hidden"]
} as const

const line = (mark: keyof typeof marks, text: string, value: string): Html => {
  const [look, name, said] = marks[mark]
  return html`<li>
    <span class="${look}">${icon(name)}<span class="visually-hidden">${said}: </span></span>
    <span class="mono">${text}</span><span class="mono val">${value}</span>
  </li>`
}

/** Requirements of the webhook for every change, apart from its condition. */
export const wants = ({ changed_object_type: type, action }: Change): Html =>
  html`${line("holds", "object type", bareType(type))}${line("holds", "event", kindOf[action as keyof typeof kindOf])}`

/** The clauses of a webhook's condition. */
export const clauseList = ({ explanation }: { readonly explanation?: Explanation }): Html => {
  if (explanation === undefined) return html``
  const clauses = clausesOf(explanation)
  const rest = clauses.length - clausesMax
  return html`${clauses.slice(0, clausesMax).map((clause) => line(clause.outcome, clauseText(clause), found(clause)))}
  ${rest > 0 ? html`<li><span></span><span class="sub">And ${rest} more clauses.</span></li>` : ""}`
}

const found = ({ outcome, before, after, actual, reason }: Explanation): string => {
  if (outcome === "skipped") return "not evaluated"
  if (outcome === "hidden") return "you may not view it"
  if (reason !== undefined) return reason
  if (before !== undefined) return `${printed(before)} → ${printed(after)}`
  return printed(actual)
}

const printed = (value: unknown): string => beginning(JSON.stringify(value) ?? "nothing", valueLengthMax)
