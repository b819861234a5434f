/** Rules of ports, bays, modules and inventory items, by the API in NetBox's words, and by SQL. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let api: Api
let site: number
let manufacturer: number
let device_role: number
let number = 0

/** The errors of a write that is refused; its status otherwise. */
const sent = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await api.call<Json>(method, `/api/${path}/`, body)
  return status === 400 ? json : status
}
const change = (path: string, body: unknown) => sent("PATCH", path, body)
const create = (path: string, body: unknown) => sent("POST", path, body)
const get = async (path: string) => (await api.call<Json>("GET", `/api/${path}/`)).json
const found = async (path: string) => {
  const { json } = await api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>("GET", `/api/${path}`)
  return json.results.map(({ id }) => id)
}
const sql = (text: string) => api.database.sql.query(text)

const deviceType = (fields: Json = {}) =>
  api.make("dcim/device-types", { manufacturer, model: `T${(number += 1)}`, slug: `t${number}`, ...fields })
const device = async (name: string, fields: Json = {}) =>
  api.make("dcim/devices", { name, device_type: await deviceType(), device_role, site, ...fields })
const parent = async (name: string, fields: Json = {}) =>
  device(name, { device_type: await deviceType({ subdevice_role: "parent", model: `Chassis of ${name}` }), ...fields })
const module = async (owner: number, bay: number, fields: Json = {}) => {
  const module_type = await api.make("dcim/module-types", { manufacturer, model: `M${(number += 1)}` })
  return api.make("dcim/modules", { device: owner, module_bay: bay, module_type, ...fields })
}

beforeAll(async () => {
  api = await sharedApi()
  site = await api.make("dcim/sites", named("Here"))
  manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  device_role = await api.make("dcim/device-roles", named("Role"))
})
afterAll(() => api.stop())

const kinds: ReadonlyArray<readonly [path: string, table: string, fields: Json]> = [
  ["dcim/console-ports", "dcim_consoleport", { type: "rj-45", speed: 9600 }],
  ["dcim/console-server-ports", "dcim_consoleserverport", { type: "usb-a" }],
  ["dcim/power-ports", "dcim_powerport", { type: "iec-60320-c14" }],
  ["dcim/power-outlets", "dcim_poweroutlet", { type: "iec-60320-c13", feed_leg: "B" }],
  ["dcim/rear-ports", "dcim_rearport", { type: "lc", positions: 2 }],
  ["dcim/interfaces", "dcim_interface", { type: "1000base-t" }],
  ["dcim/module-bays", "dcim_modulebay", { position: "1" }]
]

describe.each(kinds)("a component of %s", (path, table, fields) => {
  it("stays with its device, is named once there, and is deleted with it", async () => {
    const [one, two] = [await device(`${table} 1`), await device(`${table} 2`)]
    const component = await api.make(path, { device: one, name: "C 1", label: "left", ...fields })
    expect(await get(`${path}/${component}`)).toMatchObject({ display: "C 1 (left)", device: { id: one } })
    const moved = { device: ["Components cannot be moved to a different device."] }
    expect(await change(`${path}/${component}`, { device: two })).toEqual(moved)
    await expect(sql(`update ${table} set device_id = ${two} where id = ${component}`)).rejects.toThrow("moved")
    expect(await create(path, { device: one, name: "C 1", ...fields })).toEqual({
      __all__: [expect.stringMatching(/ with this Device and Name already exists\.$/)]
    })
    expect(await found(`${path}/?device=${table} 1`)).toEqual([component])
    expect(await sent("DELETE", `dcim/devices/${one}`)).toBe(204)
    expect(await sent("GET", `${path}/${component}`)).toBe(404)
  })
})

