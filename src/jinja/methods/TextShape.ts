/** Methods of str that change or test its form: case, padding, stripping, character classes. */
import { typeFault, valueFault } from "../runtime/Fault.ts"
import { methodsOn } from "../runtime/Native.ts"
import type { Native, Runtime, Value } from "../value/Value.ts"
import { asInteger, asText, integerOr } from "../value/Arguments.ts"
import { capitalize, foldCase, isLower, isTitle, isUpper, swapCase, titleCase } from "../text/Case.ts"
import { isTrue } from "../value/Compare.ts"
import { Dict } from "../value/Dict.ts"
import { isPrintable } from "../print/Repr.ts"
import {
  characterChars,
  characters,
  codePoint,
  lengthOf,
  linesOf,
  linesWithEnds,
  strip,
  whitespace
} from "../text/Text.ts"
import { Bytes, isInteger, isText, plain, typeName } from "../value/Values.ts"

const method = methodsOn<string>()

/** `cost` is the memory for each character during the call. */
const shape = (name: string, change: (text: string) => string, cost = 1): Native =>
  method(`${name}(self, /)`, (rt, self) => {
    rt.alloc(self.length * cost)
    const changed = change(self)
    rt.alloc(changed.length - self.length)
    return changed
  })

const predicate = (name: string, holds: (text: string) => boolean, cost = 1): Native =>
  method(`${name}(self, /)`, (rt, self) => {
    rt.alloc(self.length * cost)
    return holds(self)
  })

/** A test that text is not empty and has only characters of the class. */
const all = (name: string, characterClass: string): Native => {
  const pattern = new RegExp(`^[${characterClass}]+$`, "u")
  return predicate(name, (text) => pattern.test(text))
}

/** Digits that are not decimal: superscripts, circled digits and the like. */
const otherDigits = "²³¹⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐⓪⓵-⓽⓿❶-❾➀-➈➊-➒"

/** The text padded to `width` on the given side. */
export const pad = (
  runtime: Runtime,
  text: string,
  width: number,
  fill: Value | undefined,
  side: "left" | "right" | "both"
): string => {
  const filler = fill === undefined ? " " : asText(fill, "The fill character must be a unicode character")
  if (lengthOf(filler) !== 1) throw typeFault("The fill character must be exactly one character long")
  const missing = width - lengthOf(text)
  if (missing <= 0) return text
  runtime.alloc(text.length + missing * filler.length)
  if (side === "left") return filler.repeat(missing) + text
  if (side === "right") return text + filler.repeat(missing)
  // CPython's rounding: if both `width` and `missing` are odd, the extra character goes left.
  const left = Math.floor(missing / 2) + (missing & width & 1)
  return filler.repeat(left) + text + filler.repeat(missing - left)
}

const padding = (name: string, side: "left" | "right" | "both"): Native =>
  method(`${name}(self, width, fillchar?, /)`, (rt, self, width, fill) => pad(rt, self, asInteger(width), fill, side))

const stripping = (name: string, left: boolean, right: boolean): Native =>
  method(`${name}(self, chars?, /)`, (rt, self, chars) => {
    if (chars !== undefined && chars !== null && !isText(chars)) throw typeFault(`${name} arg must be None or str`)
    rt.alloc(self.length + (isText(chars ?? null) ? plain(chars as string).length * characterChars : 0))
    return strip(self, chars === undefined || chars === null ? undefined : plain(chars), left, right)
  })

const zfill = (runtime: Runtime, text: string, width: number): string => {
  const missing = width - lengthOf(text)
  if (missing <= 0) return text
  runtime.alloc(text.length + missing)
  const sign = /^[+-]/.test(text) ? text.charAt(0) : ""
  return sign + "0".repeat(missing) + text.slice(sign.length)
}

const expandTabs = (runtime: Runtime, text: string, size: number): string => {
  let column = 0
  let expanded = ""
  runtime.alloc(text.length * characterChars)
  for (const character of characters(text)) {
    if (character === "\t") {
      const spaces = size > 0 ? size - (column % size) : 0
      runtime.alloc(spaces)
      expanded += " ".repeat(spaces)
      column += spaces
      continue
    }
    expanded += character
    column = character === "\n" || character === "\r" ? 0 : column + 1
  }
  return expanded
}

