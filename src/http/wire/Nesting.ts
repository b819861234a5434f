/** How long a text of JSON is, once it is indented. Pure. */
import { endOfString } from "../../postgres/JsonNesting.ts"

const quote = '"'.charCodeAt(0)
const opening = new Set(Array.from("[{", (bracket) => bracket.charCodeAt(0)))
const closing = new Set(Array.from("]}", (bracket) => bracket.charCodeAt(0)))

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
