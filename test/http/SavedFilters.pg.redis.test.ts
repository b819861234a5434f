/** Saved filters named in the query of a list. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type User, makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

let api: Api
let ann: User

const save = async (name: string, parameters: Json, fields: Json = {}) => {
  const body = { ...named(name), content_types: ["dcim.site"], parameters, ...fields }
  return api.make("extras/saved-filters", body)
}

const found = async (query: string, call: Api["call"] | User["call"] = api.call) => {
  const { status, json } = await call("GET", `/api/dcim/sites/?${query}`)
  return status === 200 ? (json as unknown as List).results.map(({ name }) => name).join(" ") : json
}

const unknown = (value: string) => [`Select a valid choice. ${value} is not one of the available choices.`]

beforeAll(async () => {
  api = await sharedApi()
  ann = await makeUser(api, "ann", { types: ["dcim.site"], actions: ["view"] })
  const site = (name: string, status: string, facility: string) => ({ ...named(name), status, facility })
  await api.call("POST", "/api/dcim/sites/", [
    site("alpha", "active", "F1"),
    site("bravo", "planned", "F1"),
    site("charlie", "retired", "F2")
  ])
})
afterAll(() => api.stop())

test("stand for the parameters that they keep, single or several, and add up", async () => {
  const id = await save("Open", { status: ["active", "planned"], limit: 1, ordering: "-name", tenant: null })
  await save("Gone", { status: "retired" })
  await save("Second", { facility: "F2" })
  expect(await found("filter=open")).toBe("alpha bravo")
  expect(await found(`filter_id=${id}`)).toBe("alpha bravo")
  expect(await found("filter=open&filter=gone")).toBe("alpha bravo charlie")
  expect(await found("filter=gone&filter=second")).toBe("charlie")
  expect(await found("filter=open&filter=second")).toBe("")
  expect(await found("filter=&strict=true")).toBe("alpha bravo charlie")
  const reply = await api.raw("GET", "/api/dcim/sites/export/?format=csv&filter=gone", undefined, await api.newToken())
  expect(reply.text.trim().split("\n")).toHaveLength(2)
})

test("give way to what the query says itself under the same name", async () => {
  await save("Mostly planned", { status: ["planned"], facility: ["F1"] })
  expect(await found("filter=mostly-planned&status=active&status=retired")).toBe("alpha")
})

test("are refused where they are unknown, switched off or for another type", async () => {
  await save("Off", { status: "active" }, { enabled: false })
  await save("Racks", { status: "active" }, { content_types: ["dcim.rack"] })
  expect(await found("filter=nope&filter_id=x&filter_id=999")).toEqual({
    filter: unknown("nope"),
    filter_id: [...unknown("x"), ...unknown("999")]
  })
  expect(await found("filter=off")).toEqual({ filter: unknown("off") })
  expect(await found("filter=racks")).toEqual({ filter: unknown("racks") })
  for (const path of ["/api/users/users/", "/api/extras/object-changes/"]) {
    expect((await api.call("GET", `${path}?filter=nope`)).json).toEqual({ filter: unknown("nope") })
  }
})

test("are for everybody where they are shared, and otherwise for whose they are", async () => {
  await save("Shared", { status: "active" }, { user: await api.adminId() })
  await save("Ours", { status: "active" }, { user: await api.adminId(), shared: false })
  await save("Hers", { status: "planned" }, { user: ann.id, shared: false })
  expect([await found("filter=shared"), await found("filter=shared", ann.call)]).toEqual(["alpha", "alpha"])
  expect(await found("filter=ours")).toBe("alpha")
  expect(await found("filter=ours", ann.call)).toEqual({ filter: unknown("ours") })
  expect(await found("filter=hers", ann.call)).toBe("bravo")
  expect(await found("filter=hers")).toEqual({ filter: unknown("hers") })
})
