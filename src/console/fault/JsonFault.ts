/** Where a text stops being JSON, for people who typed it: line and column, and how to fix it. Pure. */

export interface Position {
  readonly line: number
  readonly column: number
}

export interface JsonFault extends Position {
  /** The expected token: `"," or "]"`. */
  readonly expected: string
  /** The token in its place; "" at the end of the text. */
  readonly found: string
  /** How to fix it; "" where nothing more can be said. */
  readonly advice: string
}

interface OpenBracket {
  readonly bracket: "{" | "["
  readonly at: number
  /** Whether the wanted path leads through it. */
  readonly isOnPath: boolean
  count: number
  key: string
}

type Next = "value" | "value or end" | "key" | "key or end" | "colon" | "comma" | "nothing"

const space = /[ \t\n\r]*/y
const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y
const word = /[\w.+-]+|[^]/uy

const lastIndex = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

const positionOf = (text: string, at: number): Position => {
  const before = text.slice(0, at).split("\n")
  return { line: before.length, column: before.at(-1)!.length + 1 }
}

const closing = { "{": "}", "[": "]" } as const

/** The fault of a text, or the place of the value or key that the path names. A loop: texts may nest without bound. */
const scan = (
  text: string,
  wanted: ReadonlyArray<string> = []
): { readonly fault?: JsonFault; readonly at?: number } => {
  const open: Array<OpenBracket> = []
  let next: Next = "value"
  let found: number | undefined
  let at = 0
  const fault = (): { readonly fault: JsonFault } => ({ fault: faultAt(text, at, next, open) })
  const isWanted = (): boolean => {
    const inner = open.at(-1)
    if (inner === undefined) return wanted.length === 0
    const step = inner.bracket === "[" ? `${inner.count}` : inner.key
    return inner.isOnPath && wanted[open.length - 1] === step
  }
  for (;;) {
    at = lastIndex(space, text, at)
    if (at === text.length) return next === "nothing" ? (found === undefined ? {} : { at: found }) : fault()
    const inner = open.at(-1)
    const sign = text[at]!
    if (next === "nothing") return fault()
    if (inner !== undefined && next !== "colon" && sign === closing[inner.bracket] && /comma|end/.test(next)) {
      open.pop()
      at += 1
      next = open.length === 0 ? "nothing" : "comma"
    } else if (next === "comma") {
      if (sign !== ",") return fault()
      at += 1
      inner!.count += 1
      next = inner!.bracket === "{" ? "key" : "value"
    } else if (next === "colon") {
      if (sign !== ":") return fault()
      at += 1
      next = "value"
    } else if (next === "key" || next === "key or end") {
      const end = lastIndex(string, text, at)
      if (end === at) return fault()
      inner!.key = JSON.parse(text.slice(at, end)) as string
      if (isWanted() && open.length === wanted.length) found = at
      at = end
      next = "colon"
    } else {
      const isOnPath = isWanted()
      if (isOnPath && open.length === wanted.length) found ??= at
      if (sign === "{" || sign === "[") {
        open.push({ bracket: sign, at, isOnPath: isOnPath || open.length === 0, count: 0, key: "" })
        at += 1
        next = sign === "{" ? "key or end" : "value or end"
      } else {
        const end = Math.max(lastIndex(string, text, at), lastIndex(scalar, text, at))
        if (end === at) return fault()
        at = end
        next = open.length === 0 ? "nothing" : "comma"
      }
    }
  }
}

const key = "a name in double quotes"
const value = "a value"

const expectations = (next: Next, close: string): string =>
  ({
    value,
    "value or end": `${value} or "${close}"`,
    key,
    "key or end": `${key} or "${close}"`,
    colon: `":"`,
    comma: `"," or "${close}"`,
    nothing: "the end of the text"
  })[next]

/** Most characters of the text that a fault repeats. */
const foundCharsMax = 20

/** Most closing brackets that an advice spells out. */
const closingMax = 10

const faultAt = (text: string, at: number, next: Next, open: ReadonlyArray<OpenBracket>): JsonFault => {
  const inner = open.at(-1)
  const close = inner === undefined ? "" : closing[inner.bracket]
  const found = text.slice(at, Math.min(lastIndex(word, text, at), at + foundCharsMax))
  const place = { ...positionOf(text, at), expected: expectations(next, close), found }
  return { ...place, advice: adviceFor(text, at, next, open, found) }
}

const words: Readonly<Record<string, string>> = {
  True: "true",
  False: "false",
  None: "null",
  undefined: "null",
  NaN: "null"
}

const adviceFor = (text: string, at: number, next: Next, open: ReadonlyArray<OpenBracket>, found: string): string => {
  const inner = open.at(-1)
  if (found === "" && next === "comma") {
    const missing = open.toReversed().map(({ bracket }) => closing[bracket])
    const added = missing.slice(0, closingMax).join("")
    if (missing.length <= closingMax) return `Add ${added} at the end.`
    const { bracket, at: place } = inner!
    const { line, column } = positionOf(text, place)
    return `${missing.length} brackets are not closed, the last of them the ${bracket} in line ${line}, column ${column}. Add ${added} and ${missing.length - closingMax} more at the end.`
  }
  if (found === '"')
    return "A text ends with a double quote in the same line; in it write \\n for a line break and \\\\ for \\."
  if (found === "'") return "Texts and names have double quotes."
  if (Object.hasOwn(words, found)) return `Write ${words[found]!}.`
  if (/^[}\]]$/.test(found) && inner !== undefined) {
    if (/,\s*$/.test(text.slice(0, at)) && found === closing[inner.bracket]) return "Remove the comma before it."
    const { line, column } = positionOf(text, inner.at)
    return `The ${inner.bracket} in line ${line}, column ${column} is not closed.`
  }
  if (/^[a-z_]/i.test(found) && next !== "comma" && next !== "colon") return "Texts and names have double quotes."
  return ""
}

/** Undefined for JSON. */
export const jsonFault = (text: string): JsonFault | undefined => scan(text).fault

/** The place of a value in JSON, by a path such as `and[1].op`; of a key where the path ends with one. */
export const positionIn = (text: string, path: string): Position | undefined => {
  const { at } = scan(text, path.match(/[^.[\]]+/g) ?? [])
  return at === undefined ? undefined : positionOf(text, at)
}
