/** Cables between every pair of ports that NetBox allows, by the API: rules, answers, filters and events. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { captured } from "../support/CaughtUp.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { fewOf } from "../support/Seed.ts"

let api: Api
let device: number
let rack: number
let panel: number
let site: number
let circuit: Json
let number = 0

const paths = {
  interface: "dcim/interfaces",
  consoleport: "dcim/console-ports",
  consoleserverport: "dcim/console-server-ports",
  powerport: "dcim/power-ports",
  poweroutlet: "dcim/power-outlets",
  powerfeed: "dcim/power-feeds",
  frontport: "dcim/front-ports",
  rearport: "dcim/rear-ports",
  circuittermination: "circuits/circuit-terminations"
} as const
type Kind = keyof typeof paths
const kinds = Object.keys(paths) as ReadonlyArray<Kind>

interface End {
  readonly object_type: string
  readonly object_id: number
}

const typeOf = (kind: Kind) => `${kind === "circuittermination" ? "circuits" : "dcim"}.${kind}`
const port = async (kind: Kind, fields: Json = {}): Promise<End> => {
  const name = `${kind} ${(number += 1)}`
  const own: Record<Kind, () => Promise<Json> | Json> = {
    interface: () => ({ device, type: "1000base-t" }),
    consoleport: () => ({ device }),
    consoleserverport: () => ({ device }),
    powerport: () => ({ device }),
    poweroutlet: () => ({ device }),
    powerfeed: () => ({ power_panel: panel, rack }),
    circuittermination: async () => ({
      ...{ name: undefined, site, term_side: "A" },
      circuit: await api.make("circuits/circuits", { ...circuit, cid: name })
    }),
    rearport: () => ({ device, type: "8p8c" }),
    frontport: async () => ({ device, type: "8p8c", rear_port: (await port("rearport")).object_id })
  }
  return {
    object_type: typeOf(kind),
    object_id: await api.make(paths[kind], { name, ...(await own[kind]()), ...fields })
  }
}
const show = async ({ object_type: type, object_id: id }: End) =>
  (await api.call<Json>("GET", `/api/${paths[type.replace(/.*\./, "") as Kind]}/${id}/`)).json
const connect = (a: ReadonlyArray<End>, b: ReadonlyArray<End>, fields: Json = {}) =>
  api.call<Json>("POST", "/api/dcim/cables/", { a_terminations: a, b_terminations: b, ...fields })
const cable = async (a: End, b: End, fields: Json = {}): Promise<number> => {
  const { status, json, text } = await connect([a], [b], fields)
  if (status !== 201) throw new Error(text)
  return Number(json["id"])
}

beforeAll(async () => {
  api = await sharedApi()
  site = await api.make("dcim/sites", named("Here"))
  circuit = {
    provider: await api.make("circuits/providers", named("Carrier")),
    type: await api.make("circuits/circuit-types", named("Transit"))
  }
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", named("Role"))
  rack = await api.make("dcim/racks", { name: "R", site })
  device = await api.make("dcim/devices", { name: "sw1", site, rack, device_type, device_role })
  panel = await api.make("dcim/power-panels", { name: "P", site })
})
afterAll(() => api.stop())

const allowed: Readonly<Record<Kind, ReadonlyArray<Kind>>> = {
  interface: ["interface", "frontport", "rearport", "circuittermination"],
  consoleport: ["consoleserverport", "frontport", "rearport"],
  consoleserverport: ["consoleport", "frontport", "rearport"],
  powerport: ["poweroutlet", "powerfeed"],
  poweroutlet: ["powerport"],
  powerfeed: ["powerport"],
  frontport: ["interface", "consoleport", "consoleserverport", "frontport", "rearport", "circuittermination"],
  rearport: ["interface", "consoleport", "consoleserverport", "frontport", "rearport", "circuittermination"],
  circuittermination: ["interface", "frontport", "rearport", "circuittermination"]
}

describe("a cable", () => {
  const pairs = kinds.flatMap((a) => kinds.map((b) => [a, b] as const))
  const made = pairs.filter(([a, b]) => allowed[a].includes(b))
  const refused = pairs.filter(([a, b]) => !allowed[a].includes(b))
  const isEnd = (kind: Kind) => !/front|rear|circuit/.test(kind)

  it.each(fewOf(refused, 12, "refused"))("from %s to %s is refused", async (a, b) => {
    const { status, json } = await connect([await port(a)], [await port(b)])
    expect([status, json]).toEqual([400, { __all__: [`Incompatible termination types: ${a} and ${b}`] }])
  })

  it.each(fewOf(made, 12, "made"))("from %s to %s is made", async (a, b) => {
    const [one, other] = [await port(a), await port(b)]
    const { status, json } = await connect([one], [other])
    expect(status).toBe(201)
    expect(json).toMatchObject({
      a_terminations: [{ ...one, object: { id: one.object_id, cable: json["id"] } }],
      b_terminations: [{ ...other, object: { id: other.object_id, _occupied: true } }]
    })
    const connected = {
      connected_endpoints: isEnd(b) ? [{ id: other.object_id }] : null,
      connected_endpoints_type: isEnd(b) ? other.object_type : null,
      connected_endpoints_reachable: isEnd(b)
    }
    expect(await show(one)).toMatchObject({
      ...{ cable: { id: json["id"] }, cable_end: "A", link_peers_type: other.object_type, _occupied: true },
      link_peers: [{ id: other.object_id }],
      ...(isEnd(a) && connected)
    })
    expect(Object.hasOwn(await show(one), "connected_endpoints")).toBe(isEnd(a))
  })

  it("is refused in words", async () => {
    const [a, b, c, feed] = [
      await port("interface"),
      await port("interface"),
      await port("frontport"),
      await port("powerfeed")
    ]
    const radio = await port("interface", { type: "ieee802.11ac" })
    const marked = await port("rearport", { mark_connected: true })
    const first = await cable(a, b)
    const errors = async (one: ReadonlyArray<unknown>, other: ReadonlyArray<unknown>) => {
      const { status, json } = await connect(one as ReadonlyArray<End>, other as ReadonlyArray<End>)
      return status === 400 ? json : status
    }
    expect(await errors([c], [b])).toEqual({
      b_terminations: [`Duplicate termination found for dcim.interface ${b.object_id}: cable ${first}`]
    })
    expect(await errors([c], [radio])).toEqual({
      b_terminations: ["Cables cannot be terminated to IEEE 802.11ac interfaces"]
    })
    expect(await errors([c], [marked])).toMatchObject({
      b_terminations: [expect.stringMatching(/is marked as connected/)]
    })
    expect(await errors([c, feed], [await port("powerport")])).toEqual({
      __all__: ["Cannot connect different termination types to same end of cable."]
    })
    expect(await errors([c], [c])).toEqual({
      b_terminations: [`Cannot connect dcim.frontport ${c.object_id} to itself`]
    })
    expect(await errors([c], [])).toEqual({
      __all__: ["Must define A and B terminations when creating a new cable."]
    })
    const nothing = [{ object_type: "dcim.interface", object_id: 987_654 }]
    expect(await errors([c], nothing)).toEqual({ b_terminations: ['Invalid pk "987654" - object does not exist.'] })
    expect(await errors([c], [{ object_type: "dcim.site", object_id: 1 }])).toEqual({
      b_terminations: ["Invalid content type: dcim.site"]
    })
    expect(await errors([c], [{ object_type: "dcim.interface" }])).toEqual({
      b_terminations: ["object_id: This field is required."]
    })
    for (const id of [null, true, "x", -1, 1.5, [], {}, 2 ** 60]) {
      expect(await errors([c], [{ object_type: "dcim.interface", object_id: id }])).toHaveProperty("b_terminations")
    }
    const { status, json } = await api.call<ReadonlyArray<Json>>("POST", "/api/dcim/cables/", [
      { a_terminations: [await port("interface")], b_terminations: [c] },
      { a_terminations: [await port("interface")], b_terminations: [c] }
    ])
    expect([status, json]).toEqual([400, [{}, { __all__: [expect.stringMatching(/^Duplicate termination found/)] }]])
  })

  it("gets other ends, and frees the old ones", async () => {
    const [a, b, c] = [await port("interface"), await port("interface"), await port("frontport")]
    const id = await cable(a, b)
    const changed = await api.call<Json>("PATCH", `/api/dcim/cables/${id}/`, { b_terminations: [c] })
    expect([changed.status, changed.json]).toMatchObject([200, { b_terminations: [c] }])
    expect(await show(b)).toMatchObject({ cable: null, cable_end: "", link_peers: [], link_peers_type: null })
    expect(await show(c)).toMatchObject({ cable: { id }, cable_end: "B", link_peers_type: "dcim.interface" })
    await api.call("DELETE", `/api/${paths.frontport}/${c.object_id}/`)
    expect((await api.call("GET", `/api/dcim/cables/${id}/`)).status).toBe(404)
  })

  it("excludes the mark of a port", async () => {
    const [a, b] = [await port("consoleport"), await port("consoleserverport")]
    await cable(a, b)
    const marked = await api.call<Json>("PATCH", `/api/${paths.consoleport}/${a.object_id}/`, { mark_connected: true })
    expect([marked.status, marked.json]).toEqual([
      400,
      { mark_connected: ["Cannot mark as connected with a cable attached."] }
    ])
  })
})

describe("cable terminations", () => {
  it("are listed, found and not written", async () => {
    const [a, b] = [await port("powerport"), await port("powerfeed")]
    const id = await cable(a, b)
    const { json } = await api.call<List>("GET", `/api/dcim/cable-terminations/?cable=${id}`)
    expect(json.results).toMatchObject([
      { cable: id, cable_end: "A", termination_type: a.object_type, termination_id: a.object_id },
      { cable: id, cable_end: "B", termination_type: b.object_type, termination: { id: b.object_id } }
    ])
    const found = await api.call<List>("GET", "/api/dcim/cable-terminations/?termination_type=dcim.powerfeed&limit=0")
    expect(found.json.results.every((each) => (each as unknown as Json)["termination_type"] === "dcim.powerfeed")).toBe(
      true
    )
    expect((await api.call("POST", "/api/dcim/cable-terminations/", {})).status).toBe(405)
  })
})

describe("filters", () => {
  it("find ports by their cables, and cables by the places of their ends", async () => {
    const [a, b, alone] = [await port("rearport"), await port("frontport"), await port("rearport")]
    const [supply, feed] = [await port("powerport"), await port("powerfeed")]
    const [data, power] = [await cable(a, b), await cable(supply, feed)]
    const ids = async (path: string) =>
      (await api.call<List>("GET", `/api/${path}&limit=0`)).json.results.map(({ id }) => id)
    expect(await ids("dcim/rear-ports/?cabled=true")).toContain(a.object_id)
    expect(await ids("dcim/rear-ports/?cabled=false")).toContain(alone.object_id)
    expect(await ids("dcim/rear-ports/?cable_end=A")).toContain(a.object_id)
    expect(await ids("dcim/front-ports/?cable_end=A")).not.toContain(b.object_id)
    expect(await ids("dcim/power-ports/?connected=true")).toContain(supply.object_id)
    expect(await ids("dcim/power-feeds/?occupied=true")).toContain(feed.object_id)
    for (const query of [`device_id=${device}`, "device=sw1", `rack_id=${rack}`, "rack=R", "site=here"])
      expect(await ids(`dcim/cables/?${query}`)).toEqual(expect.arrayContaining([data, power]))
    expect(await ids("dcim/cables/?termination_b_type=dcim.powerfeed")).toContain(power)
    expect(await ids("dcim/cables/?termination_b_type=dcim.powerfeed")).not.toContain(data)
    expect(await ids(`dcim/cables/?termination_a_id=${a.object_id}`)).toContain(data)
  })
})

describe("events", () => {
  interface Change {
    readonly type: string
    readonly id: number
    readonly action: string
    readonly data: Json
  }

  /** The changes after the last one of these. */
  const changesAfter = async (last: number): Promise<ReadonlyArray<Change>> => {
    await captured(api.database)
    return api.database.sql.query<Change & object>(
      // Without the alias `order by` would take the object's id, and events of one object have no order by that.
      `select c.changed_object_type as type, c.changed_object_id::int as id, c.action, c.data
         from extras_objectchange c where c.id > $1 order by c.id`,
      [last]
    )
  }
  const lastChange = async (): Promise<number> => {
    await captured(api.database)
    const [row] = await api.database.sql.query<{ readonly id: number }>(
      "select coalesce(max(id), 0)::int as id from extras_objectchange"
    )
    return row!.id
  }

  it("are those of the cable and of each end whose representation changes: a patched link", async () => {
    const [one, two] = [await port("interface"), await port("interface")]
    const [rear1, rear2] = [await port("rearport"), await port("rearport")]
    const [front1, front2] = [
      await port("frontport", { rear_port: rear1.object_id }),
      await port("frontport", { rear_port: rear2.object_id })
    ]
    await cable(one, front1)
    const trunk = await cable(rear1, rear2)
    await cable(front2, two)
    expect(await show(one)).toMatchObject({ connected_endpoints: [{ id: two.object_id }] })
    const before = await lastChange()
    await api.call("DELETE", `/api/dcim/cables/${trunk}/`)
    const changes = await changesAfter(before)
    const named = changes.map(({ type, id, action }) => `${action} ${type} ${id}`).toSorted()
    const of = ({ object_type: type, object_id: id }: End) => `update ${type} ${id}`
    expect(named).toEqual([`delete dcim.cable ${trunk}`, of(one), of(two), of(rear1), of(rear2)].toSorted())
    // Ports of several kinds may have one id.
    const dataOf = (end: End) => changes.find(({ type, id, action }) => `${action} ${type} ${id}` === of(end))!.data
    expect(dataOf(one)).toMatchObject({ connected_endpoints: null, connected_endpoints_reachable: false })
    expect(dataOf(rear1)).toMatchObject({ cable: null, cable_end: "", link_peers: [] })
  })

  it("say what a cable joined at its commit, and of its status at both ends", async () => {
    const [supply, feed] = [await port("powerport"), await port("powerfeed")]
    const before = await lastChange()
    const id = await cable(supply, feed)
    await api.call("PATCH", `/api/dcim/cables/${id}/`, { status: "planned" })
    const changes = await changesAfter(before)
    const ofFeed = changes.filter(({ type }) => type === "dcim.powerfeed").map(({ data }) => data)
    expect(ofFeed).toMatchObject([
      { cable_end: "B", connected_endpoints: [{ id: supply.object_id }], connected_endpoints_reachable: true },
      { connected_endpoints_reachable: false }
    ])
    const made = changes.find(({ type, action }) => type === "dcim.cable" && action === "create")!
    expect(made.data).toMatchObject({ a_terminations: [{ ...supply, object: { id: supply.object_id } }] })
  })
})
