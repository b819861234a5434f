/**
 * Header text -> headers: one `Name: Value` per line. For literal text when it is saved, and for rendered text: printed
 * values contain no line break (Batch.ts), so every line begins where the template's author began it.
 */
import { headerChars, lengthProblem } from "./Part.ts"
import { isHeaderName, isHeaderValue } from "../transport/HeaderSyntax.ts"

type Headers = { readonly headers: ReadonlyArray<readonly [name: string, value: string]> } | HeaderProblem

interface HeaderProblem {
  readonly error: string
  /** From 1. */
  readonly line: number
}

/** Skips blank lines, and trims names and values. */
export const splitHeaders = (text: string): Headers => {
  const tooLong = lengthProblem("headers", text.length)
  if (tooLong !== undefined) return { error: tooLong, line: 1 }
  const headers: Array<readonly [string, string]> = []
  for (const [at, line] of text.split(/\r\n|\n/).entries()) {
    if (line.trim() === "") continue
    const colon = line.indexOf(":")
    const name = line.slice(0, colon).trim()
    const value = line.slice(colon + 1).trim()
    const problem = colon < 0 ? `is not a header (expected "Name: Value")` : (nameProblem(name) ?? valueProblem(value))
    if (problem !== undefined) return { error: `Line ${at + 1} ${problem}.`, line: at + 1 }
    headers.push([name, value])
  }
  return { headers }
}

const nameProblem = (name: string): string | undefined => (isHeaderName(name) ? undefined : "has no valid header name")

const valueProblem = (value: string): string | undefined => {
  if (value.length > headerChars) return `is longer than ${headerChars.toLocaleString("en")} characters`
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) return "has a control character in its value"
  return isHeaderValue(value) ? undefined : "has a character in its value that HTTP cannot carry"
}
