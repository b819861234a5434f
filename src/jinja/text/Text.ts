/** Python's str on JavaScript strings: lengths, positions and order count code points, not UTF-16 units. */
import { typeFault } from "../runtime/Fault.ts"
import type { Budget } from "../runtime/Limits.ts"
import { isInteger } from "../value/Values.ts"
import type { Value } from "../value/Value.ts"

const surrogate = /[\ud800-\udfff]/

/** Whether positions in UTF-16 units and in code points may differ. */
const isAstral = (text: string): boolean => surrogate.test(text)

/** Memory for each character in a list of a text's characters. */
export const characterChars = 8

/** The characters, as Python iterates them. The caller charges `characterChars` for each. */
export const characters = (text: string): Array<string> => (isAstral(text) ? Array.from(text) : text.split(""))

/** `len(text)` */
export const lengthOf = (text: string): number => {
  if (!isAstral(text)) return text.length
  let pairs = 0
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      pairs++
      i++
    }
  }
  return text.length - pairs
}

/** Offset in UTF-16 units of the character at the position; the end of the text if there is none. */
const offsetOf = (text: string, position: number): number => {
  let offset = 0
  for (let left = position; left > 0 && offset < text.length; left--) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
  }
  return offset
}

/** `text[from:to]`, for positions that are not negative. */
export const sliceText = (text: string, from: number, to: number): string => {
  if (to <= from) return ""
  if (!isAstral(text)) return text.slice(from, to)
  const start = offsetOf(text, from)
  return text.slice(start, start + offsetOf(text.slice(start), to - from))
}

/** The first `count` characters. */
export const headOf = (text: string, count: number): string => sliceText(text, 0, count)

/** The character at the position; undefined if there is none. */
export const characterAt = (text: string, position: number): string | undefined => {
  const at = position < 0 ? position + lengthOf(text) : position
  const character = at < 0 ? "" : sliceText(text, at, at + 1)
  return character === "" ? undefined : character
}

/** Negative if `a` comes first, positive if `b` does, zero if they are equal. */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0
  if (!isAstral(a) && !isAstral(b)) return a < b ? -1 : 1
  let i = 0
  while (i < a.length && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) i++
  // Back to the start of a surrogate pair if only the second units differ.
  if (i > 0 && (a.charCodeAt(i - 1) & 0xfc00) === 0xd800) i--
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1)
}

/** A search for a longer needle may cost the needle's length at each position. */
const longNeedle = 32

/** Position of the needle in UTF-16 units, or -1. Charges for the text that was searched. */
export const find = (budget: Budget, hay: string, needle: string, from = 0): number => {
  if (needle.length > longNeedle) {
    budget.tick(Math.ceil((Math.max(0, hay.length - from - needle.length) * needle.length) / 256))
  }
  const found = hay.indexOf(needle, from)
  budget.tick(1 + (((found < 0 ? hay.length : found) - from) >> 6))
  return found
}

/** White space of `str.isspace` and `str.split`. JavaScript's `\s` lacks some of its control codes. */
export const whitespace =
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

const spaces: ReadonlySet<number> = new Set(Array.from(whitespace, (unit) => unit.charCodeAt(0)))

/** Whether the UTF-16 unit at the position is white space; false after the end. */
export const isSpaceAt = (text: string, at: number): boolean => spaces.has(text.charCodeAt(at))

/** Whether the text is empty or only white space. */
export const isBlank = (text: string): boolean => strip(text, undefined, true, false) === ""

/** The code point of a character. */
export const codePoint = (character: string): number => character.codePointAt(0) ?? 0

/** `text.strip(chars)` on the given sides; strips white space if `chars` is undefined. */
export const strip = (text: string, chars: string | undefined, left: boolean, right: boolean): string => {
  if (chars !== undefined && isAstral(chars + text)) return stripCharacters(text, new Set(chars), left, right)
  const set = chars === undefined ? whitespace : chars.length > 16 ? new Set(chars) : chars
  const strips = typeof set === "string" ? (unit: string) => set.includes(unit) : (unit: string) => set.has(unit)
  let start = 0
  let end = text.length
  if (left) while (start < end && strips(text.charAt(start))) start++
  if (right) while (end > start && strips(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

const stripCharacters = (text: string, set: ReadonlySet<string>, left: boolean, right: boolean): string => {
  const all = Array.from(text)
  let start = 0
  let end = all.length
  if (left) while (start < end && set.has(all[start]!)) start++
  if (right) while (end > start && set.has(all[end - 1]!)) end--
  return all.slice(start, end).join("")
}

/** `text.split()`: the runs between white space. */
export const words = (text: string): Array<string> => text.split(spaceRun).filter((word) => word !== "")

const spaceRun = new RegExp(`[${whitespace}]+`)

/** Line ends of `str.splitlines`. */
const lineBreaks = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
const lineEnd = new RegExp(`\r\n|[${lineBreaks}]`)

/** `text.splitlines()` */
export const linesOf = (text: string): Array<string> => {
  const lines = text.split(lineEnd)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** `text.splitlines(keepends=True)` */
export const linesWithEnds = (text: string): Array<string> => {
  const parts = text.split(new RegExp(`(${lineEnd.source})`))
  const lines: Array<string> = []
  for (let i = 0; i < parts.length; i += 2) {
    const line = `${parts[i] ?? ""}${parts[i + 1] ?? ""}`
    if (line !== "") lines.push(line)
  }
  return lines
}

const decimalDigit = /^\p{Nd}$/u

/** The text with the decimal digits of all scripts converted to ASCII, as `int()` and `float()` read them. */
export const asciiDigits = (text: string): string =>
  text.replace(/[^\0-\x7f]/gu, (character) => {
    if (!decimalDigit.test(character)) return character
    // In Unicode, digits are in runs of ten, from zero up.
    const code = codePoint(character)
    let before = 0
    while (decimalDigit.test(String.fromCodePoint(code - before - 1))) before++
    return String(before % 10)
  })

/** Start, end and step of `sequence[start:stop:step]`, clipped to the length as in Python. */
export const sliceBounds = (
  length: number,
  start: Value,
  stop: Value,
  step: number
): { readonly from: number; readonly to: number } => {
  const [low, high] = step < 0 ? [-1, length - 1] : [0, length]
  const clip = (bound: Value, absent: number) => {
    if (bound === null) return absent
    const index = sliceIndex(bound)
    return Math.min(Math.max(index < 0 ? index + length : index, low), high)
  }
  return step < 0 ? { from: clip(start, high), to: clip(stop, low) } : { from: clip(start, low), to: clip(stop, high) }
}

export const sliceIndex = (bound: Value): number => {
  if (!isInteger(bound)) throw typeFault("slice indices must be integers or None or have an __index__ method")
  return Number(bound)
}