describe("a front port", () => {
  it("takes one position of a rear port of its device", async () => {
    const [one, two] = [await device("Panel 1"), await device("Panel 2")]
    const rear = (owner: number, positions: number) =>
      api.make("dcim/rear-ports", { device: owner, name: "R", type: "lc", positions, label: "back" })
    const [own, other] = [await rear(one, 4), await rear(two, 4)]
    const front = (name: string, fields: Json) => ({ device: one, name, type: "lc", rear_port: own, ...fields })
    expect(await create("dcim/front-ports", front("F", { rear_port: other }))).toEqual({
      rear_port: ["Rear port (R) must belong to the same device"]
    })
    expect(await create("dcim/front-ports", front("F", { rear_port_position: 5 }))).toEqual({
      rear_port_position: ["Invalid rear port position (5): Rear port R has only 4 positions"]
    })
    expect(await create("dcim/front-ports", front("F", { rear_port_position: 1025 }))).toEqual({
      rear_port_position: ["Ensure this value is less than or equal to 1024."]
    })
    const ports = [1, 2, 4].map((at) => front(`F${at}`, { rear_port_position: at }))
    const made = await api.makeAll("dcim/front-ports", ports)
    const [, , last] = made
    expect(await get(`dcim/front-ports/${made[0]}`)).toMatchObject({ rear_port_position: 1 })
    expect((await get(`dcim/front-ports/${made[0]}`))["rear_port"]).toEqual({
      ...{ id: own, url: expect.stringContaining(`/api/dcim/rear-ports/${own}/`) as string, display: "R (back)" },
      ...{ name: "R", label: "back", description: "" }
    })
    expect(await create("dcim/front-ports", front("Twice", { rear_port_position: 2 }))).toEqual({
      __all__: ["Front port with this Rear port and Rear port position already exists."]
    })
    expect(await change(`dcim/rear-ports/${own}`, { positions: 2 })).toEqual({
      positions: ["The number of positions cannot be less than the number of mapped front ports (3)"]
    })
    expect(await change(`dcim/rear-ports/${own}`, { positions: 3 })).toEqual({
      positions: ["Front port F4 has position 4."]
    })
    expect(await change(`dcim/rear-ports/${own}`, { positions: 6 })).toBe(200)
    const set = (text: string) => sql(`update dcim_frontport set ${text} where id = ${last}`)
    await expect(set(`rear_port_id = ${other}`)).rejects.toThrow("one of the same device")
    await expect(set("rear_port_position = 7")).rejects.toThrow("one that its rear port has")
    await expect(sql(`update dcim_rearport set positions = 3 where id = ${own}`)).rejects.toThrow("has position 4")
    expect(await sent("DELETE", `dcim/rear-ports/${own}`)).toBe(204)
    expect(await sent("GET", `dcim/front-ports/${last}`)).toBe(404)
  })
})

describe("power", () => {
  it("reaches an outlet by a power port of its device", async () => {
    const [one, two] = [await device("PDU 1"), await device("PDU 2")]
    const [own, other] = [
      await api.make("dcim/power-ports", { device: one, name: "In" }),
      await api.make("dcim/power-ports", { device: two, name: "In" })
    ]
    const outlet = await api.make("dcim/power-outlets", { device: one, name: "Out", power_port: own })
    const refused = { power_port: ["Parent power port (In) must belong to the same device"] }
    expect(await change(`dcim/power-outlets/${outlet}`, { power_port: other })).toEqual(refused)
    const text = `update dcim_poweroutlet set power_port_id = ${other} where id = ${outlet}`
    await expect(sql(text)).rejects.toThrow("one of the same device")
    expect(await sent("DELETE", `dcim/power-ports/${own}`)).toBe(204)
    expect(await get(`dcim/power-outlets/${outlet}`)).toMatchObject({ power_port: null })
  })

  it("is not promised beyond the most that a port draws", async () => {
    const owner = await device("Draw")
    const refused = { allocated_draw: ["Allocated draw cannot exceed the maximum draw (500W)."] }
    const draw = { maximum_draw: 500, allocated_draw: 501 }
    expect(await create("dcim/power-ports", { device: owner, name: "P", ...draw })).toEqual(refused)
    const port = await api.make("dcim/power-ports", {
      device: owner,
      name: "P",
      maximum_draw: 500,
      allocated_draw: 500
    })
    expect(await change(`dcim/power-ports/${port}`, { allocated_draw: 501 })).toEqual(refused)
    expect(await change(`dcim/power-ports/${port}`, { maximum_draw: null, allocated_draw: 501 })).toBe(200)
    await expect(sql(`update dcim_powerport set maximum_draw = 1 where id = ${port}`)).rejects.toThrow("at most")
  })
})

