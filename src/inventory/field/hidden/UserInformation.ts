/**
 * An address, or a template of one, and the user information in it: the text before `@` in `https://user:pass@host/`,
 * shown as `https://***@host/`. Pure.
 *
 * All of it is hidden, not the password alone: a token often takes the place of the user. A template that may make user
 * information in a way that cannot be seen before it is rendered (by statements, or by an expression that mentions `@`)
 * is hidden as a whole.
 */
import { type Hiding, hiddenMark } from "./Hiding.ts"
import { type Span, authorityIn, expressions } from "./Authority.ts"

const valueName = "user information"

/** Where the user information is; `whole` where that cannot be determined, undefined where there is none. */
const spanIn = (text: string): Span | "whole" | undefined => {
  if (!text.includes("@")) return undefined
  const span = authorityIn(text)
  if (span === undefined) return "whole"
  const authority = text.slice(span.from, span.to)
  if (authority.match(expressions)?.some((expression) => expression.includes("@"))) return "whole"
  const at = authority.replaceAll(expressions, (expression) => " ".repeat(expression.length)).lastIndexOf("@")
  return at < 0 ? undefined : { from: span.from, to: span.from + at }
}

const hide: Hiding["hide"] = (text) => {
  const span = spanIn(text)
  if (span === undefined) return { shown: text, hidden: [] }
  if (span === "whole") return { shown: hiddenMark, hidden: [["", text]] }
  const value = text.slice(span.from, span.to)
  if (value === hiddenMark) return { shown: text, hidden: [] }
  return { shown: `${text.slice(0, span.from)}${hiddenMark}${text.slice(span.to)}`, hidden: [[valueName, value]] }
}

const reveal: Hiding["reveal"] = (shown, hidden) => {
  const [name, value] = hidden[0] ?? []
  if (shown.trim() === hiddenMark) return name === "" && value !== undefined ? { text: value } : { missing: "" }
  const span = spanIn(shown)
  if (span === undefined || span === "whole" || shown.slice(span.from, span.to) !== hiddenMark) return { text: shown }
  if (name !== valueName) return { missing: valueName }
  return { text: `${shown.slice(0, span.from)}${value}${shown.slice(span.to)}` }
}

export const userInformation: Hiding = { hide, reveal, sign: "@" }
