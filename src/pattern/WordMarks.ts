/**
 * Marks in a text where its words begin and end, and the characters outside of a class. Pure.
 *
 * Marks are two of the characters that Unicode keeps free of any meaning.
 */

import { type Range, digitRanges, wordRanges } from "./WordRanges.ts"

const [mark, noMark, replacement] = ["\u{FDD0}", "\u{FDD1}", "\u{FDD2}"]

/** The marks that `\b` and `\B` match in a text with marks, any mark, and marks inside a class. */
export const boundary = String.raw`\x{FDD0}`
export const noBoundary = String.raw`\x{FDD1}`
export const marks = String.raw`[\x{FDD0}\x{FDD1}]`
export const inside = String.raw`\x{FDD0}\x{FDD1}`

/** How many marks are at each place: so many `\b` in a row can match there. */
const copies = 2

/** Characters of a text with marks for each character of the text without. */
export const marksPerChar = 1 + copies

const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_]/u.test(char)

/** The text with marks before each character and at the end. */
export const withMarks = (text: string): string => {
  const parts: Array<string> = []
  let before = false
  for (const char of text) {
    const word = isWord(char)
    parts.push((word === before ? noMark : mark).repeat(copies), char >= mark && char <= noMark ? replacement : char)
    before = word
  }
  parts.push((before ? mark : noMark).repeat(copies))
  return parts.join("")
}

/** The text that marks were put into. */
export const withoutMarks = (text: string): string => text.replaceAll(/[\u{FDD0}\u{FDD1}]/gu, "")

/** Whether a text has characters that would be taken for marks. */
export const hasMarks = (text: string): boolean => /[\u{FDD0}\u{FDD1}]/u.test(text)

/** White space as Python's `str.isspace` knows it. */
const spaceRanges: ReadonlyArray<Range> = [
  [0x9, 0xd],
  [0x1c, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000]
]

/** The characters that `\w`, `\d` and `\s` match, by the letter of their opposites. */
const inner: Readonly<Record<string, ReadonlyArray<Range>>> = { W: wordRanges, D: digitRanges, S: spaceRanges }

/** With the flag `a` only these count; white space is less there. */
const asciiEnd = 0x7f
const asciiSpaces: ReadonlyArray<Range> = [
  [0x9, 0xd],
  [0x20, 0x20]
]

const marked: Range = [0xfdd0, 0xfdd1]

const known = new Map<string, string>()

/** The characters that `\W`, `\D` or `\S` matches, as ranges inside a class, without the marks. Kept: there are six. */
export const complement = (letter: string, ascii: boolean): string => {
  const key = `${letter} ${ascii}`
  const found = known.get(key) ?? rangesOutside(letter, ascii)
  known.set(key, found)
  return found
}

const rangesOutside = (letter: string, ascii: boolean): string => {
  const all = ascii && letter === "S" ? asciiSpaces : inner[letter]!
  const left = ascii ? all.filter(([first]) => first <= asciiEnd) : all
  const ranges: Array<string> = []
  let from = 0
  for (const [first, last] of [...left, marked, [0x110000, 0x110000] as const].sort(([a], [b]) => a - b)) {
    if (from < first) ranges.push(`\\x{${from.toString(16)}}-\\x{${(first - 1).toString(16)}}`)
    from = last + 1
  }
  return ranges.join("")
}
