/** The examples of docs/netbox.md: what is moved is as it was, and pynetbox works with it. */
import { execFile, spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../support/Command.ts"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { documentAt, stepsOf } from "./Steps.ts"
import { type Shell, openShell } from "./Shell.ts"
import { makeScratch } from "../support/Scratch.ts"
import { needs } from "../support/Ledger.ts"

const document = documentAt("docs/netbox.md")

/** It answers as NetBox 3.5 does. */
let netbox: Api
let rackwire: Api
let shell: Shell
let token: string

beforeAll(async () => {
  ;[netbox, rackwire] = await Promise.all([startApi(), startApi()])
  await runCommand(["demo", "--size", "120"], { env: environmentOf(netbox.database) })
  token = await rackwire.newToken()
  shell = openShell({ RACKWIRE_URL: rackwire.service.url, RACKWIRE_TOKEN: token })
})

afterAll(async () => {
  shell.close()
  await Promise.all([netbox.stop(), rackwire.stop()])
})

/** References that a generated inventory has not: to what comes later, to a type of choice, and custom fields. */
const addReferences = async (): Promise<void> => {
  await netbox.make("extras/custom-fields", { name: "owner", type: "text", content_types: ["dcim.site"] })
  const tag = await netbox.makeObject("extras/tags", { name: "Core", slug: "core" })
  await netbox.call("PATCH", "/api/dcim/sites/1/", { tags: [tag.id], custom_fields: { owner: "Ada" } })
  await netbox.call("PATCH", "/api/dcim/interfaces/1/", { lag: 2 })
  await netbox.call("PATCH", "/api/dcim/devices/1/", { primary_ip4: 1 })
  const end = (id: number) => [{ object_type: "dcim.interface", object_id: id }]
  await netbox.make("dcim/cables", { a_terminations: end(3), b_terminations: end(60), status: "planned" })
  await netbox.make("extras/webhooks", {
    ...{ name: "sites", content_types: ["dcim.site"], type_create: true, payload_url: "http://127.0.0.1:1/" },
    ...{ conditions: { and: [{ attr: "status.value", value: "active" }] } }
  })
}

/** Hardware that a generated inventory has not: modules, bays, panels, outlets, contexts and the templates of a type. */
const addHardware = async (): Promise<void> => {
  const make = (path: string, body: Json) => netbox.make(`dcim/${path}`, body)
  const module_type = await make("module-types", { manufacturer: 1, model: "Card" })
  await make("interface-templates", { module_type, name: "{module}/1", type: "1000base-t" })
  const module_bay = await make("module-bays", { device: 1, name: "Slot 1", position: "1" })
  await make("modules", { device: 1, module_bay, module_type, serial: "C-1" })
  const rear_port = await make("rear-ports", { device: 1, name: "rear", type: "lc", positions: 2 })
  await make("front-ports", { device: 1, name: "front", type: "lc", rear_port, rear_port_position: 2 })
  await make("power-outlets", { device: 1, name: "out", power_port: 1, feed_leg: "A" })
  await make("console-server-ports", { device: 1, name: "server" })
  const role = await make("inventory-item-roles", { name: "Optic", slug: "optic", color: "aa1409" })
  const component = { component_type: "dcim.interface", component_id: 2 }
  const parent = await make("inventory-items", { device: 1, name: "carrier" })
  await make("inventory-items", { device: 1, name: "optic", role, parent, ...component })
  const vdc = await make("virtual-device-contexts", { device: 1, name: "vdc", status: "active", primary_ip4: 1 })
  await netbox.call("PATCH", "/api/dcim/interfaces/4/", { vdcs: [vdc] })
  const typeOf = (model: string, fields: Json) =>
    make("device-types", { manufacturer: 1, model, slug: model.toLowerCase(), ...fields })
  const chassis = await typeOf("Chassis", { subdevice_role: "parent", airflow: "front-to-rear", default_platform: 1 })
  const template = (path: string, fields: Json) => make(`${path}-templates`, { device_type: chassis, ...fields })
  await template("device-bay", { name: "Bay 1" })
  await template("module-bay", { name: "Slot 1", position: "1" })
  const rear = await template("rear-port", { name: "rear", type: "lc" })
  await template("front-port", { name: "front", type: "lc", rear_port: rear })
  const supply = await template("power-port", { name: "PSU" })
  await template("power-outlet", { name: "out", power_port: supply })
  await template("console-server-port", { name: "server" })
  const item = await template("inventory-item", { name: "carrier", manufacturer: 1 })
  await template("inventory-item", { name: "optic", parent: item })
  const bridge = await template("interface", { name: "br0", type: "bridge" })
  await template("interface", { name: "eth0", type: "1000base-t", bridge })
  const place = { site: 1, device_role: 1 }
  const device = await make("devices", { name: "chassis", device_type: chassis, ...place })
  await netbox.call("PATCH", `/api/dcim/devices/${device}/`, { airflow: null, platform: null })
  const provider = await netbox.make("circuits/providers", { name: "Carrier", slug: "carrier" })
  const type = await netbox.make("circuits/circuit-types", { name: "Fibre", slug: "fibre" })
  const provider_account = await netbox.make("circuits/provider-accounts", { provider, account: "4711" })
  const provider_network = await netbox.make("circuits/provider-networks", { provider, name: "Cloud" })
  const circuit = await netbox.make("circuits/circuits", { cid: "moved", provider, provider_account, type })
  const ended = (term_side: string, fields: Json) =>
    netbox.make("circuits/circuit-terminations", { circuit, term_side, ...fields })
  await ended("Z", { provider_network })
  await make("cables", {
    a_terminations: [{ object_type: "dcim.interface", object_id: 5 }],
    b_terminations: [{ object_type: "circuits.circuittermination", object_id: await ended("A", { site: 1 }) }]
  })
  const config_template = await netbox.make("extras/config-templates", { name: "Base", template_code: "{{ ntp }}" })
  await netbox.call("PATCH", "/api/dcim/device-roles/1/", { config_template })
  await netbox.make("extras/tags", { name: "Edge", slug: "edge" })
  await netbox.make("extras/config-contexts", { name: "NTP", roles: [1], tags: ["edge"], data: { ntp: ["192.0.2.1"] } })
  await addOverlay()
  const blade = await typeOf("Blade", { subdevice_role: "child", u_height: 0 })
  const installed_device = await make("devices", { name: "blade", device_type: blade, ...place })
  const bays = await netbox.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>(
    "GET",
    `/api/dcim/device-bays/?device_id=${device}`
  )
  await netbox.call("PATCH", `/api/dcim/device-bays/${bays.json.results[0]!.id}/`, { installed_device })
}

/** Objects of IPAM that a generated inventory has not. */
const addOverlay = async (): Promise<void> => {
  const make = (path: string, body: Json) => netbox.make(`ipam/${path}`, body)
  const rir = await make("rirs", { name: "Private", slug: "private" })
  await make("asn-ranges", { name: "Fabric", slug: "fabric", rir, start: 65_000, end: 65_100 })
  await make("service-templates", { name: "DNS", ports: [53], protocol: "udp" })
  const group = await make("fhrp-groups", { protocol: "vrrp3", group_id: 7, auth_key: "shared" })
  await make("ip-addresses", { address: "192.0.2.1/24", ...assigned("assigned_object", "ipam.fhrpgroup", group) })
  await make("fhrp-group-assignments", { group, priority: 90, ...assigned("interface", "dcim.interface", 7) })
  const wireless = (path: string, body: Json) => netbox.make(`wireless/${path}`, body)
  const lan_group = await wireless("wireless-lan-groups", { name: "Campus", slug: "campus" })
  const lan = await wireless("wireless-lans", { ssid: "guest", group: lan_group, auth_psk: "shared" })
  const radio = (name: string) =>
    netbox.make("dcim/interfaces", { device: 1, name, type: "ieee802.11ac", wireless_lans: [lan] })
  await wireless("wireless-links", { interface_a: await radio("wlan0"), interface_b: await radio("wlan1") })
  const l2vpn = await make("l2vpns", { name: "Overlay", slug: "overlay", type: "vxlan" })
  await make("l2vpn-terminations", { l2vpn, ...assigned("assigned_object", "dcim.interface", 7) })
  const ofSites = { content_types: ["dcim.site"], name: "Sites" }
  await netbox.make("extras/custom-links", { ...ofSites, link_text: "{{ object.name }}", link_url: "/x", weight: 7 })
  await netbox.make("extras/export-templates", {
    ...ofSites,
    template_code: "{{ queryset|length }}\n",
    file_extension: "txt"
  })
}

const assigned = (name: string, type: string, id: number): Json => ({ [`${name}_type`]: type, [`${name}_id`]: id })

/** The objects of a list without ids, addresses and times: names stand for objects. */
const shown = async ({ call }: Api, path: string) => {
  const { json } = await call<{ readonly results: ReadonlyArray<Json> }>("GET", `/api/${path}/?limit=1000`)
  const text = JSON.stringify(json.results, (key, value: unknown) =>
    // A nested interface shows the id of its cable, and a cable without a label its own.
    (key === "cable" && typeof value === "number") ||
    (key === "display" && /^#\d+$/.test(String(value))) ||
    /^(id|url|created|last_updated|object_id|component_id|assigned_object_id|scope_id|request_id|interface_id|group_id)$/.test(
      key
    )
      ? undefined
      : value
  )
  const objects = JSON.parse(text) as ReadonlyArray<Json>
  // Components are in the order of their devices' ids, which change.
  return objects.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

const compared =
  `extras/tags extras/custom-fields tenancy/tenants dcim/regions dcim/sites dcim/racks dcim/rack-reservations dcim/device-types
  dcim/module-types dcim/inventory-item-roles dcim/devices dcim/module-bays dcim/modules dcim/device-bays
  dcim/virtual-device-contexts dcim/interfaces dcim/rear-ports dcim/front-ports dcim/console-ports
  dcim/console-server-ports dcim/power-ports dcim/power-outlets dcim/inventory-items dcim/cables
  dcim/interface-templates dcim/rear-port-templates dcim/front-port-templates dcim/console-port-templates
  dcim/console-server-port-templates dcim/power-port-templates dcim/power-outlet-templates
  dcim/module-bay-templates dcim/device-bay-templates dcim/inventory-item-templates ipam/vlan-groups ipam/vlans ipam/prefixes ipam/ip-addresses circuits/circuits
  circuits/circuit-terminations circuits/provider-accounts circuits/provider-networks ipam/asn-ranges ipam/service-templates ipam/fhrp-groups
  ipam/fhrp-group-assignments ipam/l2vpns ipam/l2vpn-terminations wireless/wireless-lan-groups
  wireless/wireless-lans wireless/wireless-links extras/custom-links extras/export-templates extras/webhooks`.split(
    /\s+/
  )

describe("an inventory that is moved", () => {
  it("is shown as before, with its references, tags and custom fields", async () => {
    await addReferences()
    await addHardware()
    const details = makeScratch("rackwire-details-")
    const { code, output } = await runCommand(
      [
        "move",
        netbox.service.url,
        "--token",
        await netbox.newToken(),
        "--enable-webhooks",
        "--left-out",
        join(details, "out")
      ],
      { env: environmentOf(rackwire.database) }
    )
    rmSync(details, { recursive: true })
    expect([code, output]).toEqual([0, expect.stringContaining("objects were written")])
    for (const step of stepsOf(document)) if (step.kind === "run") await shell.run(step.script)
    // The last block of the page makes another webhook.
    await rackwire.call("DELETE", "/api/extras/webhooks/2/")
    for (const path of compared) expect([path, await shown(rackwire, path)]).toEqual([path, await shown(netbox, path)])
    const sites = await rackwire.raw("GET", "/api/dcim/sites/", undefined, "0123456789abcdef0123456789abcdef01234567")
    expect([sites.status, sites.json["count"]]).toEqual([200, 1])
  })
})

const python = "/usr/bin/python3"
const hasPynetbox = needs("pynetbox", spawnSync(python, ["-c", "import pynetbox"]).status === 0, "pip install pynetbox")

it.skipIf(!hasPynetbox)("pynetbox works as in the example", async () => {
  const [, program = ""] = /```python\n([^`]+)```/.exec(document) ?? []
  const env = { RACKWIRE_URL: rackwire.service.url, RACKWIRE_TOKEN: token }
  const { stdout, stderr } = await promisify(execFile)(python, ["-c", program], { env })
  expect(stderr).toBe("")
  expect(stdout).toMatch(/^3\.5 Active \d+\n$/)
})
