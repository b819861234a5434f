/** The elevation of a rack, as a list of half units and as a picture. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser, type User } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

interface Unit {
  readonly id: number
  readonly name: string
  readonly face: Json
  readonly device: Json | null
  readonly occupied: boolean
}

interface Units {
  readonly count: number
  readonly next: string | null
  readonly results: ReadonlyArray<Unit>
}

let api: Api
let rack: number
let ids: Readonly<Record<"shallow" | "behind" | "deep", number>>
let bob: User

const at = (id: number, query = "") => `/api/dcim/racks/${id}/elevation/${query}`
const units = async (query = "") => (await api.call<Units>("GET", at(rack, query))).json
const svg = async (query = "", token?: string) => {
  const { status, headers, text } =
    token === undefined
      ? await api.call("GET", at(rack, `?render=svg${query}`))
      : await api.raw("GET", at(rack, `?render=svg${query}`), undefined, token)
  expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"])
  return { headers, text }
}
/** The names of the units with a device, by the device's name; `?` for one that is not shown. */
const occupied = ({ results }: Units) =>
  results.flatMap(({ name, device, occupied }) => (occupied ? [`${name} ${String(device?.["name"] ?? "?")}`] : []))

beforeAll(async () => {
  api = await sharedApi()
  const site = await api.make("dcim/sites", named("Site"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const typeOf = (model: string, fields: Json) =>
    api.make("dcim/device-types", { manufacturer, model, slug: model.toLowerCase(), ...fields })
  const device_role = await api.make("dcim/device-roles", { ...named("Role"), color: "000080" })
  rack = await api.make("dcim/racks", { name: "R1", site, u_height: 4 })
  const device = (name: string, device_type: number, fields: Json) =>
    api.make("dcim/devices", { name, site, rack, device_role, device_type, ...fields })
  const shallow = await typeOf("Shallow", { u_height: 1, is_full_depth: false })
  const deep = await typeOf("Deep", { u_height: 1.5 })
  ids = {
    shallow: await device("shallow", shallow, { position: 1, face: "front", serial: "S-1" }),
    behind: await device("behind", shallow, { position: 1, face: "rear" }),
    deep: await device("deep <b>", deep, { position: 2.5, face: "front", asset_tag: "A-1" })
  }
  await device("aside", await typeOf("Zero", { u_height: 0 }), {})
  await api.make("dcim/rack-reservations", { rack, units: [4], description: 'for "later"' })
  bob = await makeUser(
    api,
    "bob",
    { types: ["dcim.rack", "dcim.devicetype"], actions: ["view"] },
    { types: ["dcim.device"], actions: ["view"], constraints: { name: "shallow" } }
  )
})
afterAll(() => api.stop())

describe("an elevation", () => {
  it("has every half unit of the front, from above", async () => {
    const { count, results } = await units()
    expect([count, results.map(({ id }) => id)]).toEqual([8, [4.5, 4, 3.5, 3, 2.5, 2, 1.5, 1]])
    expect(results[0]).toEqual({
      ...{ id: 4.5, name: "U4.5", face: { value: "front", label: "Front" }, device: null, occupied: false },
      display: "U4.5"
    })
    expect(results[7]).toMatchObject({ id: 1, device: { id: ids.shallow, name: "shallow" }, occupied: true })
    expect(occupied(await units())).toEqual([
      ...["U3.5 deep <b>", "U3 deep <b>", "U2.5 deep <b>"],
      ...["U1.5 shallow", "U1 shallow"]
    ])
  })

  it("has another face, and leaves a device out", async () => {
    const rear = ["U3.5 deep <b>", "U3 deep <b>", "U2.5 deep <b>", "U1.5 behind", "U1 behind"]
    expect(occupied(await units("?face=rear"))).toEqual(rear)
    expect(occupied(await units(`?face=rear&exclude=${ids.deep}`))).toEqual(rear.slice(3))
    expect(occupied(await units("?expand_devices=false"))).toEqual(["U2.5 deep <b>", "U1 shallow"])
  })

  it("is numbered from above where the rack is", async () => {
    await api.call("PATCH", `/api/dcim/racks/${rack}/`, { desc_units: true })
    expect((await units()).results.map(({ id }) => id)).toEqual([1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5])
    await api.call("PATCH", `/api/dcim/racks/${rack}/`, { desc_units: false })
  })

  it("is read in pages, and searched by number and name", async () => {
    const page = await units("?limit=3&offset=2")
    expect([page.count, page.results.map(({ name }) => name)]).toEqual([8, ["U3.5", "U3", "U2.5"]])
    expect(page.next).toContain("limit=3&offset=5")
    expect((await units("?q=3.")).results.map(({ name }) => name)).toEqual(["U3.5", "U3"])
    expect((await units("?q=U2")).count).toBe(2)
  })

  it("has the units of the highest rack at most, whatever plain SQL has stored", async () => {
    const height = (units: number) =>
      api.database.sql.query(`update dcim_rack set u_height = ${units} where id = ${rack}`)
    await height(2_000_000_000)
    expect((await units()).count).toBe(200)
    expect((await svg()).text).toContain('height="2204"')
    await height(4)
  })

  it("refuses wrong parameters by name, all at once", async () => {
    const query = "?face=top&render=png&unit_width=5&unit_height=x&legend_width=-1&margin_width=9999&exclude=a"
    const { status, json } = await api.call("GET", at(rack, `${query}&expand_devices=perhaps&highlight=name`))
    expect([status, json]).toEqual([
      400,
      {
        face: ['"top" is not a valid choice.'],
        render: ['"png" is not a valid choice.'],
        unit_width: ["Ensure this value is greater than or equal to 20."],
        unit_height: ["A valid integer is required."],
        legend_width: ["Ensure this value is greater than or equal to 0."],
        margin_width: ["Ensure this value is less than or equal to 200."],
        exclude: ["A valid integer is required."],
        expand_devices: ["Must be a valid boolean."],
        highlight: ["Write a field and a value: field:value."]
      }
    ])
    expect((await api.call("GET", at(rack, "?render=svg&highlight=nope:1"))).json).toEqual({
      highlight: ["Unknown filter."]
    })
    expect((await api.call("GET", at(999_999))).status).toBe(404)
    expect((await api.call("GET", "/api/dcim/racks/x/elevation/")).status).toBe(404)
  })
})

describe("the picture of a rack", () => {
  it("has the size of the request, devices with their notes, reservations and free units", async () => {
    const { text, headers } = await svg("&unit_width=300&unit_height=20&legend_width=40&margin_width=20")
    expect(text).toContain('width="364" height="84"')
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^' ]+'; frame-ancestors 'none'$/
    )
    const { url } = api.service
    expect(text).toContain(`<a href="${url}/dcim/devices/${ids.deep}/" target="_parent">`)
    expect(text).toContain("Name: deep &lt;b&gt; (A-1)\nRole: Role\nType: Deep (1.5U)\nAsset tag: A-1")
    expect(text).toMatch(/fill="#000080"[^>]*>.*fill="#ffffff"[^>]*>shallow<\/text>/)
    expect(text).toContain("<title>for &quot;later&quot;</title>")
    expect(text).toMatch(/devices\/add\/\?site=\d+&amp;rack=\d+&amp;face=front&amp;position=4"/)
    expect((await svg("&face=rear")).text).toContain(`fill="url(#opposite-rear-${rack})"`)
  })

  it("marks devices that a filter finds", async () => {
    const marks = async (query: string) => [...(await svg(query)).text.matchAll(/stroke-width="3"/g)].length
    expect(await marks("")).toBe(0)
    expect(await marks("&highlight=name:shallow")).toBe(1)
    expect(await marks(`&highlight=id:${ids.deep}&highlight=serial:S-1`)).toBe(2)
  })

  it("is also for browsers, and has the header of the version as every answer", async () => {
    const accept = "text/html,application/xhtml+xml,*/*;q=0.8"
    const open = await makeUser(api, "eve", { types: ["dcim.rack"], actions: ["view"] })
    const { headers } = await fetch(api.service.url + at(rack, "?render=svg"), {
      headers: { accept, authorization: `Token ${open.token}` }
    })
    expect([headers.get("content-type"), headers.get("api-version")]).toEqual(["image/svg+xml", "3.5"])
  })
})

describe("a device that the reader may not view", () => {
  it("occupies its units and is not named", async () => {
    const { json } = await bob.call("GET", at(rack))
    expect(occupied(json as unknown as Units)).toEqual(["U3.5 ?", "U3 ?", "U2.5 ?", "U1.5 shallow", "U1 shallow"])
    expect(JSON.stringify(json)).not.toMatch(/deep|A-1/)
    const { text } = await svg("", bob.token)
    expect(text).toContain("shallow")
    expect(text).not.toMatch(new RegExp(`deep|A-1|later|add/|devices/${ids.deep}|Role`))
    // The colour of the role is hidden too.
    expect(text).toContain("#9e9e9e")
    expect((await svg(`&highlight=asset_tag:A-1&exclude=${ids.deep}`, bob.token)).text).toBe(text)
    expect((await bob.call("GET", at(rack, `?exclude=${ids.deep}`))).json["results"]).toEqual(json["results"])
  })
})
