/** The text of one member of a JSON object, as it was sent: a parser would turn `3.0` into 3 and round large integers. */

const [quote, backslash, comma, colon] = [34, 92, 44, 58]

/** Codes of the signs that open and close lists and objects, and of white space. */
const opening = new Set([91, 123])
const closing = new Set([93, 125])
const white = new Set([9, 10, 13, 32])

/** Where the text ends that begins here. */
const endOfText = (json: string, at: number): number => {
  let end = at + 1
  while (json.charCodeAt(end) !== quote) end += json.charCodeAt(end) === backslash ? 2 : 1
  return end
}

/**
 * The member's text without white space, of valid JSON; of several with one name the last. Undefined if there is none.
 * One pass over the text: a megabyte takes some milliseconds.
 */
export const memberText = (json: string, name: string): string | undefined => {
  let depth = 0
  let key: string | undefined
  /** Where the part of the member begins that is not kept yet; -1 outside of it. */
  let from = -1
  let parts: Array<string> = []
  let found: string | undefined
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      const end = endOfText(json, at)
      if (depth === 1 && from < 0) key = JSON.parse(json.slice(at, end + 1)) as string
      at = end
    } else if (white.has(code) && from >= 0) {
      if (at > from) parts.push(json.slice(from, at))
      from = at + 1
    } else if (depth === 1 && (code === comma || closing.has(code)) && from >= 0) {
      found = [...parts, json.slice(from, at)].join("")
      parts = []
      from = -1
    }
    if (opening.has(code)) depth += 1
    else if (closing.has(code)) depth -= 1
    else if (code === colon && depth === 1 && key === name && from < 0) from = at + 1
  }
  return found
}
