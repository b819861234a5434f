/** How deep a text of JSON is nested, before it is parsed, and how long, before it is indented. Pure. */

const [quote, backslash] = ['"'.charCodeAt(0), "\\".charCodeAt(0)]
const opening = new Set(Array.from("[{", (bracket) => bracket.charCodeAt(0)))
const closing = new Set(Array.from("]}", (bracket) => bracket.charCodeAt(0)))

/** Whether the brackets of a text open more than so many levels. In one pass, which ends there; strings are skipped. */
export const isNestedDeeper = (text: string, levels: number): boolean => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (opening.has(code)) {
      if (++depth > levels) return true
    } else if (closing.has(code)) depth -= 1
  }
  return false
}

/** The place of the quote that ends the string that begins here; the end of the text where it has none. */
export const endOfString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}

const [comma, colon] = [",".charCodeAt(0), ":".charCodeAt(0)]

/**
 * Characters of a text of JSON, without white space, once each level is indented by so many spaces. `JSON.stringify`
 * makes a new line for each member and each bracket that closes: deep values become long texts of spaces.
 */
export const indentedLength = (text: string, indent: number): number => {
  let [depth, length] = [0, text.length]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (opening.has(code)) {
      depth += 1
      if (!closing.has(text.charCodeAt(at + 1))) length += 1 + depth * indent
    } else if (closing.has(code)) {
      depth -= 1
      if (!opening.has(text.charCodeAt(at - 1))) length += 1 + depth * indent
    } else if (code === comma) length += 1 + depth * indent
    else if (code === colon) length += 1
  }
  return length
}

/** Longest indented text, characters, in an answer and in a part of a page. */
export const indentedMax = { answer: 4 * 1024 * 1024, page: 256 * 1024 }

/** JSON, indented by so many spaces, unless that makes it longer than `most`. */
export const indentedJson = (value: unknown, indent: number, most: number): string => {
  const text = JSON.stringify(value)
  if (indent === 0 || text.length > most || indentedLength(text, indent) > most) return text
  return JSON.stringify(value, undefined, indent)
}
