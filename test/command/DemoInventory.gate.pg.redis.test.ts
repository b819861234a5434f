import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { type Api, environmentOf, startApiAlone } from "../support/Api.ts"
import type { List } from "../support/Client.ts"
import { runCommand } from "../support/Command.ts"
import { makeDatabase } from "../support/Database.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
beforeAll(async () => {
  api = await startApiAlone()
})
afterAll(() => api.stop())

const fill = (size: number, database = api.database) =>
  runCommand(["demo", "--size", `${size}`], { env: environmentOf(database) })

const refused = (table: string) => ({
  code: 1,
  output: `rackwire: demo --size fills an empty inventory, and ${table} of this one has objects already.\n`
})

describe("an inventory that the demo fills", () => {
  it("has to be empty: nothing is written otherwise", async () => {
    const cisco = await api.call<{ readonly id: number }>("POST", "/api/dcim/manufacturers/", {
      name: "Cisco",
      slug: "cisco"
    })
    expect(await fill(100)).toEqual(refused("dcim_manufacturer"))
    await api.call("DELETE", `/api/dcim/manufacturers/${cisco.json.id}/`)
  })

  it("has its objects and its indexes after one command", async () => {
    const database = await makeDatabase()
    const read = (query: string) => database.sql.query<{ readonly count: number }>(query)
    const indexes = "select count(*)::int from pg_index where indrelid = 'ipam_ipaddress'::regclass"
    const before = await read(indexes)
    expect(await fill(100, database)).toMatchObject({ code: 0 })
    expect(await read("select count(*)::int from dcim_interface")).toEqual([{ count: 100 }])
    expect(await read("select count(*)::int from dcim_device where primary_ip4_id is null")).toEqual([{ count: 0 }])
    expect(await read(indexes)).toEqual(before)
    await database.drop()
  })

  thorough("has the requested number of interfaces and addresses, all valid by the rules", async () => {
    expect(await fill(11_000)).toMatchObject({ code: 0 })
    const count = async (path: string) => (await api.call<List>("GET", `/api/${path}/?limit=1`)).json.count
    expect(await count("dcim/interfaces")).toBe(11_000)
    expect(await count("ipam/ip-addresses")).toBe(11_000)
    expect(await count("dcim/devices")).toBe(220)
    expect(await count("dcim/sites")).toBe(2)
    expect(await count("ipam/prefixes")).toBe(222)
    expect(await count("dcim/rack-reservations")).toBe(6)
    expect(await count("dcim/console-ports")).toBe(220)
    expect(await count("dcim/power-ports")).toBe(440)
    expect(await count("dcim/interface-templates")).toBe(300)
    expect(await count("dcim/power-port-templates")).toBe(12)
    expect(await count("dcim/cables")).toBe(219)
    const { results } = (await api.call<List>("GET", "/api/dcim/interfaces/?device=sw002.dc1&cabled=true")).json
    expect(results.map(({ name }) => name)).toEqual(["Ethernet1", "Ethernet2"])
    for (const type of registry.values()) {
      if (type.kind !== "object" || type.isReadOnly) continue
      const { results } = (await api.call<List>("GET", `${type.path}?limit=100`)).json
      const changes = results.map(({ id }) => ({ id }))
      const reply = await api.call("PATCH", type.path, changes)
      expect([type.id, reply.status, reply.status === 200 ? "" : reply.text]).toEqual([type.id, 200, ""])
    }
  })

  thorough("is filled only once", async () => {
    expect(await fill(100)).toEqual(refused("dcim_region"))
  })

  thorough("gets its dropped indexes back", async () => {
    const indexes = await api.database.sql.query<{ readonly name: string }>(
      "select indexrelid::regclass::text as name from pg_index where indrelid = 'ipam_ipaddress'::regclass"
    )
    expect(indexes.length).toBeGreaterThan(10)
  })
})
