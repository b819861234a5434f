/**
 * Members of an object's JSON text, without parsing it: numbers stay as they are written, and a text of a megabyte takes
 * a few milliseconds. The text must be JSON.
 */

/** Where a value stands in its text: from, and up to. */
type Place = readonly [from: number, to: number]

const isSpace = (char: string | undefined): boolean => char === " " || char === "\n" || char === "\t" || char === "\r"

const pastSpace = (json: string, from: number): number => {
  let at = from
  while (isSpace(json[at])) at++
  return at
}

/** Where a string ends that begins at `from`, with its quotation marks. */
const endOfString = (json: string, from: number): number => {
  let at = from + 1
  for (; json[at] !== '"'; at++) if (json[at] === "\\") at++
  return at + 1
}

const endOfValue = (json: string, from: number): number => {
  let depth = 0
  let at = from
  do {
    const char = json[at]
    if (char === '"') at = endOfString(json, at)
    else {
      at++
      if (char === "{" || char === "[") depth++
      else if (char === "}" || char === "]") depth--
      else if (depth === 0 && isEnd(json[at])) return at
    }
  } while (depth > 0 || !isEnd(json[at]))
  return at
}

/** Whether a value of depth 0 ends before this. */
const isEnd = (char: string | undefined): boolean =>
  char === undefined || char === "," || char === "}" || char === "]" || isSpace(char)

/** The place of a member's value in an object that begins at `from`; undefined if it has none of this name. */
export const placeOf = (json: string, name: string, from = 0): Place | undefined => {
  const key = JSON.stringify(name)
  let at = pastSpace(json, from + 1)
  while (json[at] === '"') {
    const keyEnd = endOfString(json, at)
    const begin = pastSpace(json, pastSpace(json, keyEnd) + 1)
    const end = endOfValue(json, begin)
    if (json.slice(at, keyEnd) === key) return [begin, end]
    at = pastSpace(json, pastSpace(json, end) + 1)
  }
  return undefined
}
