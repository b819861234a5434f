/** Restoring a deleted object restores the objects that were deleted with it, and the references to them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type Json, type List, named } from "../support/Client.ts"

interface Found {
  readonly results: ReadonlyArray<Json & { readonly id: number }>
}

let api: Api
let usual: Json
let admin: string

beforeAll(async () => {
  api = await startApi()
  admin = await api.newToken({})
  usual = {
    device_type: await api.make("dcim/device-types", {
      model: "M",
      slug: "m",
      manufacturer: await slugged("manufacturers")
    }),
    device_role: await slugged("device-roles"),
    site: await slugged("sites")
  }
})
afterAll(() => api.stop())

const slugged = (plural: string) => api.make(`dcim/${plural}`, named("Usual"))
const device = (name: string, fields: Json = {}) => api.make("dcim/devices", { ...usual, name, ...fields })
const port = (of: number, name: string, fields: Json = {}) =>
  api.make("dcim/interfaces", { device: of, name, type: "1000base-t", ...fields })
const address = (text: string, on?: number, fields: Json = {}) =>
  api.make("ipam/ip-addresses", {
    ...{ address: text, ...fields },
    ...(on !== undefined && { assigned_object_type: "dcim.interface", assigned_object_id: on })
  })
const cable = (a: number, b: number, label: string) => {
  const ends = ([id]: ReadonlyArray<number>) => [{ object_type: "dcim.interface", object_id: id }]
  return api.make("dcim/cables", { a_terminations: ends([a]), b_terminations: ends([b]), label })
}
const change = async (path: string, body: Json) => {
  const { status, text } = await api.call("PATCH", `/api/${path}/`, body)
  if (status !== 200) throw new Error(text)
}
const found = async (path: string) => (await api.call<Found>("GET", `/api/${path}`)).json.results

/** Deletes an object, and returns the page that restores it. */
const deleted = async (path: string, type: string, id: number) => {
  expect((await api.call("DELETE", `/api/${path}/${id}/`)).status).toBe(204)
  await caughtUp(api.database)
  const query = `?changed_object_type=${type}&changed_object_id=${id}&action=delete`
  const [logged] = (await api.call<List>("GET", `/api/extras/object-changes/${query}`)).json.results
  return `/extras/object-changes/${logged!.id}/restore/`
}
const deletedDevice = (id: number) => deleted("dcim/devices", "dcim.device", id)

const page = async (path: string, token: string, form?: URLSearchParams) => {
  const reply = await fetch(`${api.service.url}${path}`, {
    ...{ method: form === undefined ? "GET" : "POST", redirect: "manual" },
    headers: { authorization: `Token ${token}`, accept: "text/html" },
    ...(form !== undefined && { body: form })
  })
  const text = (await reply.text()).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")
  return { status: reply.status, location: reply.headers.get("location"), text }
}

const everyField = [
  ...["name", "device_type", "device_role", "site", "status", "primary_ip4", "primary_ip6", "tags", "custom_fields"],
  ...["virtual_chassis", "vc_position", "slug", "master"]
]
const restoring = (fields: ReadonlyArray<string> = everyField) =>
  new URLSearchParams(fields.map((name): [string, string] => ["field", name]))

