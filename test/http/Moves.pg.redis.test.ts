/** Objects that move along with the object that they are in, so that rules hold also between objects not written. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

type Made = Json & { readonly id: number }

let api: Api
let device_type: number
let device_role: number

const change = (path: string, body: Json) => api.call<Json>("PATCH", `/api/${path}/`, body)
const idOf = (value: unknown) => (value === null ? null : (value as Made).id)
/** Ids of the site and the location that an object is at. */
const placeOf = async (path: string) => {
  const { json } = await api.call<Json>("GET", `/api/${path}/`)
  return [idOf(json["site"]), idOf(json["location"] ?? null)]
}
const device = (name: string, fields: Json) => api.make("dcim/devices", { name, device_type, device_role, ...fields })

let number = 0
const site = () => api.make("dcim/sites", named(`Site ${(number += 1)}`))
const location = (at: number, fields: Json = {}) =>
  api.make("dcim/locations", { ...named(`Location ${(number += 1)}`), site: at, ...fields })

beforeAll(async () => {
  api = await sharedApi()
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  device_role = await api.make("dcim/device-roles", named("Role"))
})
afterAll(() => api.stop())

describe("a rack", () => {
  it("moves its devices to another site and location, with an event for each", async () => {
    const [here, there] = [await site(), await site()]
    const goal = await location(there)
    const rack = await api.make("dcim/racks", { name: "R1", site: here })
    const [inside, outside] = [await device("in", { site: here, rack }), await device("out", { site: here })]
    expect((await change(`dcim/racks/${rack}`, { site: there, location: goal })).status).toBe(200)
    expect(await placeOf(`dcim/devices/${inside}`)).toEqual([there, goal])
    expect(await placeOf(`dcim/devices/${outside}`)).toEqual([here, null])
    const told = await eventually("the move is logged", async () => {
      const rows = await api.database.sql.query<{ readonly postchange: Json; readonly user: string }>(
        `select postchange_data as postchange, user_name as user from extras_objectchange
          where changed_object_type = 'dcim.device' and changed_object_id = $1 and action = 'update'`,
        [inside]
      )
      return rows[0]
    })
    expect(told).toMatchObject({ user: "admin", postchange: { site: there, location: goal } })
  })

  it("does not move if a device would get a name that another device has there", async () => {
    const [here, there] = [await site(), await site()]
    const rack = await api.make("dcim/racks", { name: "R2", site: here })
    const moving = await device("same", { site: here, rack })
    await device("same", { site: there })
    const reply = await change(`dcim/racks/${rack}`, { site: there })
    expect([reply.status, JSON.stringify(reply.json)]).toEqual([400, expect.stringContaining("already exists")])
    expect(await placeOf(`dcim/devices/${moving}`)).toEqual([here, null])
  })
})

describe("a location", () => {
  it("moves the objects in it and below it", async () => {
    const [here, there] = [await site(), await site()]
    const building = await location(here)
    const room = await location(here, { parent: building })
    const rack = await api.make("dcim/racks", { name: "R4", site: here, location: room })
    const panel = await api.make("dcim/power-panels", { name: "P", site: here, location: room })
    const standing = await device("standing", { site: here, location: building })
    const mounted = await device("mounted", { site: here, location: room, rack })
    expect((await change(`dcim/locations/${building}`, { site: there })).status).toBe(200)
    for (const [path, place] of [
      [`dcim/locations/${room}`, [there, null]],
      [`dcim/racks/${rack}`, [there, room]],
      [`dcim/power-panels/${panel}`, [there, room]],
      [`dcim/devices/${standing}`, [there, building]],
      [`dcim/devices/${mounted}`, [there, room]]
    ] as const) {
      expect([path, await placeOf(path)]).toEqual([path, place])
    }
  })
})

describe("a cluster", () => {
  it("moves its virtual machines, and does not move without its hosts", async () => {
    const [here, there] = [await site(), await site()]
    const type = await api.make("virtualization/cluster-types", named("Kind"))
    const cluster = await api.make("virtualization/clusters", { name: "C", type, site: here })
    const machine = await api.make("virtualization/virtual-machines", { name: "vm", cluster, site: here })
    expect((await change(`virtualization/clusters/${cluster}`, { site: there })).status).toBe(200)
    expect(await placeOf(`virtualization/virtual-machines/${machine}`)).toEqual([there, null])
    await device("host", { site: there, cluster })
    const reply = await change(`virtualization/clusters/${cluster}`, { site: here })
    const message = `1 devices are assigned as hosts for this cluster but are not in site Site ${number - 1}`
    expect([reply.status, reply.json]).toEqual([400, { __all__: [message] }])
    expect(await placeOf(`virtualization/virtual-machines/${machine}`)).toEqual([there, null])
  })
})

it("a journal entry is by the user who makes it, unless it says otherwise", async () => {
  const assigned = { assigned_object_type: "dcim.site", assigned_object_id: await site(), comments: "seen" }
  const path = "/api/extras/journal-entries/"
  const ann = await makeUser(api, "ann", { types: ["extras.journalentry", "dcim.site"], actions: ["view", "add"] })
  expect((await ann.call("POST", path, assigned)).json["created_by"]).toBe(ann.id)
  expect((await api.call<Json>("POST", path, assigned)).json["created_by"]).toBe(await api.adminId())
  const nobody = await api.call<Json>("POST", path, { ...assigned, created_by: null })
  expect(nobody.json["created_by"]).toBeNull()
})
