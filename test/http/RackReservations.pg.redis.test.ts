/** Reservations of units of a rack. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let api: Api
let site: number
let rack: number

const path = "/api/dcim/rack-reservations/"

beforeAll(async () => {
  api = await sharedApi()
  site = await api.make("dcim/sites", named("Site"))
  rack = await api.make("dcim/racks", { name: "R1", facility_id: "F-1", site, u_height: 42 })
})
afterAll(() => api.stop())

const reserve = (fields: Json) => api.call("POST", path, { rack, description: "later", ...fields })

describe("a reservation", () => {
  it("has units in their order, and the user who makes it where none is named", async () => {
    const { status, json } = await reserve({ units: [12, 10, 11, 10], comments: "call first" })
    expect([status, json]).toMatchObject([
      201,
      {
        display: "Reservation for rack R1 (F-1)",
        rack: { id: rack, name: "R1" },
        units: [10, 11, 12],
        user: { username: "admin" },
        ...{ tenant: null, description: "later", comments: "call first", tags: [], custom_fields: {} }
      }
    ])
    const user = await api.make("users/users", { username: "ann", password: "a password for tests" })
    expect((await reserve({ units: [40], user })).json["user"]).toMatchObject({ id: user, username: "ann" })
    expect((await reserve({ units: [41], user: null })).json).toEqual({ user: ["This field may not be null."] })
    const protectedUser = await api.call("DELETE", `/api/users/users/${user}/`)
    expect([protectedUser.status, protectedUser.text]).toEqual([409, expect.stringContaining("dependent objects")])
    const [brief] = (await api.call<{ results: ReadonlyArray<Json> }>("GET", `${path}?brief=1&user=ann`)).json.results
    expect(Object.keys(brief!)).toEqual(["id", "url", "display", "user", "units"])
  })

  it("has units of its rack", async () => {
    expect((await reserve({ units: [0, 42, 43, 50] })).json).toEqual({
      units: ["Invalid unit(s) for 42U rack: 0, 43, 50"]
    })
    expect((await reserve({ units: [] })).json).toEqual({ units: ["This list may not be empty."] })
    expect((await reserve({ units: [40_000, 1] })).json).toEqual({
      units: { 0: ["Ensure this value is less than or equal to 32767."] }
    })
    expect(Object.keys((await reserve({ units: [5], description: "" })).json)).toEqual(["description"])
  })

  it("shares no unit with another, in one write, in concurrent ones and in plain SQL", async () => {
    await reserve({ units: [20, 21, 22] })
    expect((await reserve({ units: [19, 21, 22] })).json).toEqual({
      units: ["The following units have already been reserved: 21, 22"]
    })
    const { status, json } = await api.call("POST", path, [
      { rack, description: "a", units: [30, 31] },
      { rack, description: "b", units: [31, 32] }
    ])
    expect([status, json]).toEqual([400, [{}, { units: ["The following units have already been reserved: 31"] }]])
    const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await reserve({ units: [35] })).status))
    expect(statuses.sort()).toEqual([201, 400, 400, 400, 400, 400])
    const insert = (units: string) =>
      api.database.sql.query(
        `insert into dcim_rackreservation (rack_id, units, user_id, description)
         select ${rack}, '${units}', id, 'plain' from users_user where username = 'admin'`
      )
    await expect(insert("{21}")).rejects.toThrow("No two reservations have the same unit of a rack.")
    await expect(insert("{43}")).rejects.toThrow("A reservation has units of its rack.")
    await insert("{1}")
  })

  it("may be changed where the rack has become lower, and is deleted with its rack", async () => {
    const low = await api.make("dcim/racks", { name: "R2", site, u_height: 10 })
    const id = await api.make("dcim/rack-reservations", { rack: low, units: [9, 10], description: "top" })
    expect((await api.call("PATCH", `/api/dcim/racks/${low}/`, { u_height: 9 })).status).toBe(200)
    expect((await api.call("PATCH", `${path}${id}/`, { description: "still" })).status).toBe(200)
    expect((await api.call("PATCH", `${path}${id}/`, { units: [10] })).json).toEqual({
      units: ["Invalid unit(s) for 9U rack: 10"]
    })
    expect((await api.call("DELETE", `/api/dcim/racks/${low}/`)).status).toBe(204)
    expect((await api.call("GET", `${path}${id}/`)).status).toBe(404)
  })

  it("is found by its rack, site, user and words", async () => {
    const count = async (query: string) => (await api.call("GET", `${path}?${query}`)).json["count"]
    const all = await count("")
    const site = named("Site")["slug"]
    expect([await count(`rack_id=${rack}`), await count(`site=${String(site)}`), await count("q=r1")]).toEqual([
      all,
      all,
      all
    ])
    expect([await count("user=ann"), await count("q=plain"), await count("q=nothing")]).toEqual([1, 1, 0])
    expect(await count("q=ann")).toBe(1)
  })

  it("that the sender may not view is in no error", async () => {
    const types = ["dcim.rackreservation"]
    const bob = await makeUser(
      api,
      "bob",
      { types: ["dcim.rack"], actions: ["view"] },
      { types, actions: ["view", "add"], constraints: { description: "of bob" } }
    )
    const { status, json } = await bob.call("POST", path, { rack, description: "of bob", units: [1] })
    expect([status, json]).toEqual([
      400,
      { units: ["This conflicts with another rack reservation, which you may not view."] }
    ])
    expect((await bob.call("POST", path, { rack, description: "of bob", units: [2] })).json["user"]).toMatchObject({
      username: "bob"
    })
  })
})
