/** The examples of docs/netbox.md: what is moved is as it was, and pynetbox works with it. */
import { execFile, spawnSync } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../support/Command.ts"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { documentAt, hasLines, stepsOf } from "./Steps.ts"
import { type Shell, openShell } from "./Shell.ts"
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
  shell = openShell({})
}, 120_000)

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

/** The objects of a list without ids, addresses and times: names stand for objects. */
const shown = async ({ call }: Api, path: string) => {
  const { json } = await call<{ readonly results: ReadonlyArray<Json> }>("GET", `/api/${path}/?limit=1000`)
  const text = JSON.stringify(json.results, (key, value: unknown) =>
    /^(id|url|created|last_updated|object_id|assigned_object_id|scope_id|request_id)$/.test(key) ? undefined : value
  )
  return JSON.parse(text) as ReadonlyArray<Json>
}

const compared =
  `extras/tags extras/custom-fields tenancy/tenants dcim/regions dcim/sites dcim/racks dcim/device-types dcim/devices
  dcim/interfaces dcim/cables ipam/vlan-groups ipam/vlans ipam/prefixes ipam/ip-addresses circuits/circuits extras/webhooks`.split(
    /\s+/
  )

describe("an inventory that is moved", () => {
  it("is shown as before, with its references, tags and custom fields", { timeout: 240_000 }, async () => {
    await addReferences()
    const addresses = `export NETBOX_URL=${netbox.service.url} NETBOX_TOKEN=${await netbox.newToken()} RACKWIRE_URL=${rackwire.service.url} RACKWIRE_TOKEN=${token}`
    let output = ""
    let moved = ""
    for (const step of stepsOf(document)) {
      if (step.kind === "run") output = await shell.run(step.script.replace(/^export NETBOX_URL=….*$/m, addresses))
      if (step.kind !== "output") continue
      if (!hasLines(output, step.lines)) throw new Error(output)
      moved = output
    }
    expect(moved).not.toContain("not moved")
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
