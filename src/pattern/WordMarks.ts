/**
 * Marks in a text that tell where its words begin and end, and the characters outside of a class. Pure.
 *
 * Marks are two of the characters that Unicode keeps free of any meaning.
 */

const [mark, noMark, replacement] = ["\u{FDD0}", "\u{FDD1}", "\u{FDD2}"]

/** What `\b` and `\B` match in a text with marks, any mark, and marks inside a class. */
export const boundary = String.raw`\x{FDD0}`
export const noBoundary = String.raw`\x{FDD1}`
export const marks = String.raw`[\x{FDD0}\x{FDD1}]`
export const inside = String.raw`\x{FDD0}\x{FDD1}`

/** How often a mark stands at each place: so many `\b` in a row can match there. */
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

/** The last character that any of the classes below holds. */
const classesEnd = 0x3ffff

const outside = {
  W: /[\p{L}\p{N}_]/u,
  D: /\p{Nd}/u,
  // Python takes four separators of ASCII for white space, JavaScript the byte order mark.
  S: new RegExp(String.raw`[\s\u001c-\u001f\u0085]`, "u")
}

const known = new Map<string, string>()

/** The characters that `\W`, `\D` or `\S` matches, as ranges inside a class, without the marks. Kept: they never change. */
export const complement = (letter: string, ascii: boolean): string => {
  const key = `${letter} ${ascii}`
  const found = known.get(key) ?? rangesOutside(outside[letter as keyof typeof outside], ascii)
  known.set(key, found)
  return found
}

const rangesOutside = (inner: RegExp, ascii: boolean): string => {
  const ranges: Array<string> = []
  const add = (from: number, to: number) => {
    if (from <= to) ranges.push(`\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`)
  }
  let from = 0
  for (let codePoint = 0; codePoint <= (ascii ? 0x7f : classesEnd); codePoint++) {
    const isMark = codePoint === 0xfdd0 || codePoint === 0xfdd1
    if (!isMark && (codePoint === 0xfeff || !inner.test(String.fromCodePoint(codePoint)))) continue
    add(from, codePoint - 1)
    from = codePoint + 1
  }
  if (ascii) {
    add(from, 0xfdcf)
    from = 0xfdd2
  }
  add(from, 0x10ffff)
  return ranges.join("")
}