describe("a module", () => {
  it("is in a bay of its device, alone there", async () => {
    const [one, two] = [await device("Router 1"), await device("Router 2")]
    const bay = (owner: number, name: string) => api.make("dcim/module-bays", { device: owner, name })
    const [first, second, other] = [await bay(one, "B1"), await bay(one, "B2"), await bay(two, "B1")]
    const id = await module(one, first, { serial: "S1" })
    const shown = await get(`dcim/modules/${id}`)
    expect(shown).toMatchObject({ status: { value: "active" }, module_bay: { id: first, module: null, name: "B1" } })
    expect(shown["display"]).toBe(`B1: M${number} (${id})`)
    expect((await get(`dcim/module-bays/${first}`))["installed_module"]).toEqual({
      ...{ id, url: expect.stringContaining(`/api/dcim/modules/${id}/`) as string, display: shown["display"] },
      serial: "S1"
    })
    expect((await get(`dcim/module-bays/${second}`))["installed_module"]).toBeNull()
    const { module_type } = shown as { readonly module_type: { readonly id: number } }
    const again = { device: one, module_bay: first, module_type: module_type.id }
    expect(await create("dcim/modules", again)).toEqual({
      module_bay: ["module with this module bay already exists."]
    })
    const text = "Module must be installed within a module bay belonging to the assigned device (Router 1)."
    expect(await change(`dcim/modules/${id}`, { module_bay: other })).toEqual({ __all__: [text] })
    await expect(sql(`update dcim_module set module_bay_id = ${other} where id = ${id}`)).rejects.toThrow(
      "in a module bay of its device"
    )
    expect(await change(`dcim/modules/${id}`, { module_bay: second })).toBe(200)
    expect(await sent("DELETE", `dcim/module-types/${module_type.id}`)).toBe(409)
  })

  it("is shown by its components, and takes them with it", async () => {
    const owner = await device("Line card")
    const bay = await api.make("dcim/module-bays", { device: owner, name: "B" })
    const id = await module(owner, bay)
    const port = await api.make("dcim/interfaces", { device: owner, name: "e1", type: "1000base-t", module: id })
    expect(await found(`dcim/interfaces/?module_id=${id}`)).toEqual([port])
    const { module: shown } = (await get(`dcim/interfaces/${port}`)) as { readonly module: Json }
    expect(Object.keys(shown)).toEqual(["id", "url", "display", "device", "module_bay"])
    expect(shown).toMatchObject({ device: { name: "Line card" }, module_bay: { id: bay, name: "B" } })
    expect(await sent("DELETE", `dcim/modules/${id}`)).toBe(204)
    expect(await sent("GET", `dcim/interfaces/${port}`)).toBe(404)
  })
})