const translate = (runtime: Runtime, text: string, table: Value): string => {
  if (!(table instanceof Dict)) throw typeFault(`'${typeName(table)}' object is not subscriptable`)
  let translated = ""
  runtime.alloc(text.length * characterChars)
  for (const character of characters(text)) {
    runtime.tick(1)
    const by = table.get(codePoint(character))
    const piece =
      by === undefined ? character : by === null ? "" : isInteger(by) ? characterOf(by) : asText(by, mapping)
    runtime.alloc(piece.length)
    translated += piece
  }
  return translated
}

const mapping = "character mapping must return integer, None or str"

const characterOf = (value: Value): string => {
  const code = asInteger(value)
  if (!(code >= 0 && code <= 0x10ffff)) throw valueFault("character mapping must be in range(0x110000)")
  return String.fromCodePoint(code)
}

const makeTranslation = (from: Value, to: Value | undefined, without: Value | undefined): Dict => {
  const table = new Dict()
  if (to === undefined) {
    if (!(from instanceof Dict)) throw typeFault("if you give only one argument to maketrans it must be a dict")
    for (const [key, value] of from.entries()) table.set(isText(key) ? codePoint(plain(key)) : key, value)
    return table
  }
  const source = characters(asText(from, "first maketrans argument must be a string if there is a second argument"))
  const target = characters(asText(to, "maketrans() argument 2 must be str"))
  if (source.length !== target.length) {
    throw valueFault("the first two maketrans arguments must have equal length")
  }
  source.forEach((character, index) => table.set(codePoint(character), codePoint(target[index] ?? "")))
  const removed = without === undefined ? "" : asText(without, "maketrans() argument 3 must be str")
  for (const character of removed) table.set(codePoint(character), null)
  return table
}

const encode = (runtime: Runtime, text: string, encoding: string): Bytes => {
  runtime.alloc(text.length * 3)
  const name = encoding.toLowerCase().replaceAll("_", "-")
  if (name === "utf-8" || name === "utf8") return new Bytes(Buffer.from(text, "utf8"))
  const limit = name === "ascii" ? 0x80 : name === "latin-1" || name === "iso-8859-1" ? 0x100 : 0
  if (limit === 0) throw valueFault(`unknown encoding: ${encoding}`)
  for (const character of text) {
    if (codePoint(character) >= limit) throw valueFault(`'${encoding}' codec can't encode character`)
  }
  return new Bytes(Buffer.from(text, "latin1"))
}

export const shapeMethods: ReadonlyArray<Native> = [
  shape("upper", (text) => text.toUpperCase()),
  shape("lower", (text) => text.toLowerCase()),
  shape("title", titleCase, characterChars),
  shape("capitalize", capitalize),
  shape("swapcase", swapCase, characterChars),
  shape("casefold", foldCase, characterChars),
  padding("center", "both"),
  padding("ljust", "right"),
  padding("rjust", "left"),
  stripping("strip", true, true),
  stripping("lstrip", true, false),
  stripping("rstrip", false, true),
  method("zfill(self, width, /)", (rt, self, width) => zfill(rt, self, asInteger(width))),
  method("expandtabs(self, tabsize?)", (rt, self, size) => expandTabs(rt, self, integerOr(size, 8))),
  method("splitlines(self, keepends?)", (rt, self, keep) => {
    rt.alloc(self.length * 4)
    return keep !== undefined && isTrue(keep) ? linesWithEnds(self) : linesOf(self)
  }),
  method("translate(self, table, /)", (rt, self, table) => translate(rt, self, table)),
  method("maketrans(self, x, y?, z?, /)", (_rt, _self, x, y, z) => makeTranslation(x, y, z)),
  method("encode(self, encoding?, errors?)", (rt, self, encoding) =>
    encode(rt, self, encoding === undefined ? "utf-8" : asText(encoding, "encoding must be str"))
  ),
  all("isalpha", "\\p{L}"),
  all("isalnum", "\\p{L}\\p{N}"),
  all("isdecimal", "\\p{Nd}"),
  all("isdigit", `\\p{Nd}${otherDigits}`),
  all("isnumeric", "\\p{N}"),
  all("isspace", whitespace),
  predicate("isascii", (text) => /^[\0-\x7f]*$/.test(text)),
  predicate("isidentifier", (text) => /^[\p{XIDS}_]\p{XIDC}*$/u.test(text)),
  predicate("isprintable", (text) => characters(text).every(isPrintable), characterChars),
  predicate("isupper", isUpper),
  predicate("islower", isLower),
  predicate("istitle", isTitle, characterChars)
]
