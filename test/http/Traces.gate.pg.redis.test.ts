/** Traces of paths, as JSON and as a picture, paths through panels, and the device at the other end. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Clearance } from "../../src/inventory/Clearance.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import { everything } from "../../src/inventory/derive/filter/Where.ts"
import { representation } from "../../src/inventory/derive/represent/Representation.ts"
import { traceFrom } from "../../src/inventory/read/Paths.ts"
import { readPage, viewFor } from "../../src/inventory/read/Read.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { statementsOf } from "../support/Statements.ts"

let api: Api
let place: Json
/** Names that a picture must not take as markup. */
const hostile = `<script>alert("&'")</script>\u0001]]>`

interface End {
  readonly object_type: string
  readonly object_id: number
}

const make = async (path: string, type: string, fields: Json): Promise<End> => ({
  object_type: `dcim.${type}`,
  object_id: await api.make(path, fields)
})
const device = (name: string) => api.make("dcim/devices", { ...place, name })
const port = (owner: number, name: string, fields: Json = {}) =>
  make("dcim/interfaces", "interface", { device: owner, name, type: "1000base-t", ...fields })
/** A rear port, and the front port at its first position. */
const panel = async (owner: number, name: string, positions = 1) => {
  const rear = await make("dcim/rear-ports", "rearport", { device: owner, name: `${name}r`, type: "8p8c", positions })
  const front = await make("dcim/front-ports", "frontport", {
    ...{ device: owner, name: `${name}f`, type: "8p8c", rear_port: rear.object_id }
  })
  return { rear, front }
}
const cable = (a: End, b: End, fields: Json = {}) =>
  api.make("dcim/cables", { a_terminations: [a], b_terminations: [b], ...fields })

interface Journey {
  readonly ends: readonly [End, End]
  readonly ports: readonly [End, End, End, End]
  readonly cables: readonly [number, number, number]
  readonly devices: readonly [number, number]
}
let journey: Journey

