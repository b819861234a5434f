/** The syntax of names, numbers, strings and operators. */
import { Fault, limitFault } from "../runtime/Fault.ts"
import { integer } from "../value/Numbers.ts"

export const floatPattern = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y

export const integerPattern = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y

/** A candidate for a name; the tokenizer refuses those that are no identifiers in Python. */
export const namePattern = /[\p{L}\p{N}\p{M}\p{Pc}·]+/uy

export const operatorPattern = /\*\*|\/\/|==|!=|<=|>=|[-+*/%~()[\]{}<>=.,:|;]/y

/** Most characters of an integer literal. */
const integerChars = 1300

export const readInteger = (source: string): number | bigint => {
  const digits = source.replaceAll("_", "")
  if (digits.length > integerChars) throw limitFault("memory", "an integer is too large")
  return integer(BigInt(digits))
}

/** Reads the string that starts at the position; undefined if none does. */
export const readString = (
  source: string,
  at: number
): { readonly value: string; readonly end: number } | undefined => {
  const mark = source[at]
  if (mark !== "'" && mark !== '"') return undefined
  let escapes = false
  for (let end = at + 1; end < source.length; end++) {
    if (source[end] === mark) {
      const inner = source.slice(at + 1, end)
      return { value: escapes ? unescape(inner, at) : inner, end: end + 1 }
    }
    if (source[end] === "\\") {
      escapes = true
      end++
    }
  }
  return undefined
}

const simple: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v"
}

const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

const hexNames: Readonly<Record<string, string>> = { x: "\\xXX", u: "\\uXXXX", U: "\\UXXXXXXXX" }

/** Python's escapes. */
const unescape = (source: string, at: number): string =>
  source.replace(/\\(?:([0-7]{1,3})|([xuU])([\da-fA-F]*)|([^]))/gu, (whole, octal, kind, hex, other) => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal as string, 8))
    if (kind !== undefined) return readHex(kind as string, hex as string, at)
    if (other === "N") throw new Fault("Syntax", "malformed \\N character escape", at)
    // Python encodes to ASCII first, é as `\\xe9`: a backslash before it then escapes the new backslash.
    if ((other as string) > "\x7f") return asciiEscape((other as string).codePointAt(0)!)
    return simple[other as string] ?? (whole as string)
  })

const readHex = (kind: string, digits: string, at: number): string => {
  const length = hexDigits[kind]!
  if (digits.length < length) throw new Fault("Syntax", `truncated ${hexNames[kind]} escape`, at)
  const code = Number.parseInt(digits.slice(0, length), 16)
  if (code > 0x10ffff) throw new Fault("Syntax", "illegal Unicode character", at)
  return String.fromCodePoint(code) + digits.slice(length)
}

const asciiEscape = (code: number): string => {
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex}`
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`
}
