/**
 * JSON whose numbers keep their digits. Postgres stores numbers of any length in `jsonb`, and JavaScript's parser rounds
 * to 64 bits: `50755254975729665` to `50755254975729660`, `1e400` to infinity.
 */
import { randomUUID } from "node:crypto"

/** A number that JavaScript's numbers cannot represent. `JSON.stringify` writes its digits. */
export class ExactNumber {
  /** Not a property, so that it is taken for no entry of a dictionary. */
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }

  toJSON(): unknown {
    return (JSON as unknown as RawJson).rawJSON(this.#text)
  }
}

/** TypeScript does not declare it yet. */
interface RawJson {
  readonly rawJSON: (text: string) => unknown
}

/** A number: 0.digits times ten to the exponent. Equal numbers have equal parts. */
interface Parts {
  readonly sign: -1 | 0 | 1
  readonly digits: string
  readonly exponent: number
}

const partsOf = (text: string): Parts => {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.replace(/^[-+]/, "").split(".")
  const significant = `${whole}${fraction}`.replace(/^0+/, "")
  const digits = significant.replace(/0+$/, "")
  if (digits === "") return { sign: 0, digits, exponent: 0 }
  const sign = mantissa.startsWith("-") ? -1 : 1
  return { sign, digits, exponent: significant.length - fraction.length + Number(exponent) }
}

/** A text that is the same for equal numbers, and no number of JavaScript. */
const keyOf = ({ sign, digits, exponent }: Parts): string => `${sign < 0 ? "-" : ""}0.${digits}e${exponent}`

/** Whether JavaScript's number of a JSON number is another one. */
export const isRounded = (text: string, number: number): boolean => {
  if (!Number.isFinite(number)) return true
  const shown = `${number}`
  // Most are integers, which are quickly checked.
  if (integer.test(text) && integer.test(shown)) return shown !== text && number !== 0
  return keyOf(partsOf(text)) !== keyOf(partsOf(shown))
}

const integer = /^-?\d+$/

/** Digits of a number, its point included, up to which JavaScript keeps all. */
const digitsKept = 15

const isDigit = (code: number): boolean => code <= 57 && code >= 46 && code !== 47

/**
 * Whether a text has more digits in a row than JavaScript keeps, also inside a string. It reads every sixteenth
 * character: a run that is long enough covers one of them.
 */
const hasLongRun = (text: string): boolean => {
  for (let at = digitsKept; at < text.length; at += digitsKept + 1) {
    if (!isDigit(text.charCodeAt(at))) continue
    let [from, to] = [at, at + 1]
    while (from > 0 && isDigit(text.charCodeAt(from - 1))) from--
    while (isDigit(text.charCodeAt(to))) to++
    if (to - from > digitsKept) return true
  }
  return false
}

/** The same of a text in UTF-8 that begins and ends at these bytes, which are read in half of the time. */
const hasLongRunWithin = (bytes: Uint8Array, begin: number, end: number): boolean => {
  for (let at = begin + digitsKept; at < end; at += digitsKept + 1) {
    if (!isDigit(bytes[at]!)) continue
    let [from, to] = [at, at + 1]
    while (from > begin && isDigit(bytes[from - 1]!)) from--
    while (to < end && isDigit(bytes[to]!)) to++
    if (to - from > digitsKept) return true
  }
  return false
}

/** Finds an exponent, also inside a string. Postgres writes none. */
const exponent = /[eE][-+]?\d+\s*(?:[,\]}]|$)/

/** The value of a JSON text; throws a SyntaxError if it is none. */
export const parseExactly = (text: string): unknown => (exponent.test(text) ? parseLong(text) : parseStored(text))

/** The same of a text that Postgres has written. */
export const parseStored = (text: string): unknown => (hasLongRun(text) ? parseLong(text) : JSON.parse(text))

/** The same of a text in UTF-8 that begins and ends at these bytes. */
export const parseStoredWithin = (bytes: Uint8Array, begin: number, end: number): unknown => {
  const text = utf8Slice.call(bytes, begin, end)
  return hasLongRunWithin(bytes, begin, end) ? parseLong(text) : JSON.parse(text)
}

/** Decodes a part of some bytes without a view of it, which would take longer than to decode a row. */
const { utf8Slice } = Buffer.prototype as unknown as {
  readonly utf8Slice: (this: Uint8Array, begin: number, end: number) => string
}

/**
 * Numbers that would be rounded are parsed as texts with a mark, and then put in their places. A reviver of JSON.parse
 * would be called for every value, which takes seconds for a megabyte of them.
 */