beforeAll(async () => {
  api = await sharedApi()
  const site = await api.make("dcim/sites", named("Here"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", named("Role"))
  place = { site, device_type, device_role }
  const [one, two, left, right] = [await device("sw1"), await device("sw2"), await device("p1"), await device("p2")]
  const [a, b] = [await port(one, "eth0"), await port(two, "eth0", { label: hostile.slice(0, 60) })]
  const [near, far] = [await panel(left, "1"), await panel(right, "1")]
  journey = {
    ends: [a, b],
    ports: [near.front, near.rear, far.rear, far.front],
    cables: [
      await cable(a, near.front),
      await cable(near.rear, far.rear, { label: hostile, color: "ff0000", type: "smf", length: 5, length_unit: "m" }),
      await cable(far.front, b)
    ],
    devices: [one, two]
  }
})
afterAll(() => api.stop())

const get = <A = Json>(path: string) => api.call<A>("GET", `/api/dcim/${path}`)
type Steps = ReadonlyArray<readonly [ReadonlyArray<Json>, Json | ReadonlyArray<never>, ReadonlyArray<Json>]>
const traceOf = async ({ object_id: id }: End) => (await get<Steps>(`interfaces/${id}/trace/`)).json
const idsIn = (ends: ReadonlyArray<Json>) => ends.map(({ id }) => id)
const outline = (steps: Steps) => steps.map(([near, link, far]) => [idsIn(near), (link as Json)["id"], idsIn(far)])

describe("a trace", () => {
  it("leads from switch to switch over two panels, and back", async () => {
    const [a, b] = journey.ends.map(({ object_id: id }) => id)
    const [front1, rear1, rear2, front2] = journey.ports.map(({ object_id: id }) => id)
    const [first, trunk, last] = journey.cables
    expect(outline(await traceOf(journey.ends[0]))).toEqual([
      [[a], first, [front1]],
      [[rear1], trunk, [rear2]],
      [[front2], last, [b]]
    ])
    expect(outline(await traceOf(journey.ends[1]))).toEqual([
      [[b], last, [front2]],
      [[rear2], trunk, [rear1]],
      [[front1], first, [a]]
    ])
    const [, [, link]] = (await traceOf(journey.ends[0])) as unknown as [unknown, [unknown, Json]]
    expect(link).toEqual({
      ...{ id: trunk, url: expect.stringContaining(`/api/dcim/cables/${trunk}/`) as string },
      ...{
        type: "smf",
        status: "connected",
        label: hostile,
        color: "ff0000",
        length: 5,
        length_unit: "m",
        description: ""
      }
    })
  })

  it("is empty without a cable, and ends at a port that leads nowhere", async () => {
    const box = await device("alone")
    const [free, patched] = [await port(box, "free"), await port(box, "patched")]
    expect(await traceOf(free)).toEqual([])
    const { front, rear } = await panel(box, "9")
    await cable(patched, front)
    expect(await traceOf(patched)).toMatchObject([
      [[{ id: patched.object_id }], { status: "connected" }, [{ id: front.object_id }]],
      [[{ id: rear.object_id }], [], []]
    ])
  })

  it("continues through a bridge", async () => {
    const box = await device("bridge")
    const [a, b, c] = [await port(box, "a"), await port(box, "b"), await port(box, "c")]
    const other = await port(await device("far"), "d")
    await api.call("PATCH", `/api/dcim/interfaces/${b.object_id}/`, { bridge: c.object_id })
    await cable(a, b)
    await cable(c, other)
    expect(outline(await traceOf(a)).map(([near, , far]) => [near, far])).toEqual([
      [[a.object_id], [b.object_id]],
      [[c.object_id], [other.object_id]]
    ])
    // Two bridges that lead to each other.
    await api.call("PATCH", `/api/dcim/interfaces/${other.object_id}/`, { bridge: null })
    await api.call("PATCH", `/api/dcim/interfaces/${a.object_id}/`, { bridge: b.object_id })
    expect((await get(`interfaces/${b.object_id}/trace/`)).status).toBe(200)
  })

  it("is a picture whose texts are no markup", async () => {
    const { status, headers, text } = await get(`interfaces/${journey.ends[0].object_id}/trace/?render=svg&width=600`)
    expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\/svg\+xml/)])
    expect(text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="600"/)
    expect(text).toContain("&lt;script&gt;alert(&quot;&amp;&#39;&quot;)&lt;/script&gt;]]&gt;")
    expect(["<script", "\u0001"].filter((each) => text.includes(each))).toEqual([])
    const [rules] = /<style>(.*?)<\/style>/.exec(text)!.slice(1)
    const hash = createHash("sha256").update(rules!).digest("base64")
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`
    )
    for (const name of ["sw1", "p1", "p2", "sw2"]) expect(text).toContain(`>${name}</text>`)
    expect(text).toContain('stroke="#ff0000"')
    for (const width of ["0", "x", "99999", "-5", ""]) {
      expect((await get(`interfaces/${journey.ends[0].object_id}/trace/?render=svg&width=${width}`)).status).toBe(400)
    }
  })

  it("shows hidden objects by their ids, and ends at a hidden cable", async () => {
    const [a] = journey.ends
    const [first, , last] = journey.cables
    const view = (types: ReadonlyArray<string>, constraints?: Json) => ({ types, actions: ["view"], constraints })
    const ann = await makeUser(api, "ann", view(["dcim.interface", "dcim.cable"]))
    const shown = await ann.call("GET", `/api/dcim/interfaces/${a.object_id}/trace/`)
    const hidden = (id: number, path: string) => ({
      id,
      display: `#${id}`,
      url: expect.stringContaining(`${path}/${id}/`) as string
    })
    const [front1] = journey.ports
    expect((shown.json as unknown as Steps)[0]![2]).toEqual([hidden(front1.object_id, "front-ports")])
    const picture = await ann.call("GET", `/api/dcim/interfaces/${a.object_id}/trace/?render=svg`)
    expect(picture.text).not.toMatch(/>1f<|>p1</)
    const bob = await makeUser(
      api,
      "bob",
      view(["dcim.interface", "dcim.frontport", "dcim.rearport", "dcim.device"]),
      view(["dcim.cable"], { id__in: [first, last] })
    )
    const cut = (await bob.call("GET", `/api/dcim/interfaces/${a.object_id}/trace/`)).json as unknown as Steps
    expect(cut.map(([near, link, far]) => [idsIn(near), Array.isArray(link), idsIn(far)])).toEqual([
      [[a.object_id], false, [front1.object_id]],
      [[journey.ports[1].object_id], true, []]
    ])
    const through = await bob.call("GET", `/api/dcim/rear-ports/${journey.ports[1].object_id}/paths/`)
    expect(through.json).toEqual([])
    expect((await bob.call("GET", `/api/dcim/power-ports/1/trace/`)).status).toBe(403)
    expect((await get("interfaces/999999/trace/")).status).toBe(404)
  })
})

