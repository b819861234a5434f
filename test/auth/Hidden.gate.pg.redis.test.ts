/** Hidden objects, requested in every roundabout way. Visibility.pg.redis.test.ts holds the general law. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { type User, makeUser } from "./Users.ts"

let api: Api
let eve: User
const ids: Record<string, number> = {}

const make = async (name: string, collection: string, body: Json): Promise<void> => {
  ids[name] = await api.make(collection, body)
}

beforeAll(async () => {
  api = await sharedApi()
  await make("tenant", "tenancy/tenants", { ...named("Hidden tenant"), comments: "launch codes" })
  await make("up", "dcim/regions", named("Up"))
  await make("hiddenRegion", "dcim/regions", { ...named("Hidden middle"), parent: ids["up"] })
  await make("down", "dcim/regions", { ...named("Down"), parent: ids["hiddenRegion"] })
  await make("tag", "extras/tags", named("Hidden tag"))
  await make("seen", "dcim/sites", {
    ...named("Seen"),
    tenant: ids["tenant"],
    region: ids["down"],
    tags: [ids["tag"]],
    comments: "all may read this"
  })
  await make("hidden", "dcim/sites", named("Hidden site"))
  await make("rack", "dcim/racks", { name: "Hidden rack", site: ids["seen"] })
  await make("role", "dcim/device-roles", named("Role"))
  await make("manufacturer", "dcim/manufacturers", named("Acme"))
  const type = { manufacturer: ids["manufacturer"], model: "X1", slug: "x1" }
  await make("type", "dcim/device-types", type)
  const device = {
    name: "sw1",
    device_type: ids["type"],
    device_role: ids["role"],
    site: ids["seen"],
    rack: ids["rack"]
  }
  await make("device", "dcim/devices", device)
  const port = { device: ids["device"], name: "eth0", type: "virtual", mac_address: "02:00:00:00:00:01" }
  await make("interface", "dcim/interfaces", port)
  await make("range", "ipam/ip-ranges", { start_address: "10.9.0.5/24", end_address: "10.9.0.77/24" })
  eve = await makeUser(
    api,
    "eve",
    { types: ["dcim.site"], actions: ["view", "add", "change"], constraints: { name: "Seen" } },
    { types: ["dcim.region"], actions: ["view"], constraints: { name__in: ["Up", "Down"] } },
    { types: ["dcim.device", "dcim.manufacturer"], actions: ["view", "change"] },
    { types: ["dcim.location", "ipam.iprange"], actions: ["add"] },
    { types: ["users.token"], actions: ["add"] }
  )
})

afterAll(() => api.stop())

const count = async (path: string, { call }: Pick<User, "call"> = eve) =>
  ((await call("GET", path)).json as unknown as List).count

describe("a reference by attributes", () => {
  const location = async (site: unknown) => {
    const reply = await eve.call("POST", "/api/dcim/locations/import/?dry_run=true&format=json", [
      { ...named("L"), site }
    ])
    return [reply.status, reply.text] as const
  }
  const attempt = async (attributes: Json) => {
    const [status, text] = await location(attributes)
    return [status, text.replace(/(?<=provided attributes: )\{[^}]*\}/, "…")] as const
  }

  it("answers the same for hidden objects and for missing ones", async () => {
    expect((await location({ slug: "seen" }))[0]).toBe(200)
    const missing = await attempt({ slug: "nothing" })
    expect(missing[0]).toBe(400)
    expect(await attempt({ slug: "hidden-site" })).toEqual(missing)
    expect(await attempt({ slug: "seen", tenant: { slug: "hidden-tenant" } })).toEqual(missing)
    expect(await attempt({ slug: "seen", region: { parent: { slug: "hidden-middle" } } })).toEqual(missing)
  })

  it("can use names only", async () => {
    for (const letter of ["l", "x"]) {
      const [status, text] = await attempt({ slug: "seen", tenant__comments__startswith: letter })
      expect([status, text]).toEqual([400, (await attempt({ slug: "seen", tenant__comments__startswith: "?" }))[1]])
      expect(text).toContain("Objects of type tenancy.tenant are named by exact values of: id, name, slug, group.")
    }
    for (const truth of [true, false]) {
      const reply = await eve.call("POST", "/api/users/tokens/", { user: { username: "eve", is_superuser: truth } })
      expect([reply.status, reply.text]).toEqual([
        400,
        expect.stringContaining("Objects of type users.user are named by exact values of: id, username.")
      ])
    }
    expect((await eve.call("POST", "/api/users/tokens/", { user: { username: "eve" } })).status).toBe(201)
  })
})

describe("a filter", () => {
  it.each([
    ["dcim/sites/?tenant=hidden-tenant", 1],
    ["dcim/sites/?tag=hidden-tag", 1],
    ["dcim/sites/?region=hidden-middle", 1],
    ["dcim/devices/?mac_address=02:00:00:00:00:01", 1],
    ["dcim/devices/?mac_address__isw=02", 1],
    ["dcim/devices/?rack=Hidden%20rack", 1]
  ])("%s finds nothing by hidden objects, and its denial finds all", async (path, all) => {
    const denied = path.replace(/(__isw)?=/, (suffix) => (suffix === "=" ? "__n=" : "__nisw="))
    expect(await count(`/api/${path}`, api)).toBe(all)
    expect([await count(`/api/${path}`), await count(`/api/${denied}`)]).toEqual([0, 1])
  })

  it("by an id that a visible object shows finds that object, whether or not the id's object is hidden", async () => {
    expect(await count(`/api/dcim/sites/?tenant_id=${ids["tenant"]}`)).toBe(1)
    expect(await count(`/api/dcim/sites/?tag_id=${ids["tag"]}`)).toBe(1)
    // Only visible connected regions of the tree: the region below the hidden one names it as its parent.
    expect(await count(`/api/dcim/sites/?region_id=${ids["hiddenRegion"]}`)).toBe(1)
    expect(await count(`/api/dcim/sites/?region_id=${ids["up"]}`)).toBe(0)
    expect(await count(`/api/dcim/sites/?region_id=${ids["up"]}`, api)).toBe(1)
  })

  it("by the request of a change uses the changes that the user may see", async () => {
    const log = "/api/extras/object-changes/?changed_object_type=dcim.site"
    await expect.poll(() => count(log, api)).toBeGreaterThan(1)
    const { results } = (await api.call<{ results: ReadonlyArray<Json> }>("GET", log)).json
    const seen = results.find((each) => each["changed_object_id"] === ids["seen"])
    const path = `/api/dcim/sites/?created_by_request=${String(seen!["request_id"])}`
    expect([await count(path, api), await count(path)]).toEqual([1, 0])
  })
})

describe("an order", () => {
  it("cannot use a column that is not shown", async () => {
    const usual = (await api.call("GET", "/api/users/users/?fields=id")).text
    for (const name of ["password", "-password", "is_superuser", "-is_superuser", "groups"]) {
      expect((await api.call("GET", `/api/users/users/?fields=id&ordering=${name}`)).text).toBe(usual)
    }
    for (const name of ["data", "prechange_data"]) {
      expect((await api.call("GET", `/api/extras/object-changes/?ordering=${name}`)).status).toBe(200)
    }
  })
})

describe("a place in a tree", () => {
  it("is counted up to a hidden object", async () => {
    const depth = async ({ call }: Pick<User, "call">) =>
      (await call("GET", `/api/dcim/regions/${ids["down"]}/`)).json["_depth"]
    expect([await depth(api), await depth(eve)]).toEqual([2, 1])
    const sites = async ({ call }: Pick<User, "call">) =>
      (await call("GET", `/api/dcim/regions/${ids["up"]}/`)).json["site_count"]
    expect([await sites(api), await sites(eve)]).toEqual([1, 0])
  })
})

describe("a refusal", () => {
  it("does not reveal the names of hidden objects", async () => {
    await make("elsewhere", "dcim/sites", named("Elsewhere"))
    const path = `/api/dcim/devices/${ids["device"]}/`
    const reply = await eve.call("PATCH", path, { site: ids["seen"], position: 50, face: "front", status: "active" })
    expect([reply.status, reply.text]).toEqual([400, expect.not.stringContaining("X1")])
    expect((await api.call("PATCH", path, { position: 50, face: "front" })).text).toContain("X1 (1U)")
  })

  it("does not reveal the places of hidden objects in the way", async () => {
    const range = { start_address: "10.9.0.1/24", end_address: "10.9.0.9/24" }
    const told = async ({ call }: Pick<User, "call">) => (await call("POST", "/api/ipam/ip-ranges/", range)).text
    expect(await told(api)).toContain("10.9.0.5-10.9.0.77/24")
    expect(await told(eve)).toBe('{"__all__":["This conflicts with another IP range, which you may not view."]}')
  })
})
