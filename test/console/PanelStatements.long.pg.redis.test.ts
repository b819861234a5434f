/** How many statements the panels of an object's page send. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { beforeAll, describe, expect, it } from "vitest"
import { drawingOf } from "../../src/console/object/Panels.ts"
import type { Request } from "../../src/http/wire/Request.ts"
import { Clearance } from "../../src/inventory/Clearance.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"
import { everything, nothing } from "../../src/inventory/derive/filter/Where.ts"
import type { Panel } from "../../src/inventory/page/Panel.ts"
import { representation } from "../../src/inventory/derive/represent/Representation.ts"
import { readOne, viewFor } from "../../src/inventory/read/Read.ts"
import { type Existing, makeWorld } from "../support/AnyObject.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { statementsOf } from "../support/Statements.ts"

let api: Api
let world: Existing

beforeAll(async () => {
  api = await sharedApi()
  world = await makeWorld(api.call, 2)
})

type Reading<A> = Effect.Effect<A, unknown, SqlClient.SqlClient | Clearance>

/** Draws a panel of an object, and returns how many statements that took and its text. */
const drawn = async (type: ObjectType, id: number, panel: Panel, clearance = Clearance.all) => {
  const request = { base: "", url: new URL("http://here/"), principal: {} } as unknown as Request
  let text = ""
  let before = 0
  const all = await statementsOf(api.database.databaseUrl, (count) =>
    Effect.gen(function* () {
      const { rows, beside } = yield* readOne(type, id, true)
      const row = rows[0]!
      const view = yield* viewFor(type, rows, "", beside)
      const about = { type, row, view, shown: representation(type, row, view), request }
      before = count()
      const found = yield* drawingOf(panel, type.id).draw(panel, about) as Reading<
        { readonly text: string } | undefined
      >
      text = found?.text ?? ""
    }).pipe(Effect.provideService(Clearance, clearance))
  )
  return { statements: all.length - before, text }
}

const panelOf = (type: ObjectType, kind: Panel["kind"]): Panel => type.panels.find((panel) => panel.kind === kind)!

describe("a panel", () => {
  it("of an object of any type sends one statement at most", async () => {
    const sent: Array<string> = []
    const kinds = new Set<string>()
    for (const type of registry.values()) {
      for (const id of world(type.id).slice(0, 2)) {
        for (const panel of type.panels) {
          const { statements, text } = await drawn(type, id, panel)
          if (statements > 1) sent.push(`${type.id} ${panel.kind}: ${statements}`)
          if (text !== "") kinds.add(panel.kind)
        }
      }
    }
    expect(sent).toEqual([])
    expect(kinds.size).toBeGreaterThan(8)
  })
})

describe("a panel with a rack, a path or addresses", () => {
  it("sends one for a reader who may view some of it too, and shows the units of the others as occupied", async () => {
    const types = ["dcim.interface", "dcim.device", "dcim.rack", "ipam.prefix"].map((id) => objectType(id))
    const [interfaceType, deviceType, rackType, prefixType] = types as [ObjectType, ObjectType, ObjectType, ObjectType]
    const site = await api.make("dcim/sites", named("Panels"))
    const manufacturer = await api.make("dcim/manufacturers", named("Panels"))
    const device_type = await api.make("dcim/device-types", { manufacturer, model: "P", slug: "p", u_height: 2 })
    const device_role = await api.make("dcim/device-roles", named("Panels"))
    const rack = await api.make("dcim/racks", { name: "Panels", site, u_height: 12 })
    const mounted = (name: string, position: number) =>
      api.make("dcim/devices", { name, site, rack, position, face: "front", device_type, device_role })
    const [seen, hidden] = [await mounted("seen", 1), await mounted("secret", 5)]
    const port = (device: number, name: string) => api.make("dcim/interfaces", { device, name, type: "1000base-t" })
    const [near, far] = [await port(seen, "near"), await port(hidden, "far")]
    const end = (object_id: number) => [{ object_type: "dcim.interface", object_id }]
    const prefix = await api.make("ipam/prefixes", { prefix: "192.0.2.0/24" })
    for (const [at, assigned_object_id] of [near, far].entries()) {
      const assigned = { assigned_object_type: "dcim.interface", assigned_object_id }
      await api.make("ipam/ip-addresses", { address: `192.0.2.${at + 1}/24`, ...assigned })
    }
    await api.make("dcim/cables", { a_terminations: end(near), b_terminations: end(far) })
    const visible = new Map([
      ["dcim.rack", everything],
      ["dcim.cable", everything],
      ["ipam.prefix", everything],
      ["ipam.ipaddress", everything],
      ["dcim.device", { sql: "t.name like $1", parameters: ["seen%"] }],
      ["dcim.interface", { sql: "t.name = $1", parameters: ["near"] }]
    ])
    const clearance = Clearance.of({ where: ({ id }) => visible.get(id) ?? nothing })
    const faces = await drawn(rackType, rack, panelOf(rackType, "elevation"), clearance)
    const small = await drawn(deviceType, seen, panelOf(deviceType, "elevation"), clearance)
    const path = await drawn(interfaceType, near, panelOf(interfaceType, "trace"), clearance)
    const contained = await drawn(prefixType, prefix, panelOf(prefixType, "contained"), clearance)
    expect([faces, small, path, contained].map(({ statements }) => statements)).toEqual([1, 1, 1, 1])
    for (const { text } of [faces, small, path, contained]) {
      expect(text).not.toMatch(new RegExp(`secret|>far<|/devices/${hidden}/`))
    }
    // Devices are moved on the page of the rack alone.
    expect([faces, small].map(({ text }) => text.includes("data-rack-moves"))).toEqual([true, false])
    // Units are drawn as occupied at the front alone.
    expect(faces.text).toContain(`data-taken="1 1.5 2 2.5 5 5.5 6 6.5"`)
    for (const { text } of [path, contained]) {
      expect(text).toContain("near")
      expect(text).toContain(`#${far}`)
    }
  })
})
