import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { placeOf } from "../../src/webhook/JsonText.ts"

const name = fc.constantFrom("event", "data", "snapshots", "a\\b", 'with "quotation marks"', "__proto__", "")
/** An object of any values, as text, with some of these names in it. */
const object = fc
  .tuple(fc.uniqueArray(fc.tuple(name, fc.jsonValue()), { selector: ([name]) => name }), fc.constantFrom(0, 1, 2))
  .map(([members, spaces]) => {
    const texts = members.map(
      ([name, value]) => `${JSON.stringify(name)}${" ".repeat(spaces)}:${JSON.stringify(value, null, spaces)}`
    )
    return { members, text: `{${" ".repeat(spaces)}${texts.join(`${" ".repeat(spaces)},\n`)}}` }
  })

describe("a member of an object's JSON text", () => {
  test("is found where it stands, whatever the others hold", () => {
    fc.assert(
      fc.property(object, name, ({ members, text }, sought) => {
        const place = placeOf(text, sought)
        const member = members.find(([name]) => name === sought)
        expect(place && JSON.parse(text.slice(...place))).toEqual(member && JSON.parse(JSON.stringify(member[1])))
        expect(place === undefined).toBe(member === undefined)
      })
    )
  })

  test("is found in an object within another one", () => {
    const text =
      '{"data":{"snapshots":{"prechange":0}},"snapshots":{"prechange":12345678901234567890,"postchange":null}}'
    const [from] = placeOf(text, "snapshots")!
    expect(text.slice(...placeOf(text, "prechange", from)!)).toBe("12345678901234567890")
  })
})
