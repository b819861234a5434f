/** A device changes its place, and an address becomes the primary one, by forms that need no script. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { type Fields, hidden, makeDevice, request } from "./Posting.ts"

let api: Api
let token: string

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
})
afterAll(() => api.stop())

const visit = (path: string, form?: Fields) => request(api, token, path, form)

const get = async (path: string): Promise<Json> => (await api.call<Json>("GET", path)).json

describe("the page that moves a device", () => {
  let device: number
  let racks: ReadonlyArray<number>
  let path: string
  beforeAll(async () => {
    const site = await api.make("dcim/sites", named("Moving"))
    const [here, there] = await api.makeAll("dcim/locations", [
      { ...named("Here"), site },
      { ...named("There"), site }
    ])
    racks = await api.makeAll("dcim/racks", [
      { name: "A", site, location: here, u_height: 10 },
      { name: "B", site, location: there, u_height: 4 }
    ])
    const place = { site, location: here, rack: racks[0], face: "front" }
    device = await makeDevice(api, "moving", { ...place, position: 1 })
    await makeDevice(api, "standing", { ...place, position: 3 })
    path = `/dcim/devices/${device}/move/`
  })

  it("offers the units that are free, as if the device were not in its rack", async () => {
    const { page } = await visit(path)
    const offered = [...page.matchAll(/<option value="front (\d+)"/g)].map(([, unit]) => Number(unit))
    expect(offered).toEqual([9, 8, 7, 6, 5, 1])
    expect((await visit(`${path}?rack=${racks[1]}`)).page).toContain('<option value="front 3"')
  })

  it("keeps what was chosen when it is shown again", async () => {
    const { page } = await visit(path, [
      ["rack", `${racks[1]}`],
      ["place", "rear 3"],
      ["_again", "rack"]
    ])
    expect(page).toMatch(/<option value="rear 3"\s+selected/)
  })

  it("refuses units that are in use, and a form that is older than the device", async () => {
    const { page } = await visit(path)
    const version: Fields = [["_version", hidden(page, "_version")]]
    const taken = await visit(path, [...version, ["rack", `${racks[0]}`], ["place", "front 2"]])
    expect([taken.status, taken.page.includes('role="alert"')]).toEqual([400, true])
    await api.call("PATCH", `/api/dcim/devices/${device}/`, { comments: "changed" })
    const late = await visit(path, [...version, ["rack", `${racks[0]}`], ["place", "front 5"]])
    expect([late.status, late.page.includes("Somebody else has changed this device")]).toEqual([412, true])
  })

  it("moves the device to a rack of another location, and takes it along", async () => {
    const version: Fields = [["_version", hidden((await visit(path)).page, "_version")]]
    const done = await visit(path, [...version, ["rack", `${racks[1]}`], ["place", "rear 2"]])
    expect([done.status, done.location]).toEqual([302, `/dcim/devices/${device}/`])
    expect(await get(`/api/dcim/devices/${device}/`)).toMatchObject({
      ...{ rack: { name: "B" }, position: 2, face: { value: "rear" }, location: { name: "There" } }
    })
  })

  it("shows racks side by side, and refuses a height that is no number", async () => {
    const { page } = await visit("/dcim/rack-elevations/?name=A&rack_face=rear")
    expect([page.includes("<figure>"), page.includes("Here")]).toEqual([true, true])
    expect((await visit("/dcim/rack-elevations/?u_height=nope")).status).toBe(400)
  })
})

describe("an address", () => {
  it("becomes the primary one of its device by a button", async () => {
    const device = await makeDevice(api, "addressed")
    const port = await api.make("dcim/interfaces", { device, name: "eth0", type: "virtual" })
    const [own, free] = await api.makeAll("ipam/ip-addresses", [
      { address: "192.0.2.1/24", assigned_object_type: "dcim.interface", assigned_object_id: port },
      { address: "192.0.2.2/24" }
    ])
    expect((await visit(`/ipam/ip-addresses/${own}/`)).page).toContain("Make primary for its device")
    const done = await visit(`/ipam/ip-addresses/${own}/primary/`, [])
    expect([done.status, done.location]).toEqual([302, `/dcim/devices/${device}/`])
    expect(await get(`/api/dcim/devices/${device}/`)).toMatchObject({ primary_ip4: { id: own } })
    expect((await visit(`/ipam/ip-addresses/${free}/primary/`, [])).status).toBe(404)
    expect((await visit(`/ipam/ip-addresses/${own}/primary/`)).location).toBe(`/ipam/ip-addresses/${own}/`)
  })
})
