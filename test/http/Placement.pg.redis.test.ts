/** Places of devices in racks: faces, depths, half units, devices without a height, and writers of plain SQL. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let api: Api
let site: number
let device_role: number
let types: Readonly<Record<"shallow" | "deep" | "half" | "flat", number>>

beforeAll(async () => {
  api = await sharedApi()
  site = await api.make("dcim/sites", named("Site"))
  device_role = await api.make("dcim/device-roles", named("Role"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const typeOf = (model: string, fields: Json) =>
    api.make("dcim/device-types", { manufacturer, model, slug: model.toLowerCase(), ...fields })
  types = {
    shallow: await typeOf("Shallow", { u_height: 1, is_full_depth: false }),
    deep: await typeOf("Deep", { u_height: 1 }),
    half: await typeOf("Half", { u_height: 0.5 }),
    flat: await typeOf("Flat", { u_height: 0 })
  }
})
afterAll(() => api.stop())

type Place = readonly [type: keyof typeof types, position: number | null, face: "front" | "rear" | null]

const rackOf = (height = 42) => api.make("dcim/racks", { name: `R${Math.random()}`, site, u_height: height })

const body = (rack: number, [type, position, face]: Place): Json => ({
  ...{ site, rack, device_role, device_type: types[type], position, face }
})

/** Places devices one after the other by the API; returns the errors of the last one. */
const byApi = async (rack: number, places: ReadonlyArray<Place>): Promise<unknown> => {
  for (const place of places.slice(0, -1)) await api.make("dcim/devices", body(rack, place))
  const { status, json } = await api.call("POST", "/api/dcim/devices/", body(rack, places.at(-1)!))
  return status === 201 ? undefined : json
}

/** The same in plain SQL; returns the message of the refusal. */
const bySql = async (rack: number, places: ReadonlyArray<Place>): Promise<string | undefined> => {
  const insert = ([type, position, face]: Place) =>
    api.database.sql.query(
      `insert into dcim_device (site_id, rack_id, device_role_id, device_type_id, position, face)
       values (${site}, ${rack}, ${device_role}, ${types[type]}, ${position ?? "null"}, ${face === null ? "null" : `'${face}'`})`
    )
  for (const place of places.slice(0, -1)) await insert(place)
  return insert(places.at(-1)!).then(
    () => undefined,
    (error: Error) => error.message
  )
}

const apart = "No two devices have the same units of a rack."
const fits = "A device with a position has a height, and lies within its rack."

describe("devices in a rack", () => {
  it.each<readonly [what: string, places: ReadonlyArray<Place>]>([
    [
      "of half depth are at both faces",
      [
        ["shallow", 1, "front"],
        ["shallow", 1, "rear"]
      ]
    ],
    [
      "of half units share a unit",
      [
        ["half", 1, "front"],
        ["half", 1.5, "front"]
      ]
    ],
    [
      "begin at half a unit",
      [
        ["shallow", 1.5, "front"],
        ["half", 1, "front"],
        ["deep", 2.5, "front"]
      ]
    ],
    ["of half a unit are at the very top", [["half", 42.5, "rear"]]],
    [
      "without a height are in it without a position",
      [
        ["flat", null, null],
        ["flat", null, "front"]
      ]
    ],
    [
      "without a position take no unit",
      [
        ["deep", null, "front"],
        ["deep", 1, "front"]
      ]
    ]
  ])("%s", async (_, places) => {
    expect(await byApi(await rackOf(), places)).toBeUndefined()
    expect(await bySql(await rackOf(), places)).toBeUndefined()
  })

  it.each<readonly [what: string, rule: string, places: ReadonlyArray<Place>]>([
    [
      "of the same face",
      "dcim_device_rack_id_position_face_key",
      [
        ["shallow", 1, "front"],
        ["shallow", 1, "front"]
      ]
    ],
    [
      "of the other face behind one of full depth",
      apart,
      [
        ["deep", 1, "front"],
        ["shallow", 1, "rear"]
      ]
    ],
    [
      "of full depth behind one of half depth",
      apart,
      [
        ["shallow", 1, "rear"],
        ["deep", 1, "front"]
      ]
    ],
    [
      "that overlap by half a unit",
      apart,
      [
        ["shallow", 1.5, "front"],
        ["half", 2, "front"]
      ]
    ],
    [
      "that end half a unit too high",
      apart,
      [
        ["half", 2.5, "front"],
        ["shallow", 2, "front"]
      ]
    ],
    ["that begin at the last half unit and have a whole one", fits, [["shallow", 42.5, "front"]]],
    ["above the rack", fits, [["half", 43, "front"]]]
  ])("%s are refused, by the API and in plain SQL", async (_, rule, places) => {
    expect(await byApi(await rackOf(), places)).toMatchObject({
      position: [expect.stringContaining("is already occupied or does not have sufficient space")]
    })
    expect(await bySql(await rackOf(), places)).toContain(rule)
  })

  it("without a height have no position", async () => {
    expect(await byApi(await rackOf(), [["flat", 1, "front"]])).toEqual({
      position: ["A U0 device type (Flat) cannot be assigned to a rack position."]
    })
    expect(await bySql(await rackOf(), [["flat", 1, "front"]])).toBe(fits)
  })

  it("have positions in halves of a unit", async () => {
    expect(await byApi(await rackOf(), [["half", 1.3, "front"]])).toEqual({
      position: ["Position must be in increments of 0.5 rack units."]
    })
  })

  it("keep their rack from becoming lower, and their type from growing", async () => {
    const rack = await rackOf(10)
    await byApi(rack, [
      ["half", 10.5, "front"],
      ["half", 9, "front"]
    ])
    const lower = (u_height: number) => api.call("PATCH", `/api/dcim/racks/${rack}/`, { u_height })
    expect((await lower(9)).json).toEqual({
      u_height: ["Rack must be at least 10U tall to house currently installed devices."]
    })
    const taller = await api.call("PATCH", `/api/dcim/device-types/${types.half}/`, { u_height: 1 })
    expect([taller.status, Object.keys(taller.json)]).toEqual([400, ["u_height"]])
    await expect(api.database.sql.query(`update dcim_rack set u_height = 9 where id = ${rack}`)).rejects.toThrow(
      "to house currently installed devices."
    )
    const sql = `update dcim_devicetype set u_height = 0 where id = ${types.half}`
    await expect(api.database.sql.query(sql)).rejects.toThrow("Unable to set 0U height")
  })

  it("at two faces of half depth keep their type from full depth", async () => {
    await byApi(await rackOf(), [
      ["shallow", 1, "front"],
      ["shallow", 1, "rear"]
    ])
    const { status } = await api.call("PATCH", `/api/dcim/device-types/${types.shallow}/`, { is_full_depth: true })
    expect(status).toBe(400)
  })
})
