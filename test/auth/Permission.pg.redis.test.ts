/** Access that an object permission opens, over real HTTP, and that nothing else is open. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { makeUser, permit } from "./Users.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})

afterAll(() => api.stop())

const noPermission = { detail: "You do not have permission to perform this action." }

const site = (name: string, fields: Json = {}) => api.make("dcim/sites", { ...named(name), ...fields })
const namesIn = (reply: { readonly json: unknown }) => (reply.json as List).results.map(({ name }) => name)

describe("an object permission", () => {
  it("allows the action that it names and no other", async () => {
    const id = await site("Open")
    const reader = await makeUser(api, "reader", { types: ["dcim.site"], actions: ["view"] })
    expect((await reader.call("GET", `/api/dcim/sites/${id}/`)).status).toBe(200)
    for (const [method, path, body] of [
      ["POST", "/api/dcim/sites/", named("New")],
      ["PATCH", `/api/dcim/sites/${id}/`, { description: "x" }],
      ["PUT", `/api/dcim/sites/${id}/`, named("Open")],
      ["DELETE", `/api/dcim/sites/${id}/`],
      ["GET", "/api/dcim/regions/"]
    ] as const) {
      const reply = await reader.call(method, path, body)
      expect([method, path, reply.status, reply.json]).toEqual([method, path, 403, noPermission])
    }
  })

  it("applies to members of its groups while it is enabled, from the next request on", async () => {
    const group = await api.make("users/groups", { name: "Readers" })
    const member = await makeUser(api, "member")
    const path = "/api/dcim/sites/"
    expect((await member.call("GET", path)).status).toBe(403)
    await api.call("PATCH", `/api/users/users/${member.id}/`, { groups: [group] })
    const permission = await api.make("users/permissions", {
      name: "Readers read",
      object_types: ["dcim.site"],
      actions: ["view"],
      groups: [group]
    })
    expect((await member.call("GET", path)).status).toBe(200)
    await api.call("PATCH", `/api/users/permissions/${permission}/`, { enabled: false })
    expect((await member.call("GET", path)).status).toBe(403)
  })

  it("with constraints hides other objects from lists, details, updates and deletes", async () => {
    const mine = await site("Constrained mine", { description: "mine" })
    const other = await site("Constrained other")
    const user = await makeUser(api, "constrained", {
      types: ["dcim.site"],
      actions: ["view", "change", "delete"],
      constraints: { description: "mine" }
    })
    expect(namesIn(await user.call("GET", "/api/dcim/sites/"))).toEqual(["Constrained mine"])
    expect((await user.call("GET", "/api/dcim/sites/")).json["count"]).toBe(1)
    expect((await user.call("GET", `/api/dcim/sites/${mine}/`)).status).toBe(200)
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const reply = await user.call(method, `/api/dcim/sites/${other}/`, method === "PATCH" ? {} : undefined)
      expect([method, reply.status]).toEqual([method, 404])
    }
    const both = [mine, other].map((id) => ({ id, comments: "changed" }))
    expect((await user.call("PATCH", "/api/dcim/sites/", both)).json).toHaveLength(1)
    expect((await user.call("DELETE", "/api/dcim/sites/", both)).status).toBe(204)
    expect((await api.call("GET", `/api/dcim/sites/${mine}/`)).status).toBe(404)
    expect((await api.call("GET", `/api/dcim/sites/${other}/`)).json).toMatchObject({ comments: "" })
  })

  it("keeps writes within its constraints: others are rolled back without an event", async () => {
    const id = await site("Inside", { description: "mine" })
    const user = await makeUser(api, "insider", {
      types: ["dcim.site"],
      actions: ["view", "add", "change"],
      constraints: [{ description: "mine" }, { description: "also mine" }]
    })
    const created = await user.call("POST", "/api/dcim/sites/", [
      { ...named("Good"), description: "mine" },
      { ...named("Outside"), description: "not mine" }
    ])
    expect([created.status, created.json]).toEqual([403, noPermission])
    const moved = await user.call("PATCH", `/api/dcim/sites/${id}/`, { description: "not mine" })
    expect([moved.status, moved.json]).toEqual([403, noPermission])
    expect((await user.call("PATCH", `/api/dcim/sites/${id}/`, { description: "also mine" })).status).toBe(200)
    expect(namesIn(await api.call("GET", "/api/dcim/sites/?name=Good&name=Outside"))).toEqual([])
    const last = await user.call("POST", "/api/dcim/sites/", { ...named("Last"), description: "mine" })
    // The log is in the order of the WAL: what came before the last change is there when it is.
    const isThere = async (request: string) => {
      const found = await api.call<List>("GET", `/api/extras/object-changes/?request_id=${request}`)
      return found.json.count > 0
    }
    await expect.poll(() => isThere(last.headers.get("x-request-id")!)).toBe(true)
    for (const refused of [created, moved]) expect(await isThere(refused.headers.get("x-request-id")!)).toBe(false)
  })

  it("adds to others: what one of them allows is allowed", async () => {
    const ids = [await site("One", { facility: "f1" }), await site("Two", { facility: "f2" })]
    const user = await makeUser(
      api,
      "adder",
      { types: ["dcim.site"], actions: ["view"], constraints: { facility: "f1" } },
      { types: ["dcim.site"], actions: ["view"], constraints: { name__startswith: "Tw", facility__in: ["f2"] } }
    )
    expect(namesIn(await user.call("GET", "/api/dcim/sites/")).sort()).toEqual(["One", "Two"])
    await permit(api, user.id, { types: ["dcim.site"], actions: ["view"] })
    expect((await user.call("GET", "/api/dcim/sites/")).json["count"]).toBeGreaterThan(ids.length)
  })

  it("with constraints that no object can meet is refused with the reason", async () => {
    const wrong: ReadonlyArray<readonly [unknown, string]> = [
      [{ nothing: 1 }, "dcim.site has nothing to filter by nothing with this value."],
      [{ region__nothing: 1 }, "dcim.site has nothing to filter by region__nothing with this value."],
      [{ status: "nowhere" }, "status: Select a valid choice. nowhere is not one of the available choices."],
      [{ region: "abc" }, "region: Enter a number."],
      [{ name__near: "x" }, "dcim.site has nothing to filter by name__near with this value."],
      [{ name__in: "x" }, "dcim.site has nothing to filter by name__in with this value."],
      [[], "An empty list allows no object; null allows all."],
      ["x", "Constraints are a dictionary or a list of them, not str."],
      [
        { "id); drop table dcim_site; --": 1 },
        "dcim.site has nothing to filter by id); drop table dcim_site; -- with this value."
      ]
    ]
    for (const [constraints, message] of wrong) {
      const body = { name: "wrong", object_types: ["dcim.site"], actions: ["view"], constraints }
      const reply = await api.call("POST", "/api/users/permissions/", body)
      expect([reply.status, reply.json]).toEqual([400, { constraints: [message] }])
    }
    const secret = {
      name: "x",
      object_types: ["users.user"],
      actions: ["view"],
      constraints: { password__startswith: "$" }
    }
    expect((await api.call("POST", "/api/users/permissions/", secret)).json).toEqual({
      constraints: ["users.user has nothing to filter by password__startswith with this value."]
    })
  })
})

describe("a hidden object", () => {
  it("shows only its id where another refers to it, and cannot be referred to in a write", async () => {
    const region = await api.make("dcim/regions", named("Hidden region"))
    const id = await site("In hidden region", { region })
    const free = await site("In no region")
    const user = await makeUser(api, "blinkered", { types: ["dcim.site"], actions: ["view", "change"] })
    const shown = (await user.call("GET", `/api/dcim/sites/${id}/`)).json
    expect(shown["region"]).toEqual({
      id: region,
      url: `${api.service.url}/api/dcim/regions/${region}/`,
      display: `#${region}`
    })
    expect(
      (await user.call("PATCH", `/api/dcim/sites/${id}/`, { region: shown["region"], facility: "x" })).status
    ).toBe(200)
    for (const named of [region, { slug: "hidden-region" }]) {
      const reply = await user.call("PATCH", `/api/dcim/sites/${free}/`, { region: named })
      expect([reply.status, Object.keys(reply.json)]).toEqual([400, ["region"]])
    }
  })

  it("is not counted, and not named when it is in the way", async () => {
    const region = await api.make("dcim/regions", named("Counted region"))
    const tenant = await api.make("tenancy/tenants", named("Needed tenant"))
    const seen = await site("Seen one", { region, tenant })
    const hidden = await site("Hidden one", { region, tenant })
    const user = await makeUser(
      api,
      "counter",
      { types: ["dcim.region"], actions: ["view"] },
      { types: ["tenancy.tenant"], actions: ["view", "delete"] },
      {
        types: ["dcim.site"],
        actions: ["view"],
        constraints: { name__startswith: "Seen", tenant__slug: "needed-tenant" }
      }
    )
    const count = async (call: typeof user.call) => {
      const shown = (await call("GET", `/api/dcim/regions/${region}/`)).json
      const listed = (await call("GET", `/api/dcim/regions/?id=${region}`)).json["results"] as ReadonlyArray<Json>
      return [shown["site_count"], listed[0]!["site_count"]]
    }
    expect(await count(api.call)).toEqual([2, 2])
    expect(await count(user.call)).toEqual([1, 1])
    const refused = await user.call("DELETE", `/api/tenancy/tenants/${tenant}/`)
    expect([refused.status, refused.json]).toEqual([
      409,
      {
        detail: `Unable to delete object. 2 dependent objects were found: Seen one (${seen}), #${hidden} (${hidden})`
      }
    ])
  })

  it("cannot be set as a generic reference, and an existing reference may stay", async () => {
    const secret = await site("Journalled in secret")
    const open = await site("Journalled openly")
    const path = "/api/extras/journal-entries/"
    const about = (id: number) => ({ assigned_object_type: "dcim.site", assigned_object_id: id, comments: "x" })
    const entry = await api.make("extras/journal-entries", about(secret))
    const user = await makeUser(
      api,
      "journalist",
      { types: ["extras.journalentry"], actions: ["view", "add", "change"] },
      { types: ["dcim.site"], actions: ["view"], constraints: { name: "Journalled openly" } }
    )
    const shown = (await user.call("GET", `${path}${entry}/`)).json
    expect(shown["assigned_object"]).toMatchObject({ id: secret, display: `#${secret}` })
    expect((await user.call("PATCH", `${path}${entry}/`, about(secret))).status).toBe(200)
    expect((await user.call("POST", path, about(secret))).status).toBe(400)
    expect((await user.call("POST", path, about(open))).status).toBe(201)
  })

  it("has no changes in the log", async () => {
    await site("Logged mine", { description: "logged" })
    const other = await site("Logged other")
    const user = await makeUser(
      api,
      "auditor",
      { types: ["extras.objectchange"], actions: ["view"] },
      { types: ["dcim.site"], actions: ["view"], constraints: { description: "logged" } }
    )
    const path = "/api/extras/object-changes/"
    await expect
      .poll(async () => (await api.call<List>("GET", `${path}?changed_object_id=${other}`)).json.count)
      .toBeGreaterThan(0)
    const seen = (await user.call("GET", path)).json["results"] as ReadonlyArray<Json>
    expect(seen.map((change) => change["object_repr"])).toEqual(["Logged mine"])
    const [hidden] = (await api.call<List>("GET", `${path}?changed_object_id=${other}`)).json.results
    expect((await user.call("GET", `${path}${hidden!.id}/`)).status).toBe(404)
  })
})
