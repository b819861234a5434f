/** JSON that keeps the digits of its numbers. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { constraintFor } from "../../src/auth/Constraint.ts"
import { valueOf } from "../../src/console/value/Value.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import {
  ExactNumber,
  compareNumbers,
  comparable,
  parseExactly,
  parseStored,
  parseStoredWithin,
  rounded
} from "../../src/postgres/ExactJson.ts"

const written = (text: string) => JSON.stringify(parseExactly(text))
const number = (text: string) => parseExactly(text) as number | ExactNumber

describe("a JSON text", () => {
  it.each([
    `{"a":50755254975729665,"b":[-123456789012345678901234567890,0.12345678901234567890123]}`,
    `{"a":1e400,"b":"1e400","c":[1e-400]}`,
    `50755254975729665`,
    `[-9007199254740993]`
  ])("keeps its numbers: %s", (text) => {
    expect(written(text)).toBe(text)
  })

  it.each(["1.10", "1e3", "-0.0", "9007199254740992", "1.5e2", "0.1", "100000000000000000000"])(
    "is read as JavaScript does where nothing is lost: %s",
    (text) => {
      expect(parseExactly(`{"a":${text}}`)).toEqual({ a: Number(text) })
    }
  )

  it("is the same as JSON.parse reads for every value of JavaScript", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseExactly(text)).toEqual(JSON.parse(text))
      })
    )
  })

  it("is refused in the words of JSON.parse, at its own place", () => {
    for (const text of [`[50755254975729665,]`, `{"a":50755254975729665`, `[12345678901234567890.]`, `[1e400e1]`]) {
      const message = (parse: (text: string) => unknown) => {
        try {
          return JSON.stringify(parse(text))
        } catch (error) {
          return String(error)
        }
      }
      expect(message(parseExactly)).toBe(message(JSON.parse))
    }
  })

  it("keeps strings that look like numbers, and keys of any name", () => {
    const text = `{"__proto__":50755254975729665,"a\\"50755254975729665":"50755254975729665\\\\","b":[{"c":50755254975729665}]}`
    expect(written(text)).toBe(text)
    expect(Object.getPrototypeOf(parseExactly(text))).toBe(Object.prototype)
  })

  it("keeps a long number wherever it stands", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(40), (text, blanks) => {
        const whole = `[${" ".repeat(blanks)}${text}, 50755254975729665 , 0.1234567890123456]`
        expect(JSON.stringify(parseStored(whole))).toMatch(/,50755254975729665,0.1234567890123456\]$/)
        const bytes = new TextEncoder().encode(`1234567890${whole}1234567890`)
        expect(parseStoredWithin(bytes, 10, bytes.length - 10)).toEqual(parseStored(whole))
      })
    )
  })

  it("keeps every decimal that Postgres can store, and orders them by their value", () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(40))
      .map(([digits, places]) => ({ digits, places, text: `${digits}e-${places}` }))
    const scaled = ({ digits, places }: { readonly digits: bigint; readonly places: number }) =>
      digits * 10n ** BigInt(40 - places)
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const [one, other] = [number(a.text), number(b.text)]
        const order = scaled(a) < scaled(b) ? -1 : scaled(a) > scaled(b) ? 1 : 0
        expect(Math.sign(compareNumbers(one, other)) + 0).toBe(order)
        expect(comparable(one) === comparable(other) || (one === 0 && other === 0)).toBe(order === 0)
      })
    )
  })

  it("is rounded where only JavaScript's numbers will do", () => {
    expect(rounded(parseExactly(`{"a":[1e400,50755254975729665]}`))).toEqual({ a: [Infinity, 50755254975729660] })
    const plain = { a: 1 }
    expect(rounded(plain)).toBe(plain)
  })
})

describe("an exact number", () => {
  const [long] = parseExactly("[50755254975729665]") as [ExactNumber]

  it("is shown by the console", () => {
    expect(valueOf(long)).toEqual(valueOf("50755254975729665"))
  })

  it("is compared by constraints of permissions", () => {
    expect(constraintFor(objectType("ipam.asn"), { asn: long }, 0)).toMatchObject({
      where: { parameters: ["50755254975729665"] }
    })
  })
})
