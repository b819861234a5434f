/**
 * JSON whose numbers keep their digits. Postgres stores numbers of any length in `jsonb`, and JavaScript's parser rounds
 * to 64 bits: `50755254975729665` to `50755254975729660`, `1e400` to infinity.
 */

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

/** TypeScript does not know it yet. */
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

const isRounded = (text: string, number: number): boolean =>
  !Number.isFinite(number) || keyOf(partsOf(text)) !== keyOf(partsOf(`${number}`))

/** Digits of a number, its point included, up to which JavaScript keeps all. */
const digitsKept = 15

const isDigit = (code: number): boolean => (code >= 48 && code <= 57) || code === 46

/**
 * Whether a text has more digits in a row than JavaScript keeps, also inside a string. It looks at every sixteenth
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

/** Finds an exponent, also inside a string. Postgres writes none. */
const exponent = /[eE][-+]?\d+\s*(?:[,\]}]|$)/

type Reviver = (this: unknown, key: string, value: unknown) => unknown

const keepDigits = (_key: string, value: unknown, { source }: { readonly source: string }): unknown =>
  typeof value === "number" && isRounded(source, value) ? new ExactNumber(source) : value

/** The value of a JSON text; throws a SyntaxError if it is none. */
export const parseExactly = (text: string): unknown =>
  exponent.test(text) ? JSON.parse(text, keepDigits as Reviver) : parseStored(text)

/** The same of a text that Postgres has written. */
export const parseStored = (text: string): unknown =>
  hasLongRun(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text)

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
