/** Tables of other tools: their separators, headings, choices, and names of objects. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

let api: Api
let token: string

const send = async (path: string, body: string, type = "text/csv") => {
  const headers = { authorization: `Token ${token}`, "content-type": type }
  const response = await fetch(`${api.service.url}/api/${path}/import/`, { method: "POST", headers, body })
  return { status: response.status, json: (await response.json()) as Json }
}

const one = async (path: string, query: string) =>
  (await api.call<List>("GET", `/api/${path}/?${query}`)).json.results[0] as unknown as Json

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
  await api.call("POST", "/api/extras/tags/", [
    { name: "In use", slug: "used" },
    { name: "Edge, far", slug: "edge" }
  ])
  const maker = await api.makeObject("dcim/manufacturers", named("Maker"))
  await api.make("dcim/device-types", { manufacturer: maker.id, model: "Switch", slug: "switch-1" })
  await api.make("dcim/device-roles", named("Leaf"))
  for (const name of ["A", "B"]) {
    const site = await api.makeObject("dcim/sites", named(`Site ${name}`))
    await api.make("dcim/racks", { name: "R1", site: site.id })
    await api.make("ipam/vlans", { vid: 4000, name: `users ${name}`, site: site.id })
  }
})
afterAll(() => api.stop())

describe("a table", () => {
  test.each([
    [";", ""],
    ["\t", ""],
    ["|", ""],
    [";", ";"],
    [",", ","]
  ])("separated by %j is read, each line with %j behind it", async (separator, end) => {
    const slug = `sep-${separator.codePointAt(0)}-${end.length}`
    const lines = [
      ["Name", "SLUG", "Physical address", "Status", "Tags"],
      [slug, slug, '"1, Road; 2nd|door"', "Planned", "In use"]
    ]
    const reply = await send("dcim/sites", lines.map((line) => `${line.join(separator)}${end}\n`).join(""))
    expect(reply).toMatchObject({ status: 200, json: { created: 1, errors: [] } })
    expect(await one("dcim/sites", `slug=${slug}`)).toMatchObject({
      physical_address: "1, Road; 2nd|door",
      status: { value: "planned" },
      tags: [{ slug: "used" }]
    })
  })

  test("names objects by name or slug, choices by label, and what lies in the row's site by its name", async () => {
    const devices = [
      "Name;Device type;Device role;Site;Rack;Tags;Status;Position;Face",
      "a;Switch;leaf;Site A;R1;used,In use;Active;1;Front",
      'b;switch-1;Leaf;site-b;R1;"[""Edge, far""]";staged;1;rear'
    ]
    expect(await send("dcim/devices", devices.join("\n"))).toMatchObject({ status: 200, json: { created: 2 } })
    expect(await one("dcim/devices", "name=b")).toMatchObject({
      rack: { name: "R1" },
      site: { slug: "site-b" },
      tags: [{ slug: "edge" }],
      status: { value: "staged" },
      face: { value: "rear" }
    })
    const interfaces = [
      "device.name,device.site,name,type,mode,untagged_vlan.vid,tagged_vlans",
      "a,site-a,eth0,virtual,Tagged,4000,",
      "b,site-b,eth0,1000BASE-T (1GE),tagged,4000,users B"
    ]
    expect(await send("dcim/interfaces", interfaces.join("\n"))).toMatchObject({ status: 200, json: { created: 2 } })
    expect(await one("dcim/interfaces", "device=b")).toMatchObject({
      untagged_vlan: { name: "users B" },
      tagged_vlans: [{ name: "users B" }],
      type: { value: "1000base-t" }
    })
    expect(await one("dcim/interfaces", "device=a")).toMatchObject({ untagged_vlan: { name: "users A" } })
    const { id } = await one("dcim/interfaces", "device=a")
    const changed = await send("dcim/interfaces", `id,untagged_vlan\n${id},4000\n`)
    expect(changed).toMatchObject({ status: 200, json: { updated: 1, errors: [] } })
  })

  test("is refused where a name may mean several objects, or a number an id and a name", async () => {
    const several = await send("dcim/racks", "name,site\nR2,Site A\n")
    expect(several.status).toBe(200)
    const prefixes = await send(
      "ipam/prefixes",
      "prefix,vlan\n10.0.0.0/24,4000\n10.0.1.0/24,users A\n10.0.2.0/24,nope\n"
    )
    expect(prefixes).toMatchObject({
      status: 400,
      json: {
        errors: [
          { row: 1, errors: { vlan: [expect.stringContaining("Multiple objects match")] } },
          { row: 3, errors: { vlan: [expect.stringContaining("Related object not found"), expect.anything()] } }
        ]
      }
    })
    const first = await one("dcim/sites", "slug=site-a")
    await api.make("dcim/sites", { name: "Numbered", slug: String(first["id"]) })
    const numbered = (column: string) => send("dcim/racks", `name,${column}\nR3,${first["id"]}\n`)
    expect(await numbered("site")).toMatchObject({
      status: 400,
      json: {
        errors: [
          { row: 1, errors: { site: [expect.stringContaining("the id of one object and the slug of another")] } }
        ]
      }
    })
    expect(await numbered("site.slug")).toMatchObject({ status: 200 })
    expect(await one("dcim/racks", "name=R3")).toMatchObject({ site: { name: "Numbered" } })
    expect(await numbered("site.id")).toMatchObject({ status: 200 })
    expect(await send("dcim/sites", "name,slug,Name\na,b,c\n")).toMatchObject({
      status: 400,
      json: { detail: "The column name is given twice." }
    })
  })

  test("keeps what an empty cell stands for, and clears what `null` does", async () => {
    const csv = "name,slug,region,latitude,tags,facility\nCleared,cleared,,1.5,used,null\n"
    expect((await send("dcim/sites", csv)).status).toBe(200)
    const { id } = await one("dcim/sites", "slug=cleared")
    await api.make("dcim/regions", named("Somewhere"))
    await send("dcim/sites", `id,region\n${id},Somewhere\n`)
    await send("dcim/sites", `id,region,latitude,tags\n${id},,,\n`)
    expect(await one("dcim/sites", "slug=cleared")).toMatchObject({
      ...{ region: { name: "Somewhere" }, latitude: 1.5, tags: [{}], facility: "null" }
    })
    await send("dcim/sites", `id,region,latitude,tags\n${id},null,null,null\n`)
    expect(await one("dcim/sites", "slug=cleared")).toMatchObject({ region: null, latitude: null, tags: [] })
  })

  test("with too many names in a row is refused by its field", async () => {
    const rows = (tags: unknown) => JSON.stringify([{ ...named("Many"), tags }])
    for (const tags of [
      Array.from({ length: 5001 }, () => "used"),
      Array.from({ length: 251 }, () => ({ slug: "used" }))
    ]) {
      const reply = await send("dcim/sites", rows(tags), "application/json")
      expect(reply).toMatchObject({
        status: 400,
        json: { errors: [{ row: 1, errors: { tags: [expect.any(String)] } }] }
      })
    }
  })

  test("names an object by several attributes", async () => {
    const racks = "name,site\nR9,Site B\n"
    expect((await send("dcim/racks", racks)).status).toBe(200)
    const csv = "name,device_type,device_role,site,rack.name,rack.site\nc,Switch,Leaf,Site B,R9,site-b\n"
    expect(await send("dcim/devices", csv)).toMatchObject({ status: 200, json: { created: 1 } })
  })

  test("of cables names their ends", async () => {
    const csv =
      'a_terminations,b_terminations\n"[{""device"": ""a"", ""name"": ""eth1""}]","[{""device"": ""b"", ""name"": ""eth0""}]"\n'
    await send("dcim/interfaces", "device,name,type\na,eth1,1000base-t\n")
    expect(await send("dcim/cables", csv)).toMatchObject({ status: 200, json: { created: 1 } })
  })
})