const parseLong = (text: string): unknown => {
  const mark = markFor(text)
  let marked = ""
  let from = 0
  for (const { begin, end } of longNumbers(text)) {
    const number = text.slice(begin, end)
    if (!numberOfJson.test(number) || !isRounded(number, Number(number))) continue
    marked += `${text.slice(from, begin)}"${mark}${number}"`
    from = end
  }
  if (from === 0) return JSON.parse(text)
  try {
    return withNumbers(JSON.parse(marked + text.slice(from)), mark)
  } catch {
    // The message has the place in the given text.
    return JSON.parse(text)
  }
}

const numberOfJson = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** Characters that nobody can have put into the text. */
const markFor = (text: string): string => {
  const mark = randomUUID()
  return text.includes(mark) ? markFor(text) : mark
}

const [quote, backslash, minus] = [34, 92, 45]

/** Whether a number may continue with this character: a digit, `.`, `+`, `-`, `e` or `E`. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 43 || code === minus || code === 101 || code === 69

/** The numbers outside of strings that JavaScript may round: long ones, and those with an exponent. */
function* longNumbers(text: string): Generator<{ readonly begin: number; readonly end: number }> {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    if (code !== minus && !isDigit(code)) continue
    const begin = at
    let hasExponent = false
    for (let next = code; isOfNumber(next); next = text.charCodeAt(++at)) hasExponent ||= next === 101 || next === 69
    if (hasExponent || at - begin > digitsKept) yield { begin, end: at }
    at--
  }
}

/** The place of the quote that ends the string which begins here; the end of the text where none does. */
const endOfText = (text: string, begin: number): number => {
  for (let at = begin + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at
  }
  return text.length
}

/** Puts the numbers in place of the marked texts; the value is nobody else's yet. */
const withNumbers = (value: unknown, mark: string): unknown => {
  const numberIn = (each: unknown) =>
    typeof each === "string" && each.startsWith(mark) ? new ExactNumber(each.slice(mark.length)) : undefined
  const open: Array<unknown> = [value]
  const put = (holder: object, key: string | number, each: unknown) => {
    if (typeof each === "object" && each !== null) return void open.push(each)
    const number = numberIn(each)
    if (number === undefined) return
    Object.defineProperty(holder, key, { value: number, writable: true, enumerable: true, configurable: true })
  }
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    if (Array.isArray(holder)) for (let at = 0; at < holder.length; at++) put(holder, at, holder[at])
    else if (typeof holder === "object" && holder !== null) {
      for (const [key, each] of Object.entries(holder)) put(holder, key, each)
    }
  }
  return numberIn(value) ?? value
}

/** The value with another one in place of each exact number; the same value where there is none. */
export const withoutExact = (value: unknown, replace: (number: ExactNumber) => unknown): unknown => {
  if (value instanceof ExactNumber) return replace(value)
  if (!hasExact(value)) return value
  if (Array.isArray(value)) return value.map((each) => withoutExact(each, replace))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutExact(each, replace)]))
}

/** The value with numbers as JavaScript rounds them: for all that is not stored as JSON. */
export const rounded = (value: unknown): unknown => withoutExact(value, (number) => Number(number.toString()))

const hasExact = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  (value instanceof ExactNumber || (Array.isArray(value) ? value : Object.values(value)).some(hasExact))

/** Whether a value is a number of JSON. */
export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === "number" || value instanceof ExactNumber

/** A value by which numbers can be compared for equality. */
export const comparable = (number: number | ExactNumber): number | string =>
  typeof number === "number" ? number : keyOf(partsOf(number.toString()))

/** Negative where the first number is the smaller one, 0 where both are equal. */
export const compareNumbers = (one: number | ExactNumber, other: number | ExactNumber): number => {
  if (typeof one === "number" && typeof other === "number") return one - other
  const [a, b] = [partsOf(String(one)), partsOf(String(other))]
  if (a.sign !== b.sign || a.sign === 0) return a.sign - b.sign
  if (a.exponent !== b.exponent) return a.sign * (a.exponent - b.exponent)
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -a.sign : a.sign
}

/**
 * As `compareNumbers`, for a program whose own numbers are JavaScript's: such a number beyond 2^53 may have been rounded
 * itself, and equals every number that is rounded to it. NaN compared with NaN.
 */
export const compareWithRounded = (exact: ExactNumber, other: number | ExactNumber): number => {
  if (typeof other !== "number") return compareNumbers(exact, other)
  if (!Number.isSafeInteger(other) && Number(exact.toString()) === other) return 0
  // An infinite number is beyond all others, and not a number is no order.
  return Number.isFinite(other) ? compareNumbers(exact, other) : -other
}
