/** References to objects of a later file: one import of each file is enough. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

let api: Api
let token: string
const usual = { device_type: "usual", device_role: "usual", site: "usual" }

const send = async (path: string, file: string | ReadonlyArray<Json>, { by = token, query = "" } = {}) => {
  const type = typeof file === "string" ? "text/csv" : "application/json"
  const response = await fetch(`${api.service.url}/api/${path}/import/${query}`, {
    method: "POST",
    headers: { authorization: `Token ${by}`, "content-type": type },
    body: typeof file === "string" ? file : JSON.stringify(file)
  })
  return { status: response.status, json: (await response.json()) as Json }
}

const fill = async (path: string, file: string) => {
  const reply = await send(path, file)
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.json))
}

const exported = async (path: string, query = "") => {
  const headers = { authorization: `Token ${token}` }
  const response = await fetch(`${api.service.url}/api/${path}/export/?format=json${query}`, { headers })
  return (await response.json()) as ReadonlyArray<Json>
}

const one = async (path: string, query: string) =>
  (await api.call<List>("GET", `/api/${path}/?${query}`)).json.results[0] as unknown as Json

const written = { status: 200, json: { errors: [] } }

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
  const { id: manufacturer } = await api.makeObject("dcim/manufacturers", named("Usual"))
  await api.make("dcim/device-types", { manufacturer, model: "Usual", slug: "usual" })
  for (const path of ["dcim/device-roles", "dcim/sites", "virtualization/cluster-types"])
    await api.make(path, named("Usual"))
  await api.make("virtualization/clusters", { name: "one", type: { slug: "usual" } })
  await api.make("dcim/virtual-chassis", { name: "stack" })
})
afterAll(() => api.stop())

describe("is_primary of an address", () => {
  beforeAll(async () => {
    const devices = "name,device_type,device_role,site,virtual_chassis,vc_position,is_master\n"
    const rows = ["sw1", "sw2"].map((name, at) => `${name},usual,usual,usual,stack,${at + 1},${at === 1}\n`)
    await fill("dcim/devices", devices + rows.join(""))
    const ports = "device,name,type\nsw1,eth0,virtual\nsw2,eth0,virtual\nsw2,eth1,virtual\n"
    await fill("dcim/interfaces", ports)
    await fill("virtualization/virtual-machines", "name,cluster\nvm1,one\n")
    await fill("virtualization/interfaces", "virtual_machine,name\nvm1,eth0\n")
  })

  test("sets the primary address of the machine of its interface, by NAT too, or of the one that it names", async () => {
    const type = "dcim.interface"
    const on = (device: string, name = "eth0") => ({ name, device: { name: device } })
    const addresses = [
      { address: "203.0.113.1/24", nat_inside: { address: "10.0.0.1/24" }, is_primary: true },
      { address: "10.0.0.1/24", assigned_object_type: type, assigned_object: on("sw1") },
      { address: "2001:db8::1/64", assigned_object_type: type, assigned_object: on("sw1"), is_primary: "yes" },
      { address: "10.0.0.2/24", assigned_object_type: type, assigned_object: on("sw1"), is_primary: { device: "sw2" } },
      {
        address: "10.0.0.3/24",
        assigned_object_type: "virtualization.vminterface",
        assigned_object: { name: "eth0", virtual_machine: { name: "vm1" } },
        is_primary: true
      },
      { address: "10.0.0.4/24", is_primary: false }
    ]
    const reply = await send("ipam/ip-addresses", addresses)
    expect(reply).toMatchObject({ status: 200, json: { created: 6, updated: 0, errors: [] } })
    expect(await one("dcim/devices", "name=sw1")).toMatchObject({
      primary_ip4: { address: "203.0.113.1/24" },
      primary_ip6: { address: "2001:db8::1/64" }
    })
    expect(await one("dcim/devices", "name=sw2")).toMatchObject({ primary_ip4: { address: "10.0.0.2/24" } })
    expect(await one("virtualization/virtual-machines", "name=vm1")).toMatchObject({
      primary_ip4: { address: "10.0.0.3/24" }
    })
    expect(await one("dcim/virtual-chassis", "name=stack")).toMatchObject({ master: { name: "sw2" } })
  })

  test("is exported, and the references themselves are not", async () => {
    const addresses = await exported("ipam/ip-addresses")
    const own = Object.fromEntries(addresses.map((each) => [each["address"], each["is_primary"]]))
    expect(own).toEqual({
      "203.0.113.1/24": true,
      "10.0.0.1/24": false,
      "2001:db8::1/64": true,
      "10.0.0.2/24": { device: { name: "sw2", site: "usual", tenant: null } },
      "10.0.0.3/24": true,
      "10.0.0.4/24": false
    })
    const [sw1] = await exported("dcim/devices", "&name=sw1")
    expect(sw1).toMatchObject({ name: "sw1", is_master: false })
    expect(sw1).not.toHaveProperty("primary_ip4")
    const [stack] = await exported("dcim/virtual-chassis")
    expect(stack).not.toHaveProperty("master")
    const [byId] = await exported("dcim/devices", "&name=sw1&references=id")
    expect(byId).toMatchObject({ primary_ip4: expect.any(Number) })
    expect(byId).not.toHaveProperty("is_master")
    const again = await send("ipam/ip-addresses", addresses, { query: "?update_existing=true" })
    expect(again).toMatchObject({ status: 200, json: { created: 0, updated: 6, errors: [] } })
  })

  test("is refused by row and column where no machine is meant, or two rows mean the same", async () => {
    const rows = [
      "address,is_primary,is_primary.device",
      "10.1.0.1/24,true,",
      "10.1.0.2/24,maybe,",
      "10.1.0.3/24,,nope",
      "10.1.0.4/24,,sw1"
    ]
    const both = await send("ipam/ip-addresses", rows.join("\n"))
    expect(both).toMatchObject({ status: 400, json: { detail: "The column is_primary is given twice." } })
    const json = [
      { address: "10.1.0.1/24", is_primary: true },
      { address: "10.1.0.3/24", is_primary: { device: "nope" } },
      { address: "10.1.0.4/24", is_primary: { device: "sw1" } },
      { address: "10.1.0.5/24", is_primary: { device: "sw1" } }
    ]
    expect(await send("ipam/ip-addresses", json)).toMatchObject({
      status: 400,
      json: {
        created: 0,
        errors: [
          { row: 1, errors: { is_primary: [expect.stringContaining("It belongs to no device or virtual machine.")] } },
          { row: 2, errors: { is_primary: [expect.stringContaining("Related object not found")] } },
          { row: 3, errors: { is_primary: [expect.stringContaining("is not assigned to this device")] } },
          { row: 4, errors: { is_primary: ["Row 3 says the same of the device."] } }
        ]
      }
    })
    expect(await send("ipam/ip-addresses", "address,is_primary\n10.1.0.2/24,maybe\n")).toMatchObject({
      status: 400,
      json: { errors: [{ row: 1, errors: { is_primary: [expect.stringContaining('{"device": "…"}')] } }] }
    })
    expect(await one("ipam/ip-addresses", "address=10.1.0.1/24")).toBeUndefined()
  })

  test("needs the right to change the machine", async () => {
    const types = ["ipam.ipaddress", "dcim.interface", "dcim.device"]
    const { token: by } = await makeUser(api, "addresses", { types, actions: ["view", "add"] })
    const row = {
      address: "2001:db8::2/64",
      assigned_object_type: "dcim.interface",
      assigned_object: { name: "eth1", device: { name: "sw2" } }
    }
    expect(await send("ipam/ip-addresses", [{ ...row, is_primary: true }], { by })).toMatchObject({ status: 403 })
    expect(await send("ipam/ip-addresses", [{ ...row, is_primary: false }], { by })).toMatchObject(written)
  })
})

describe("a reference that cannot be resolved", () => {
  test("names row, column, and what to import first", async () => {
    const devices = [
      { ...usual, name: "sw3", primary_ip4: { address: "10.9.9.9/24" } },
      { ...usual, name: "sw4", rack: "R9" }
    ]
    expect(await send("dcim/devices", devices)).toMatchObject({
      status: 400,
      json: {
        errors: [
          {
            row: 1,
            errors: {
              primary_ip4: [
                expect.stringContaining("Related object not found"),
                "Leave it out, import ip-addresses later, and set their column is_primary."
              ]
            }
          },
          { row: 2, errors: { rack: [expect.anything(), "If it is in another file, import racks first."] } }
        ]
      }
    })
    const port = { address: "10.9.0.1/24", assigned_object_type: "dcim.interface", assigned_object: "eth9" }
    const advice = "If it is in another file, import interfaces first."
    expect(await send("ipam/ip-addresses", [port])).toMatchObject({
      json: { errors: [{ row: 1, errors: { assigned_object: [expect.anything(), advice] } }] }
    })
    const [fault] = (await send("ipam/ip-addresses", [port])).json["errors"] as ReadonlyArray<{ readonly errors: Json }>
    expect(Object.keys(fault!.errors)).toEqual(["assigned_object"])
  })

  test("and that may be empty waits for objects further down, also where two refer to each other", async () => {
    const bridge = (name: string, to: string) => ({
      ...{ name, type: "bridge", device: { name: "sw1" } },
      bridge: { name: to, device: { name: "sw1" } }
    })
    const ring = [bridge("br0", "br1"), bridge("br1", "br2"), bridge("br2", "br0")]
    expect(await send("dcim/interfaces", ring)).toMatchObject({ status: 200, json: { created: 3, updated: 0 } })
    for (const { name, bridge } of ring) {
      expect(await one("dcim/interfaces", `device=sw1&name=${name}`)).toMatchObject({ bridge: { name: bridge.name } })
    }
    const nat = (address: string, inside: string) => ({ address, nat_inside: { address: inside } })
    const pair = [nat("10.2.0.1/24", "10.2.0.2/24"), nat("10.2.0.2/24", "10.2.0.1/24")]
    expect(await send("ipam/ip-addresses", pair)).toMatchObject({ status: 200, json: { created: 2, updated: 0 } })
    expect(await one("ipam/ip-addresses", "address=10.2.0.1/24")).toMatchObject({
      nat_inside: { address: "10.2.0.2/24" }
    })
    const missing = [bridge("br3", "br4"), { ...bridge("br4", "br9"), type: "nonsense" }]
    expect(await send("dcim/interfaces", missing)).toMatchObject({
      status: 400,
      json: {
        created: 0,
        errors: [
          { row: 1, errors: { bridge: [expect.anything(), "No other row of the file creates it."] } },
          { row: 2, errors: { type: [expect.anything()], bridge: [expect.anything(), expect.anything()] } }
        ]
      }
    })
    const alone = await send("dcim/interfaces", [bridge("br3", "br9")])
    expect(alone).toMatchObject({
      status: 400,
      json: { created: 0, errors: [{ row: 1, errors: { bridge: [expect.anything(), expect.anything()] } }] }
    })
    expect(await one("dcim/interfaces", "device=sw1&name=br3")).toBeUndefined()
  })
})

describe("a device without a name", () => {
  test("is named by its serial where nothing unique names it, and has no name without one", async () => {
    const nameless = {
      ...usual,
      device_type: { slug: "usual" },
      device_role: { slug: "usual" },
      site: { slug: "usual" }
    }
    const devices = [
      { ...nameless, serial: "S1", asset_tag: "A1" },
      { ...nameless, serial: "S2", vc_position: 1 },
      nameless
    ]
    for (const [at, device] of devices.entries()) {
      const { id } = await api.makeObject("dcim/devices", device)
      await api.make("dcim/interfaces", { device: id, name: `port${at}`, type: "virtual" })
    }
    const ports = await exported("dcim/interfaces", "&name__isw=port")
    const unnamed = { unnamed: expect.any(Number) }
    expect(ports.map(({ device }) => device)).toEqual([{ asset_tag: "A1" }, { serial: "S2" }, unnamed])
    const again = ports.map((each) => ({ ...each, name: `${each["name"]} again` }))
    expect(await send("dcim/interfaces", again.slice(0, 2))).toMatchObject({ status: 200, json: { created: 2 } })
    expect(await send("dcim/interfaces", again.slice(2))).toMatchObject({
      status: 400,
      json: { errors: [{ row: 1, errors: { device: [expect.stringContaining("Give it a name")] } }] }
    })
  })
})