describe("the paths of a port", () => {
  it("are those that lead over it, from both ends", async () => {
    const [a, b] = journey.ends.map(({ object_id: id }) => id)
    for (const [at, type] of ["front-ports", "rear-ports", "rear-ports", "front-ports"].entries()) {
      const { json } = await get<ReadonlyArray<Json>>(`${type}/${journey.ports[at]!.object_id}/paths/`)
      expect(json).toHaveLength(2)
      expect(json.map(({ path }) => (path as ReadonlyArray<ReadonlyArray<Json>>)[0]![0]!["id"]).toSorted()).toEqual(
        [a, b].toSorted()
      )
      expect(json).toMatchObject([
        { is_active: true, is_complete: true, is_split: false },
        { is_active: true, is_complete: true, is_split: false }
      ])
      expect((json[0]!["path"] as ReadonlyArray<unknown>).length).toBe(9)
    }
  })
})

describe("the connected device", () => {
  const ask = (query: string) => get(`connected-device/${query}`)

  it("is the one at the other end of the path", async () => {
    const { status, json } = await ask("?peer_device=sw1&peer_interface=eth0")
    expect([status, json]).toMatchObject([200, { id: journey.devices[1], name: "sw2" }])
    expect(json).not.toHaveProperty("config_context")
  })

  it("is requested by both names, exactly", async () => {
    for (const query of ["", "?peer_device=sw1", "?peer_interface=eth0", "?peer_device=&peer_interface="]) {
      const { status, json } = await ask(query)
      expect([status, json]).toEqual([
        400,
        { detail: 'Request must include "peer_device" and "peer_interface" filters.' }
      ])
    }
    for (const query of ["?peer_device=SW1&peer_interface=eth0", "?peer_device=sw1&peer_interface=nope"]) {
      expect((await ask(query)).status).toBe(404)
    }
  })

  it("is not revealed to who may not see it, its interface or the cable", async () => {
    const query = "/api/dcim/connected-device/?peer_device=sw1&peer_interface=eth0"
    const view = (types: ReadonlyArray<string>, constraints?: Json) => ({ types, actions: ["view"], constraints })
    const all = ["dcim.interface", "dcim.cable", "dcim.device"]
    for (const [at, missing] of all.entries()) {
      const rest = all.filter((type) => type !== missing)
      const some =
        missing === "dcim.cable"
          ? []
          : [view([missing], missing === "dcim.device" ? { name: "sw1" } : { id: journey.ends[0].object_id })]
      const user = await makeUser(api, `eve${at}`, view(rest), ...some)
      expect((await user.call("GET", query)).status).toBe(404)
    }
  })
})

describe("the statements", () => {
  const sent = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | Clearance>) =>
    statementsOf(api.database.databaseUrl, effect)

  it("of a list with connected endpoints are at most two, and of a trace with the objects on it one", async () => {
    const type = objectType("dcim.interface")
    const page = { where: everything, ordering: [], limit: 50, offset: 0 }
    const listed = Effect.gen(function* () {
      const { rows, beside } = yield* readPage(type, page)
      const view = yield* viewFor(type, rows, "", beside)
      return rows.map((row) => representation(type, row, view))
    })
    expect((await sent(listed)).length).toBeLessThanOrEqual(2)
    const box = await device("long")
    const ends = [await port(box, "in"), await port(box, "out")] as const
    const panels = []
    for (let n = 1; n <= 12; n++) panels.push(await panel(box, `l${n}`))
    await cable(ends[0], panels[0]!.front)
    for (let n = 1; n < 12; n++) {
      const [before, after] = [panels[n - 1]!, panels[n]!]
      await (n % 2 === 1 ? cable(before.rear, after.rear) : cable(before.front, after.front))
    }
    await cable(panels[11]!.front, ends[1])
    expect(await traceOf(ends[0])).toHaveLength(13)
    expect(await sent(traceFrom({ type: "dcim.interface", id: ends[0].object_id }, ""))).toHaveLength(1)
  })
})
