/** Components of a new device are events of their own, of the request that created the device. */
import { expect, it } from "vitest"
import { startDelivering } from "../deliver/Delivering.ts"
import { type Json, named } from "../support/Client.ts"

const hooks = startDelivering()

it("a webhook receives one event for each component of a new device", async () => {
  const { api } = hooks
  await hooks.webhook("ports", { content_types: ["dcim.interface"], type_update: true, conditions: null })
  const device_type = await api.make("dcim/device-types", {
    ...{ model: "M", slug: "m", manufacturer: await api.make("dcim/manufacturers", named("M")) }
  })
  const bridge = await api.make("dcim/interface-templates", { device_type, name: "br0", type: "bridge" })
  const ports = ["eth0", "eth1", "eth2"].map((name) => ({ device_type, name, type: "1000base-t", bridge }))
  await api.makeAll("dcim/interface-templates", ports)
  const made = await api.call<{ readonly id: number }>("POST", "/api/dcim/devices/", {
    ...{ name: "sw1", device_type, device_role: await api.make("dcim/device-roles", named("R")) },
    site: await api.make("dcim/sites", named("S"))
  })
  expect(made.status).toBe(201)
  const last = { device: made.json.id, name: "last", type: "virtual" }
  await api.make("dcim/interfaces", last)
  await hooks.arrived("ports", 5)
  const bodies = hooks.at("ports").map(({ body }) => JSON.parse(body.toString()) as Json & { readonly data: Json })
  const shown = bodies.map(({ event, data }) => [event, data["name"]])
  expect(shown.slice(0, 4).sort()).toEqual([
    ["created", "br0"],
    ["created", "eth0"],
    ["created", "eth1"],
    ["created", "eth2"]
  ])
  // The bridge is set by a second statement, and an event shows an object as its transaction left it.
  const bridges = bodies.slice(0, 4).map(({ data }) => (data["bridge"] as Json | null)?.["name"] ?? null)
  expect(bridges.sort()).toEqual(["br0", "br0", "br0", null])
  const requests = new Set(bodies.slice(0, 4).map((body) => body["request_id"]))
  expect([...requests]).toEqual([made.headers.get("x-request-id")])
  expect(shown[4]).toEqual(["created", "last"])
})