describe("restoring a deleted device", () => {
  it("restores its own components, and makes none of the templates of its type", async () => {
    const device_type = await api.make("dcim/device-types", {
      ...{ model: "Ports", slug: "ports", manufacturer: await api.make("dcim/manufacturers", named("Ports")) }
    })
    for (const name of ["eth0", "eth1"]) {
      await api.make("dcim/interface-templates", { device_type, name, type: "1000base-t" })
    }
    const own = await device("templated", { device_type })
    const [first, second] = await found(`dcim/interfaces/?device_id=${own}`)
    await change(`dcim/interfaces/${first!.id}`, { name: "renamed" })
    expect((await api.call("DELETE", `/api/dcim/interfaces/${second!.id}/`)).status).toBe(204)
    const done = await page(await deletedDevice(own), admin, restoring())
    expect([done.status, done.text]).toEqual([302, ""])
    const [restored] = await found("dcim/devices/?name=templated")
    const ports = await found(`dcim/interfaces/?device_id=${restored!.id}`)
    expect(ports.map((each) => each["name"])).toEqual(["renamed"])
  })

  it("restores what was deleted with it, in one transaction", async () => {
    const [own, peer] = [await device("own"), await device("peer")]
    const lag = await port(own, "po1", { type: "lag" })
    const first = await port(own, "eth1", { lag })
    const second = await port(own, "eth2", { bridge: first })
    await change(`dcim/interfaces/${first}`, { bridge: second })
    const socket = await port(own, "eth3")
    await cable(socket, await port(peer, "eth1"), "to the peer")
    const four = await address("192.0.2.1/24", first)
    const six = await address("2001:db8::1/64", second)
    await address("198.51.100.1/24", undefined, { nat_inside: four })
    await change(`dcim/devices/${own}`, { primary_ip4: four, primary_ip6: six })
    const board = await api.make("dcim/inventory-items", { device: own, name: "board" })
    await api.make("dcim/inventory-items", {
      ...{ device: own, name: "optic", parent: board },
      ...{ component_type: "dcim.interface", component_id: socket }
    })
    await api.make("extras/journal-entries", {
      ...{ assigned_object_type: "dcim.device", assigned_object_id: own, comments: "It hums." }
    })
    const path = await deletedDevice(own)
    const preview = await page(path, admin)
    expect(preview.status).toBe(200)
    expect(preview.text).toContain("4 interfaces")
    expect(preview.text).toContain("2 inventory items")
    expect(preview.text).not.toContain("Not restored")
    expect(await found("dcim/devices/?name=own")).toEqual([])
    const done = await page(path, admin, restoring())
    expect([done.status, done.text]).toEqual([302, ""])
    const [restored] = await found("dcim/devices/?name=own")
    expect(done.location).toBe(`/dcim/devices/${restored!.id}/`)
    const [a, b] = await Promise.all(
      ["192.0.2.1", "2001:db8::1"].map((text) => found(`ipam/ip-addresses/?address=${text}`))
    )
    expect(restored).toMatchObject({ primary_ip4: { id: a![0]!.id }, primary_ip6: { id: b![0]!.id } })
    const ports = await found(`dcim/interfaces/?device_id=${restored!.id}`)
    const idOf = (name: string) => ports.find((each) => each["name"] === name)!.id
    const one = (name: string) => ports.find((each) => each["name"] === name)
    expect(ports.map((each) => each["name"])).toEqual(["eth1", "eth2", "eth3", "po1"])
    expect(one("eth1")).toMatchObject({ lag: { id: idOf("po1") }, bridge: { id: idOf("eth2") } })
    expect(one("eth2")).toMatchObject({ bridge: { id: idOf("eth1") } })
    expect(one("eth3")).toMatchObject({ link_peers: [{ device: { id: peer } }] })
    expect(a![0]).toMatchObject({ assigned_object_id: idOf("eth1") })
    const [outside] = await found("ipam/ip-addresses/?address=198.51.100.1")
    expect(outside).toMatchObject({ nat_inside: { id: a![0]!.id } })
    const items = await found(`dcim/inventory-items/?device_id=${restored!.id}`)
    const root = items.find((each) => each["name"] === "board")
    expect(items.find((each) => each["name"] === "optic")).toMatchObject({
      parent: root!.id,
      component_id: idOf("eth3")
    })
    const journal = await found("extras/journal-entries/")
    expect(journal).toMatchObject([{ assigned_object_id: restored!.id, comments: "It hums." }])
    await caughtUp(api.database)
    const { json } = await api.call<{ readonly results: ReadonlyArray<Json> }>(
      "GET",
      "/api/extras/object-changes/?limit=12"
    )
    const requests = json.results.map((each) => [each["request_id"], each["user_name"]].join(" "))
    expect(new Set(requests).size).toBe(1)
    expect(requests[0]).toMatch(/ admin$/)
  })

  it("names each object that is refused, with the reason, and what depends on it", async () => {
    const [own, peer] = [await device("taken"), await device("far")]
    await cable(await port(own, "eth1"), await port(peer, "eth1"), "to the far end")
    const platform = await api.make("dcim/platforms", named("Old"))
    await change(`dcim/devices/${own}`, { platform })
    const board = await api.make("dcim/inventory-items", { device: own, name: "tagged", asset_tag: "T1" })
    await api.make("dcim/inventory-items", { device: own, name: "child", parent: board })
    const path = await deletedDevice(own)
    await api.make("dcim/inventory-items", { device: peer, name: "thief", asset_tag: "T1" })
    await api.call("DELETE", `/api/dcim/platforms/${platform}/`)
    const [far] = await found(`dcim/interfaces/?device_id=${peer}`)
    await api.call("DELETE", `/api/dcim/interfaces/${far!.id}/`)
    const form = restoring([...everyField, "platform"])
    const texts = [(await page(path, admin)).text, (await page(path, admin, form)).text]
    for (const text of texts) {
      expect(text).toContain("Not restored")
      expect(text).toMatch("inventory item tagged : Asset tag : There is another inventory item with this asset tag.")
      expect(text).toMatch(/inventory item child : Its parent is not restored\./)
      expect(text).toMatch(/device taken, Platform : /)
      expect(text).toMatch(/cable to the far end : B side : /)
    }
    const [restored] = await found("dcim/devices/?name=taken")
    expect(restored).toMatchObject({ platform: null })
    expect(await found(`dcim/inventory-items/?device_id=${restored!.id}`)).toEqual([])
    expect(await found(`dcim/interfaces/?device_id=${restored!.id}`)).toHaveLength(1)
  })

  it("leaves out what the user may not add", async () => {
    const own = await device("limited")
    const four = await address("203.0.113.1/24", await port(own, "eth1"))
    await change(`dcim/devices/${own}`, { primary_ip4: four })
    const path = await deletedDevice(own)
    const { token } = await makeUser(
      api,
      "limited",
      { types: ["dcim.device", "dcim.interface"], actions: ["view", "add"] },
      {
        types: ["dcim.site", "dcim.devicetype", "dcim.devicerole", "ipam.ipaddress", "extras.objectchange"],
        actions: ["view"]
      }
    )
    const done = await page(path, token, restoring())
    expect(done.status).toBe(200)
    expect(done.text).toContain("IP address 203.0.113.1/24 : You may not add it.")
    expect(done.text).toMatch(/device limited, Primary IPv4 : /)
    const [restored] = await found("dcim/devices/?name=limited")
    expect(restored).toMatchObject({ primary_ip4: null })
    expect(await found(`dcim/interfaces/?device_id=${restored!.id}`)).toHaveLength(1)
    expect(await found("ipam/ip-addresses/?address=203.0.113.1")).toEqual([])
  })

  it("restores one of several devices that were deleted at once, with its own objects only", async () => {
    const [one, two] = [await device("one of two"), await device("two of two")]
    for (const id of [one, two]) await port(id, "eth1")
    await api.call("DELETE", "/api/dcim/devices/", [{ id: one }, { id: two }])
    await caughtUp(api.database)
    const query = `?changed_object_type=dcim.device&changed_object_id=${one}&action=delete`
    const [logged] = await found(`extras/object-changes/${query}`)
    const done = await page(`/extras/object-changes/${logged!.id}/restore/`, admin, restoring())
    expect(done.status).toBe(302)
    expect(await found("dcim/devices/?name=two of two")).toEqual([])
    const [restored] = await found("dcim/devices/?name=one of two")
    expect(await found(`dcim/interfaces/?device_id=${restored!.id}`)).toHaveLength(1)
  })

  it("considers the first 2,000 changes of a transaction, and says so", async () => {
    const own = await device("large")
    await api.database.sql.query(
      `insert into dcim_interface (device_id, name, type)
       select $1::bigint, 'port ' || n, '1000base-t' from generate_series(1, 2100) n`,
      [`${own}`]
    )
    const path = await deletedDevice(own)
    expect((await page(path, admin)).text).toContain("The transaction changed very much.")
    const done = await page(path, admin, restoring())
    expect([done.status, done.text.includes("The transaction changed very much.")]).toEqual([200, true])
    const [restored] = await found("dcim/devices/?name=large")
    const { json } = await api.call<{ readonly count: number }>(
      "GET",
      `/api/dcim/interfaces/?device_id=${restored!.id}&limit=1`
    )
    expect([1999, 2000]).toContain(json.count)
  })

  it("says why the device itself is refused, and writes nothing", async () => {
    const own = await device("doubled")
    await port(own, "eth1")
    const path = await deletedDevice(own)
    await device("doubled")
    const before = (await found("dcim/interfaces/?name=eth1")).length
    const done = await page(path, admin, restoring())
    expect([done.status, (await page(path, admin)).status]).toEqual([400, 200])
    expect(done.text).toContain("Nothing was restored.")
    expect(await found("dcim/interfaces/?name=eth1")).toHaveLength(before)
  })
})

