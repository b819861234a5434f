/**
 * Members of an object's JSON text, as they were written: a parser would turn `3.0` into 3 and round large integers. The
 * text must be JSON. A megabyte takes some milliseconds.
 */

/** The span of a value in its text: from, and up to. */
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

/** Where a value ends that begins at `from`. */
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
    }
  } while (depth > 0 || !isEnd(json[at]))
  return at
}

/** Whether a value that is no list, object or string ends before this. */
const isEnd = (char: string | undefined): boolean =>
  char === undefined || char === "," || char === "}" || char === "]" || isSpace(char)

/** The place of a member's value in an object that begins at `from`, of several the last; undefined without it. */
export const placeOf = (json: string, name: string, from = 0): Place | undefined => {
  let found: Place | undefined
  let at = pastSpace(json, pastSpace(json, from) + 1)
  while (json[at] === '"') {
    const keyEnd = endOfString(json, at)
    const begin = pastSpace(json, pastSpace(json, keyEnd) + 1)
    const end = endOfValue(json, begin)
    if (JSON.parse(json.slice(at, keyEnd)) === name) found = [begin, end]
    at = pastSpace(json, pastSpace(json, end) + 1)
  }
  return found
}

/** The member's text without white space, of several the last; undefined if there is none. */
export const memberText = (json: string, name: string): string | undefined => {
  const place = placeOf(json, name)
  return place && json.slice(...place).replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1")
}
