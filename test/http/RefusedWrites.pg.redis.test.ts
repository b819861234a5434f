/** Refusals of large writes: they name the first faults and count the others. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { locationCharsMax } from "../../src/http/Route.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

const sites = "/api/dcim/sites/"

/** Most characters of a refusal. */
const refusalCharsMax = 64 * 1024

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

const refused = async (method: string, path: string, body: unknown) => {
  const reply = await api.call<Json>(method, path, body)
  expect([reply.status, reply.text.length < refusalCharsMax]).toEqual([400, true])
  return reply.json
}

describe("a refused list", () => {
  const numbered = Array.from({ length: 1000 }, (_, at) => named(`Site ${at}`))

  it.each([
    ["POST", 400, 201],
    ["PUT", 900, 101],
    ["PATCH", 900, 101]
  ])("of %s names a hundred wrong objects in their places, and counts the others", async (method, others, length) => {
    const bodies = numbered.map((site, at) => ({
      ...site,
      ...(method !== "POST" && { id: "x" }),
      status: at % 2 === 0 ? "active" : "odd"
    }))
    const errors = (await refused(method, sites, bodies)) as unknown as ReadonlyArray<Json>
    expect(errors.filter((each) => Object.keys(each).length > 0)).toHaveLength(101)
    expect([errors.length, errors.at(-1)]).toEqual([
      length,
      { non_field_errors: [`${others} more objects have errors.`] }
    ])
  })

  it("keeps to that for unknown fields of strict requests", async () => {
    const odd = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`odd_${at}`, 1]))
    const one = await refused("POST", `${sites}?strict=true`, { ...named("Odd"), ...odd })
    expect([Object.keys(one).length, one["non_field_errors"]]).toEqual([21, ["And 980 more unknown fields."]])
    const many = await refused(
      "POST",
      `${sites}?strict=true`,
      numbered.map((site) => ({ ...site, odd: 1 }))
    )
    expect(many).toHaveLength(101)
  })
})

describe("a refused object", () => {
  it("names twenty faults of a field, in their places, and counts the others", async () => {
    const tags = Array.from({ length: 5000 }, (_, at) => 1_000_000 + at)
    const ofTags = await refused("POST", sites, { ...named("Tagged"), tags })
    expect(ofTags["tags"]).toEqual([
      ...Array.from({ length: 20 }, () => [expect.stringContaining("Related object not found")]),
      ["And 4980 more."]
    ])
    const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field_${at}`, 1]))
    const ofFields = await refused("POST", sites, { ...named("Fields"), custom_fields: fields })
    expect(ofFields["__all__"]).toHaveLength(21)
    expect((ofFields["__all__"] as ReadonlyArray<string>).at(-1)).toBe("And 980 more.")
  })

  it("repeats the beginning of a long value", async () => {
    const long = "x".repeat(200_000)
    const errors = await refused("POST", sites, { ...named("Long"), region: { name: long }, tenant: { [long]: 1 } })
    const messages = Object.values(errors).flat() as ReadonlyArray<string>
    expect(messages.map((text) => text.length)).toEqual([501, 501])
  })
})

describe("a redirect", () => {
  const follow = async (path: string) => {
    const response = await fetch(api.service.url + path, { redirect: "manual", headers: { accept: "text/html" } })
    return [response.status, response.headers.get("location")]
  }

  it("leads to the login, and back unless the address is too long", async () => {
    expect(await follow("/dcim/sites/?q=a")).toEqual([302, "/login/?next=%2Fdcim%2Fsites%2F%3Fq%3Da"])
    // Each is three characters of an address, and five in a parameter of another one.
    const long = '"'.repeat(locationCharsMax / 2)
    expect(await follow(`/dcim/sites/?q=${long}`)).toEqual([302, "/login/"])
    expect(await follow(`/dcim/sites?q=${long}`)).toEqual([404, null])
  })
})