describe("restoring an object that others referred to", () => {
  it("restores the references, unless the object has another value by now", async () => {
    const members = [await device("member 1"), await device("member 2")]
    const chassis = await api.make("dcim/virtual-chassis", { name: "stack" })
    const other = await api.make("dcim/virtual-chassis", { name: "other" })
    for (const [at, id] of members.entries()) {
      await change(`dcim/devices/${id}`, { virtual_chassis: chassis, vc_position: at + 1 })
    }
    const path = await deleted("dcim/virtual-chassis", "dcim.virtualchassis", chassis)
    await change(`dcim/devices/${members[1]}`, { virtual_chassis: other, vc_position: 7 })
    const done = await page(path, admin, restoring())
    expect(done.status).toBe(200)
    expect(done.text).toMatch(/device member 2, Virtual chassis.*: It has another value by now\./)
    const [restored] = await found("dcim/virtual-chassis/?name=stack")
    expect(await found("dcim/devices/?name=member 1")).toMatchObject([
      { virtual_chassis: { id: restored!.id }, vc_position: 1 }
    ])
    expect(await found("dcim/devices/?name=member 2")).toMatchObject([
      { virtual_chassis: { id: other }, vc_position: 7 }
    ])
  })

  it("gives a deleted tag back to the objects that had it", async () => {
    const tag = await api.make("extras/tags", named("Critical"))
    await api.make("extras/tags", named("Spare"))
    const own = await device("tagged", { tags: [{ name: "Critical" }] })
    const path = await deleted("extras/tags", "extras.tag", tag)
    await change(`dcim/devices/${own}`, { tags: [{ name: "Spare" }] })
    const done = await page(path, admin, restoring())
    expect(done.status).toBe(302)
    expect(await found("dcim/devices/?name=tagged")).toMatchObject([
      { tags: [{ name: "Spare" }, { name: "Critical" }] }
    ])
  })
})
