/**
 * Header text, and the credentials in it: `Name: Value` lines, whose values are shown as `***` where they are
 * recognized as credentials. Pure.
 *
 * A value is hidden from its first character to the end of its line, template expressions included, so that putting it
 * back gives the text to the letter. A text whose lines cannot be determined before it is rendered (statements,
 * expressions over several lines, a name made by an expression) is hidden as a whole if it mentions a credential.
 */

import { type Hiding, type HiddenText, type HiddenValues, hiddenMark } from "./Hiding.ts"

/** Names of headers that hold credentials. A signature is none: it is valid for one body. */
const secretName = /auth(?!ors?\b)|bearer|cookie|credential|jwt|key|passw|passphrase|pwd|secret|session|token/i

/** Names that match although they hold none. */
const harmlessNames: ReadonlySet<string> = new Set(["www-authenticate", "proxy-authenticate", "idempotency-key"])

/** Values that are credentials whatever their header is called. */
const secretValue = /^(basic|bearer|digest|negotiate|token|apikey)\s+\S/i

export const isSecretHeader = (name: string, value: string): boolean => isSecretName(name) || secretValue.test(value)

/** The names that were checked, since every request has the same ones. */
const known = new Map<string, boolean>()
const knownMax = 1000

const isSecretName = (name: string): boolean => {
  const found = known.get(name)
  if (found !== undefined) return found
  if (known.size >= knownMax) known.clear()
  const isSecret = secretName.test(name) && !harmlessNames.has(name.toLowerCase())
  known.set(name, isSecret)
  return isSecret
}

/** Hides texts that are recognized as credentials. */
const hideSecrets = (text: string): HiddenText => {
  if (text.trim() === hiddenMark) return { shown: text, hidden: [] }
  if (!hasPlainLines(text)) {
    const mentions = secretName.test(text) || text.split("\n").some((line) => secretValue.test(lineOf(line).value))
    return mentions ? { shown: hiddenMark, hidden: [["", text]] } : { shown: text, hidden: [] }
  }
  const hidden: Array<readonly [string, string]> = []
  const shown = text.split("\n").map((line) => {
    const { name, before, value, after } = lineOf(line)
    if (value === "" || value === hiddenMark || !isSecretHeader(name, value)) return line
    hidden.push([name.toLowerCase(), value])
    return `${before}${hiddenMark}${after}`
  })
  return { shown: shown.join("\n"), hidden }
}

/** The names of the values are those of their headers. */
const revealSecrets = (shown: string, hidden: HiddenValues): ReturnType<Hiding["reveal"]> => {
  const left = Map.groupBy(hidden, ([name]) => name).entries()
  const values = new Map(left.map(([name, pairs]) => [name, pairs.values()]))
  const take = (name: string): string | undefined => values.get(name)?.next().value?.[1]
  if (shown.trim() === hiddenMark) {
    const text = take("")
    return text === undefined ? { missing: "" } : { text }
  }
  const lines: Array<string> = []
  for (const line of shown.split("\n")) {
    const { name, before, value, after } = lineOf(line)
    const kept = value === hiddenMark ? take(name.toLowerCase()) : undefined
    // Under any other name `***` may be the value that the author wants to send.
    if (value === hiddenMark && kept === undefined && isSecretHeader(name, value)) return { missing: name }
    lines.push(kept === undefined ? line : `${before}${kept}${after}`)
  }
  return { text: lines.join("\n") }
}

export const headerSecrets: Hiding = { hide: hideSecrets, reveal: revealSecrets, sign: "" }

interface Line {
  readonly name: string
  /** Up to the value. */
  readonly before: string
  readonly value: string
  /** White space, and the first half of a line break. */
  readonly after: string
}

const lineOf = (line: string): Line => {
  const colon = line.indexOf(":")
  if (colon < 0) return { name: line.trim(), before: line, value: "", after: "" }
  const rest = line.slice(colon + 1)
  const value = rest.trim()
  const from = colon + 1 + rest.length - rest.trimStart().length
  return {
    name: line.slice(0, colon).trim(),
    before: line.slice(0, from),
    value,
    after: line.slice(from + value.length)
  }
}

/** Whether each line is a header, or will be one, by itself. */
const hasPlainLines = (text: string): boolean =>
  !/\{[%#]/.test(text) &&
  text.split("\n").every((line) => {
    const expression = line.indexOf("{{")
    const colon = line.indexOf(":")
    const isClosed = line.split("{{").length === line.split("}}").length
    return isClosed && (expression < 0 || (colon >= 0 && colon < expression))
  })
