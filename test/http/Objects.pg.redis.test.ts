/** Objects over the wire: what is refused and how, and what is kept. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})

afterAll(() => api.stop())

describe("wrong bodies", () => {
  it("are answered 400, 413 and 415 with the reason, and change nothing", async () => {
    const before = (await api.call<List>("GET", "/api/dcim/sites/")).json.count
    const malformed = await api.call<Json>("POST", "/api/dcim/sites/", "{not json")
    expect([malformed.status, String(malformed.json["detail"]).startsWith("JSON parse error - ")]).toEqual([400, true])
    const deep = `{"name": "Deep", "slug": "deep", "custom_fields": ${"[".repeat(5000)}${"]".repeat(5000)}}`
    expect(await api.call<Json>("POST", "/api/dcim/sites/", deep)).toMatchObject({
      status: 400,
      json: { detail: "JSON parse error - nested more than 100 levels deep" }
    })
    const large = await api.call<Json>("POST", "/api/dcim/sites/", {
      ...named("Large"),
      comments: "x".repeat(1024 * 1024)
    })
    expect(large.status).toBe(413)
    const form = await fetch(`${api.service.url}/api/dcim/sites/`, {
      method: "POST",
      headers: { authorization: `Token ${await api.newToken()}`, "content-type": "application/x-www-form-urlencoded" },
      body: "name=x"
    })
    expect([form.status, await form.json()]).toEqual([
      415,
      { detail: 'Unsupported media type "application/x-www-form-urlencoded" in request.' }
    ])
    expect((await api.call<List>("GET", "/api/dcim/sites/")).json.count).toBe(before)
  })

  it("name every field that is wrong, in NetBox's words", async () => {
    const reply = await api.call<Json>("POST", "/api/dcim/sites/", {
      name: "",
      slug: "not a slug!",
      status: "lost",
      region: 999_999,
      latitude: "north",
      description: 5,
      facility: "x".repeat(51),
      tags: "no list"
    })
    expect([reply.status, reply.json]).toEqual([
      400,
      {
        name: ["This field may not be blank."],
        slug: ['Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.'],
        status: ["lost is not a valid choice."],
        region: ["Related object not found using the provided numeric ID: 999999"],
        latitude: ["A valid number is required."],
        facility: ["Ensure this field has no more than 50 characters."],
        tags: { non_field_errors: ['Expected a list of items but got type "str".'] }
      }
    ])
    expect((await api.call("POST", "/api/dcim/sites/", {})).json).toEqual({
      name: ["This field is required."],
      slug: ["This field is required."]
    })
  })

  it("tell what is wrong with a reference, or with a list, in NetBox's shapes and words", async () => {
    const tag = (await api.call("POST", "/api/extras/tags/", named("Good"))).json["id"]
    const refused = async (fields: Json, path = "dcim/sites") =>
      (await api.call("POST", `/api/${path}/`, { ...named("Refused"), ...fields })).json
    const numeric = (id: number) => `Related object not found using the provided numeric ID: ${id}`
    const unrecognized = "Related objects must be referenced by numeric ID or by dictionary of attributes."
    expect(await refused({ tags: [tag, 999_999, { name: "O'Hara" }, true] })).toEqual({
      tags: [{}, {}, {}, [`${unrecognized} Received an unrecognized value: True`]]
    })
    expect(await refused({ tags: [tag, 999_999, { name: "O'Hara" }] })).toEqual({
      tags: [{}, [numeric(999_999)], [`Related object not found using the provided attributes: {'name': "O'Hara"}`]]
    })
    expect(await refused({ tags: "x" })).toEqual({
      tags: { non_field_errors: ['Expected a list of items but got type "str".'] }
    })
    expect(await refused({ asns: "x" })).toEqual({ asns: ['Expected a list of items but got type "str".'] })
    expect(await refused({ asns: [999_999, 999_998] })).toEqual({
      asns: ['Invalid pk "999999" - object does not exist.']
    })
    expect(await refused({ asns: ["x"] })).toEqual({ asns: ["Incorrect type. Expected pk value, received str."] })
    expect(await refused({ region: "here" })).toEqual({
      region: [`${unrecognized} Received an unrecognized value: here`]
    })
    expect(await refused({ region: [1, null] })).toEqual({
      region: [`${unrecognized} Received an unrecognized value: [1, None]`]
    })
    expect(await refused({ group: { name: "G", parent: { name: "P" } } })).toEqual({
      group: ["Related object not found using the provided attributes: {'name': 'G', 'parent__name': 'P'}"]
    })
    const service = { name: "S", protocol: "tcp", device: null, ports: [80, "x", 0] }
    expect(await refused(service, "ipam/services")).toEqual({
      ports: { 1: ["A valid integer is required."], 2: ["Ensure this value is greater than or equal to 1."] }
    })
  })

  it("are told with what is already taken, of every field at once", async () => {
    await api.call("POST", "/api/dcim/sites/", named("First"))
    const taken = await api.call("POST", "/api/dcim/sites/", { ...named("First"), status: "lost", region: 999_999 })
    const exists = { name: ["site with this name already exists."], slug: ["site with this slug already exists."] }
    expect(taken.json).toEqual({
      ...exists,
      status: ["lost is not a valid choice."],
      region: ["Related object not found using the provided numeric ID: 999999"]
    })
    const other = await api.call<Json>("POST", "/api/dcim/sites/", named("Other"))
    const path = `/api/dcim/sites/${String(other.json["id"])}/`
    expect((await api.call("PATCH", path, { name: "First", latitude: "x" })).json).toEqual({
      name: exists.name,
      latitude: ["A valid number is required."]
    })
    expect((await api.call("PATCH", path, { name: "Other", latitude: "x" })).json).toEqual({
      latitude: ["A valid number is required."]
    })
    // A rule and a uniqueness of several fields together; the uniqueness of several fields only where none is wrong.
    const rack = { name: "R", site: other.json["id"], asset_tag: "A" }
    expect((await api.call("POST", "/api/dcim/racks/", rack)).status).toBe(201)
    expect((await api.call("POST", "/api/dcim/racks/", { ...rack, outer_width: 5 })).json).toEqual({
      __all__: ["Must specify a unit when setting an outer width/depth"],
      asset_tag: ["rack with this Asset tag already exists."]
    })
    const location = { ...named("L"), site: other.json["id"] }
    expect((await api.call("POST", "/api/dcim/locations/", location)).status).toBe(201)
    expect(Object.keys((await api.call("POST", "/api/dcim/locations/", { ...location, status: "x" })).json)).toEqual([
      "status"
    ])
  })

  it("of a list give errors in the order of the list, also for duplicates in it, and nothing is stored", async () => {
    await api.call("POST", "/api/dcim/sites/", named("Taken"))
    const reply = await api.call("POST", "/api/dcim/sites/", [
      named("Fresh"),
      named("Taken"),
      named("Twice"),
      named("Twice"),
      {}
    ])
    const exists = { name: ["site with this name already exists."], slug: ["site with this slug already exists."] }
    expect([reply.status, reply.json]).toEqual([
      400,
      [{}, exists, {}, exists, { name: ["This field is required."], slug: ["This field is required."] }]
    ])
    const unique = await api.call("POST", "/api/dcim/sites/", [
      named("Fresh"),
      named("Taken"),
      named("Twice"),
      named("Twice")
    ])
    expect([unique.status, unique.json]).toEqual([400, [{}, exists, {}, exists]])
    expect((await api.call<List>("GET", "/api/dcim/sites/?slug=fresh")).json.count).toBe(0)
  })
})

describe("objects", () => {
  it("are created, read, changed and deleted, one by one", async () => {
    const made = await api.call<Json>("POST", "/api/dcim/sites/", {
      ...named("One"),
      latitude: "12.5",
      status: "planned"
    })
    expect(made.status).toBe(201)
    const path = `/api/dcim/sites/${made.json["id"]}/`
    expect(made.json).toMatchObject({
      url: api.service.url + path,
      display: "One",
      status: { value: "planned", label: "Planned" },
      latitude: 12.5,
      region: null,
      tags: []
    })
    expect((await api.call("GET", path)).json).toEqual(made.json)
    const patched = await api.call<Json>("PATCH", path, { comments: "hello" })
    expect(patched.json).toMatchObject({ comments: "hello", latitude: 12.5 })
    expect((await api.call("PUT", path, { description: "x" })).json).toEqual({
      name: ["This field is required."],
      slug: ["This field is required."]
    })
    expect((await api.call<Json>("PUT", path, named("One more"))).json).toMatchObject({
      name: "One more",
      comments: "hello"
    })
    expect((await api.call("DELETE", path)).status).toBe(204)
    expect([(await api.call("GET", path)).status, (await api.call("PATCH", path, {})).json]).toEqual([
      404,
      { detail: "Not found." }
    ])
  })

  it("are changed and deleted in bulk, ignoring unknown ids", async () => {
    const made = await api.call<ReadonlyArray<{ id: number }>>("POST", "/api/dcim/sites/", [
      named("Bulk b"),
      named("Bulk a")
    ])
    const [b, a] = made.json.map(({ id }) => id)
    const patched = await api.call<ReadonlyArray<Json>>("PATCH", "/api/dcim/sites/", [
      { id: b, description: "second" },
      { id: 999_999, description: "nobody" },
      { id: a, description: "first" }
    ])
    expect(patched.json.map((row) => [row["name"], row["description"]])).toEqual([
      ["Bulk a", "first"],
      ["Bulk b", "second"]
    ])
    expect((await api.call("PATCH", "/api/dcim/sites/", [{ description: "x" }])).json).toEqual([
      { id: ["This field is required."] }
    ])
    expect((await api.call("PATCH", "/api/dcim/sites/", { id: a })).json).toEqual({
      non_field_errors: ['Expected a list of items but got type "dict".']
    })
    const swapped = [
      { id: a, slug: "bulk-b" },
      { id: b, slug: "bulk-a" }
    ]
    expect((await api.call("PATCH", "/api/dcim/sites/", swapped)).status).toBe(400)
    expect((await api.call("DELETE", "/api/dcim/sites/", [{ id: a }, { id: b }, { id: 999_999 }])).status).toBe(204)
    expect((await api.call<List>("GET", "/api/dcim/sites/?name__isw=Bulk")).json.count).toBe(0)
  })

  it("can be named by id, by an id as text, and by attributes", async () => {
    const region = await api.call<{ id: number }>("POST", "/api/dcim/regions/", named("Europe"))
    for (const [at, target] of [
      region.json.id,
      `${region.json.id}`,
      { slug: "europe" },
      { id: region.json.id }
    ].entries()) {
      const made = await api.call<Json>("POST", "/api/dcim/sites/", { ...named(`Pointing ${at}`), region: target })
      expect(made.json["region"]).toMatchObject({
        id: region.json.id,
        name: "Europe",
        slug: "europe",
        display: "Europe"
      })
    }
    const wrong = await api.call<Json>("POST", "/api/dcim/sites/", { ...named("Wrong"), region: { slug: "nowhere" } })
    expect(wrong.json).toEqual({
      region: ["Related object not found using the provided attributes: {'slug': 'nowhere'}"]
    })
    expect((await api.call<List>("GET", `/api/dcim/sites/?region=europe&name__ic=pointing`)).json.count).toBe(4)
    expect((await api.call("DELETE", `/api/dcim/regions/${region.json.id}/`)).status).toBe(204)
    expect((await api.call<List>("GET", "/api/dcim/sites/?region_id=null&name__ic=pointing")).json.count).toBe(4)
  })

  it("form trees without cycles", async () => {
    const parent = await api.call<{ id: number }>("POST", "/api/dcim/regions/", named("Root"))
    const child = await api.call<{ id: number }>("POST", "/api/dcim/regions/", {
      ...named("Leaf"),
      parent: parent.json.id
    })
    const circle = await api.call("PATCH", `/api/dcim/regions/${parent.json.id}/`, { parent: child.json.id })
    expect([circle.status, circle.json]).toEqual([400, { parent: ["Cannot assign self or child region as parent."] }])
    const twice = await api.call("POST", "/api/dcim/regions/", named("Root"))
    expect(twice.json).toEqual({
      __all__: [
        "A top-level region with this name already exists.",
        "A top-level region with this slug already exists."
      ]
    })
  })

  it("have tags, which are replaced as a set and vanish when they are deleted", async () => {
    const tags = await api.call<ReadonlyArray<{ id: number }>>("POST", "/api/extras/tags/", [
      named("Core"),
      named("Edge")
    ])
    const [core, edge] = tags.json.map(({ id }) => id)
    const made = await api.call<Json>("POST", "/api/dcim/sites/", {
      ...named("Tagged"),
      tags: [edge, { slug: "core" }]
    })
    expect((made.json["tags"] as ReadonlyArray<Json>).map((tag) => tag["name"])).toEqual(["Core", "Edge"])
    expect((await api.call<List>("GET", "/api/dcim/sites/?tag=core&tag=edge")).json.count).toBe(1)
    const path = `/api/dcim/sites/${made.json["id"]}/`
    await api.call("PATCH", path, { tags: [core] })
    expect((await api.call<List>("GET", "/api/dcim/sites/?tag=core&tag=edge")).json.count).toBe(0)
    await api.call("DELETE", `/api/extras/tags/${core}/`)
    expect((await api.call<Json>("GET", path)).json["tags"]).toEqual([])
  })
})
