/** How deep a text of JSON is nested, before it is parsed. Pure. */

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
