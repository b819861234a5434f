/** Private saved filters: their user and superusers have them, and nobody else, whatever is granted. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { openBrowser } from "./Browser.ts"
import { type User, makeUser, userPassword } from "./Users.ts"

const filters = "/api/extras/saved-filters/"
const changes = "/api/extras/object-changes/?changed_object_type=extras.savedfilter&limit=0"

let api: Api
let ann: User
let bob: User
/** May do everything to every type, as ann and bob may to saved filters and sites alone. */
let eve: User
let ids: Readonly<Record<"shared" | "own" | "anns", number>>

const listOf = async (user: User, path = filters) => {
  const { status, json } = await user.call("GET", path)
  expect([path, status]).toEqual([path, 200])
  return json as unknown as List
}

beforeAll(async () => {
  api = await startApi()
  const actions = ["view", "add", "change", "delete"]
  const grant = { types: ["extras.savedfilter", "extras.objectchange", "dcim.site"], actions }
  ann = await makeUser(api, "ann", grant)
  bob = await makeUser(api, "bob", grant)
  eve = await makeUser(api, "eve", { types: [...registry.keys()], actions })
  const save = (name: string, fields: Json) => {
    const body = { ...named(name), content_types: ["dcim.site"], parameters: { name: `of ${name}` }, ...fields }
    return api.make("extras/saved-filters", body)
  }
  ids = {
    shared: await save("shared", { user: ann.id }),
    own: await save("own", { user: bob.id, shared: false }),
    anns: await save("anns", { user: ann.id, shared: false })
  }
})
afterAll(() => api.stop())

describe("the private saved filter of another user", () => {
  it("is in no list, count, filter, export and page", async () => {
    for (const user of [bob, eve]) {
      const expected = user === bob ? ["own", "shared"] : ["shared"]
      const { count, results } = await listOf(user)
      expect([count, results.map(({ name }) => name)]).toEqual([expected.length, expected])
      expect((await listOf(user, `${filters}?name=anns`)).count).toBe(0)
      expect((await user.call("GET", `${filters}${ids.anns}/`)).status).toBe(404)
      expect((await user.call("GET", `${filters}export/?format=csv`)).text).not.toContain("of anns")
    }
    const browser = openBrowser(api.service.url)
    await browser.logIn("bob", userPassword)
    const page = await (await browser.fetch("/extras/saved-filters/")).text()
    expect([page.includes("own"), page.includes("anns")]).toEqual([true, false])
    expect((await browser.fetch(`/extras/saved-filters/${ids.anns}/`)).status).toBe(404)
  })

  it("cannot be changed or deleted, alone or in bulk, nor taken", async () => {
    for (const user of [bob, eve]) {
      expect((await user.call("PATCH", `${filters}${ids.anns}/`, { user: user.id })).status).toBe(404)
      expect((await user.call("DELETE", `${filters}${ids.anns}/`)).status).toBe(404)
      // As in NetBox, a write of many passes over those that are not found.
      await user.call("PATCH", filters, [{ id: ids.anns, user: user.id }])
      await user.call("DELETE", filters, [{ id: ids.anns }])
    }
    const kept = await api.call("GET", `${filters}${ids.anns}/`)
    expect(kept.json).toMatchObject({ name: "anns", shared: false, user: ann.id })
    expect((await ann.call("PATCH", `${filters}${ids.anns}/`, { description: "mine" })).status).toBe(200)
  })

  it("is told of by no change in the log of a user who may not view everything", async () => {
    await caughtUp(api.database)
    const seenBy = async (user: User) =>
      new Set((await listOf(user, changes)).results.map((each) => (each as unknown as Json)["changed_object_id"]))
    expect(await seenBy(bob)).toEqual(new Set([ids.shared, ids.own]))
    expect(await seenBy(ann)).toEqual(new Set([ids.shared, ids.anns]))
  })

  it("takes no right over events from a user who may view everything", async () => {
    const filter = { status: "failed" }
    const retry = await eve.call("POST", "/api/extras/deliveries/retry/", { filter, dry_run: true })
    expect([retry.status, retry.json]).toMatchObject([202, { status: { value: "done" } }])
    expect(
      (
        await eve.call("POST", "/api/extras/webhooks/", {
          ...{ name: "eve", content_types: ["dcim.site"], type_create: true, payload_url: "http://127.0.0.1:1/" },
          enabled: false
        })
      ).status
    ).toBe(201)
  })
})
