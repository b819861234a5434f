/** The answer to a creation, which the statement that creates reads along, beside what a later read gives. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { makeWorld } from "../support/AnyObject.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Call, type Json, named } from "../support/Client.ts"
import { runs } from "../support/Seed.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

/** Values that only the answer to a creation shows. */
const once = (path: string): ReadonlyArray<string> => {
  const type = [...registry.values()].find((each) => each.path === path)
  return Object.entries(type?.fields ?? {}).flatMap(([name, { wire }]) => (wire === "once" ? [name] : []))
}

test("an object of any type is answered as a read shows it", async () => {
  const compared = new Set<string>()
  const different: Array<unknown> = []
  const call: Call = async <A = Json>(method: string, path: string, body?: unknown) => {
    const made = await api.call<A>(method, path, body)
    if (method !== "POST" || made.status !== 201) return made
    const shown = made.json as Json
    const read = await api.call("GET", `${path}${String(shown["id"])}/`)
    for (const [name, value] of Object.entries(shown)) {
      const later = read.json[name]
      if (once(path).includes(name) || JSON.stringify(value) === JSON.stringify(later)) continue
      different.push({ path, name, value, later })
    }
    compared.add(path)
    return made
  }
  await makeWorld(call, runs(1))
  expect(different).toEqual([])
  expect(compared.size).toBeGreaterThan(40)
})

test("objects of a list show what they refer to, in the order of the list", async () => {
  const { json: parent } = await api.call("POST", "/api/dcim/regions/", named("Parent"))
  const bodies = ["Zulu", "Alpha", "Mike"].map((name, at) => ({
    ...named(name),
    parent: at === 1 ? null : parent["id"]
  }))
  const made = await api.call<ReadonlyArray<Json>>("POST", "/api/dcim/regions/", bodies)
  expect(made.json).toMatchObject([
    { name: "Zulu", parent: { name: "Parent" }, _depth: 1, site_count: 0 },
    { name: "Alpha", parent: null, _depth: 0, site_count: 0 },
    { name: "Mike", parent: { name: "Parent" }, _depth: 1, site_count: 0 }
  ])
})
