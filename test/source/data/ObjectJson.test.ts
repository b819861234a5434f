/** Objects in answers of an API, friendly and hostile. */
import { describe, expect, it } from "vitest"
import { type AbsentObject, absent } from "../../../src/source/data/FetchedObject.ts"
import { objectCharsMax, objectIn, pageIn } from "../../../src/source/data/ObjectJson.ts"

const finish = <A>(work: Generator<void, A>): A => {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

const object = (text: string) => finish(objectIn(text, "GET /x"))
const reason = (text: string) => (object(text) as AbsentObject).reason

describe("an object", () => {
  it("keeps digits, order, repeated keys and texts, without white space between tokens", () => {
    const text = String.raw`{"id":5,"b":1.50,"a":9007199254740993,"b":1e400,"t":" \" , { \\","l":[1,{"x":null}]`
    const json = `${text},"last_updated":"2026-11-29T02:00:00Z"}`
    const spaced = json.replaceAll(/([,:])(?=["[])/g, " \n$1\t").replaceAll("}", " \r\n}")
    expect(spaced).not.toBe(json)
    expect(object(spaced)).toEqual({ id: "5", found: { _tag: "Found", json, lastUpdated: "2026-11-29T02:00:00Z" } })
  })

  it("has no time where last_updated is no text", () => {
    expect(object(`{"id":5,"last_updated":7}`)).toMatchObject({ found: { lastUpdated: undefined } })
  })

  it.each(["", "<html></html>", "[]", "null", "7", `{"name":"no id"}`, `{"id":null}`, `{"id":5`, `{"id":5}}`])(
    "is malformed: %s",
    (text) => expect(reason(text)).toBe("Malformed")
  )

  it("is not parsed where it is nested too deep or too large", () => {
    const deep = `{"id":5,"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    expect(object(deep)).toEqual(absent("Malformed", "GET /x is nested more than 600 levels deep."))
    expect(reason(`{"id":5,"a":"${"x".repeat(objectCharsMax)}"}`)).toBe("TooLarge")
  })

  it.each([
    String.raw`{"id":5,"a":"\u0000"}`,
    String.raw`{"id":5,"a":"\\\u0000"}`,
    String.raw`{"id":5,"a":"\ud800"}`,
    String.raw`{"id":5,"\udc00\ud800":1}`,
    `{"id":5,"a":1e99999}`
  ])("is malformed if Postgres cannot store it: %s", (text) => expect(reason(text)).toBe("Malformed"))

  it.each([
    String.raw`{"id":5,"a":"\\u0000"}`,
    String.raw`{"id":5,"a":"\ud83d\ude00"}`,
    String.raw`{"id":5,"a":"\\ud800"}`,
    `{"id":5,"serial":"1e99999"}`
  ])("is found with texts that only seem unstorable: %s", (text) => {
    expect(object(text)).toMatchObject({ id: "5", found: { json: text } })
  })
})

describe("a page", () => {
  const page = (text: string) => finish(pageIn(text))

  it("has the texts of its objects, and whether there are more", () => {
    const objects = [`{"id":1,"results":[{"id":9}],"a":"}]"}`, `{ "id": 2 }`, `{}`]
    const text = `{"count":3, "next":null, "x":[{"id":8}], "results" : [ ${objects.join(" ,\n")} ], "previous":null}`
    expect(page(text)).toEqual({ objects, hasMore: false })
    expect(page(text.replace("null", `"http://evil.example/?limit=1"`))).toEqual({ objects, hasMore: true })
    expect(page(`{"results":[],"next":null}`)).toEqual({ objects: [], hasMore: false })
  })

  it.each([
    "",
    "[]",
    "<html>",
    `{"results":{}}`,
    `{"results":[`,
    `{"results":[{"id":1}}`,
    `{"detail":"no"}`,
    `{"a":{"results":[{"id":1}]}}`,
    `{"results":[{"id":1}],"a":"${"x".repeat(20_000)}"}`,
    "[".repeat(100_000)
  ])("is none: %.40s", (text) => expect(page(text)).toBeUndefined())

  it("of two megabytes is cut in many steps", () => {
    let steps = 0
    const work = pageIn(`{"next":null,"results":[${`{"id":1},`.repeat(200_000)}{"id":1}]}`)
    for (let step = work.next(); step.done !== true; step = work.next()) steps++
    expect(steps).toBeGreaterThan(40)
  })
})