describe("a device bay", () => {
  it("is part of a parent, and contains another device that is in no other bay", async () => {
    const plain = await device("Plain", { device_type: await deviceType({ model: "Flat" }) })
    expect(await create("dcim/device-bays", { device: plain, name: "B" })).toEqual({
      __all__: ["This type of device (Flat) does not support device bays."]
    })
    await expect(sql(`insert into dcim_devicebay (device_id, name) values (${plain}, 'B')`)).rejects.toThrow(
      "of a parent type"
    )
    const chassis = await parent("Chassis")
    const bay = (name: string, fields: Json = {}) => ({ device: chassis, name, ...fields })
    expect(await create("dcim/device-bays", bay("Self", { installed_device: chassis }))).toEqual({
      __all__: ["Cannot install a device into itself."]
    })
    const one = await api.make("dcim/device-bays", bay("B1", { installed_device: plain }))
    const two = await api.make("dcim/device-bays", bay("B2"))
    const text = "Cannot install the specified device; device is already installed in B1"
    expect(await change(`dcim/device-bays/${two}`, { installed_device: plain })).toEqual({ installed_device: [text] })
    await expect(sql(`update dcim_devicebay set installed_device_id = ${plain} where id = ${two}`)).rejects.toThrow(
      "unique"
    )
    expect(await get(`dcim/devices/${plain}`)).toMatchObject({
      parent_device: { id: chassis, name: "Chassis", device_bay: { id: one, name: "B1", device: { id: chassis } } }
    })
    expect((await get(`dcim/devices/${chassis}`))["parent_device"]).toBeNull()
    expect(await found(`dcim/devices/?parent_device_id=${chassis}`)).toEqual([plain])
    expect(await found(`dcim/devices/?device_bays=true`)).toEqual([chassis])
    expect(await sent("DELETE", `dcim/devices/${plain}`)).toBe(204)
    expect(await get(`dcim/device-bays/${one}`)).toMatchObject({ installed_device: null })
  })

  it("takes its device along when the parent moves", async () => {
    const [there, rack] = [
      await api.make("dcim/sites", named("There")),
      await api.make("dcim/racks", { name: "R", site })
    ]
    const chassis = await parent("Mover", { rack })
    const child = await device("Blade")
    await api.make("dcim/device-bays", { device: chassis, name: "B", installed_device: child })
    expect(await change(`dcim/devices/${chassis}`, { site: there, rack: null })).toBe(200)
    expect(await get(`dcim/devices/${child}`)).toMatchObject({ site: { id: there }, rack: null })
  })
})

it("a device of a child type has no place in a rack", async () => {
  const rack = await api.make("dcim/racks", { name: "For children", site })
  const child = await device("Child", { device_type: await deviceType({ subdevice_role: "child", u_height: 0 }) })
  const text = (what: string) =>
    `Child device types cannot be assigned to a rack ${what}. This is an attribute of the parent device.`
  expect(await change(`dcim/devices/${child}`, { rack, face: "front" })).toEqual({ face: [text("face")] })
  expect(await change(`dcim/devices/${child}`, { rack, face: "front", position: 3 })).toMatchObject({
    face: [text("face")]
  })
  expect(await change(`dcim/devices/${child}`, { rack })).toBe(200)
})

it("devices are found by the kinds of components that they have", async () => {
  const owner = await device("Full")
  const rear_port = await api.make("dcim/rear-ports", { device: owner, name: "R", type: "lc" })
  await api.make("dcim/front-ports", { device: owner, name: "F", type: "lc", rear_port })
  const others: ReadonlyArray<readonly [filter: string, path: string, fields?: Json]> = [
    ["console_ports", "dcim/console-ports"],
    ["console_server_ports", "dcim/console-server-ports"],
    ["power_ports", "dcim/power-ports"],
    ["power_outlets", "dcim/power-outlets"],
    ["module_bays", "dcim/module-bays"],
    ["interfaces", "dcim/interfaces", { type: "virtual" }]
  ]
  for (const [, path, fields] of others) await api.make(path, { device: owner, name: "C", ...fields })
  for (const filter of ["pass_through_ports", ...others.map(([name]) => name)]) {
    expect([filter, await found(`dcim/devices/?id=${owner}&${filter}=true`)]).toEqual([filter, [owner]])
    expect([filter, await found(`dcim/devices/?id=${owner}&${filter}=false`)]).toEqual([filter, []])
  }
  expect(await found(`dcim/devices/?id=${owner}&device_bays=true`)).toEqual([])
})
