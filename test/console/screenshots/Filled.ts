/**
 * A service with the demo inventory, a webhook, a few changes that it has delivered, and a NetBox that is its source.
 * Beside it are objects that are hard to show: a device with 300 ports, a full rack with long names of several scripts, a
 * /8 with 100,000 children.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fillPrefixes, fillRack } from "../../../bench/Inventory.ts"
import { NetBoxWriter } from "../../source/NetBoxWriter.ts"
import { makeNetBox } from "../../source/NetBoxDatabase.ts"
import { superuserUrlOf } from "../../support/EmbeddedServers.ts"
import { eventually } from "../../support/Eventually.ts"
import { startReceiver } from "../../support/Receiver.ts"
import { type ServiceProcess, startProcess } from "../../support/Process.ts"
import { openSql } from "../../support/Sql.ts"

const program = fileURLToPath(new URL("../../../bin/rackwire.mjs", import.meta.url))

/** Interfaces of the demo inventory: 5 sites with 1,000 devices. */
const inventorySize = 50_000

/** 60 letters, some of them written from right to left. */
const longName = `\u05e9\u05e8\u05ea-🚀-${"w".repeat(54)}`

const changes = [
  ["/api/dcim/devices/1/", { status: "planned", comments: "Waits for its second power supply." }],
  ["/api/dcim/devices/1/", { status: "active", asset_tag: "A-1042" }],
  ["/api/dcim/sites/1/", { description: "The main hall", facility: "AMS1" }]
] as const

interface Filled extends Pick<ServiceProcess, "url"> {
  readonly close: () => Promise<void>
}

/** Requests that change objects in NetBox. */
const changesInNetBox = 3

type Send = (method: string, path: string, body: object) => Promise<void>

/** The first source, a NetBox on the same server, and a webhook that receives its changes. */
const attachNetBox = async (
  serverUrl: string,
  { call }: ServiceProcess,
  send: Send,
  receiverUrl: string
): Promise<void> => {
  const netbox = await makeNetBox("4.2", serverUrl)
  const writer = new NetBoxWriter(netbox)
  await send("POST", "/api/extras/sources/", {
    ...{ name: "headquarters", description: "The NetBox of the data centres", database_url: netbox.databaseUrl },
    ...{ slot: netbox.name, web_url: "https://netbox.example.com" }
  })
  await send("POST", "/api/extras/webhooks/", {
    ...{ name: "Tickets of headquarters", source: { name: "headquarters" }, payload_url: `${receiverUrl}/tickets` },
    ...{ content_types: ["dcim.site", "netbox_dns.zone"], type_create: true, type_update: true }
  })
  await eventually("the source is read", async () => {
    const { json } = await call<{ readonly status: string }>("GET", "/api/extras/sources/1/")
    return json.status === "reading"
  })
  let site = 0
  await writer.request(async (request) => {
    site = await request.create("dcim.site", { name: "AMS1", slug: "ams1", status: "active" })
  })
  await writer.request((request) => request.create("netbox_dns.zone", { name: "example.com" }))
  await writer.request((request) => request.update("dcim.site", site, { status: "planned" }))
  await writer.close()
  await netbox.sql.close()
}

export const startFilled = async (): Promise<Filled> => {
  const directory = mkdtempSync(join(tmpdir(), "rackwire-screenshots-"))
  const environment = { RACKWIRE_DATA_DIR: directory }
  const service = await startProcess(environment)
  const receiver = await startReceiver()
  const close = async () => {
    await service.stop()
    await receiver.close()
    rmSync(directory, { recursive: true, force: true })
  }
  const send = async (method: string, path: string, body: object) => {
    const { status, text } = await service.call(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  }
  try {
    execFileSync(process.execPath, [program, "demo", "--size", `${inventorySize}`], {
      env: { ...process.env, ...environment },
      stdio: "ignore"
    })
    await send("POST", "/api/extras/webhooks/", {
      ...{ name: "Asset register", description: "Tells the register of assets", payload_url: `${receiver.url}/assets` },
      ...{ content_types: ["dcim.device", "dcim.site"], type_create: true, type_update: true, type_delete: true }
    })
    await send("POST", "/api/extras/webhooks/", {
      ...{ name: "Retired devices", payload_url: `${receiver.url}/retired`, content_types: ["dcim.device"] },
      ...{
        type_update: true,
        conditions: {
          and: [
            { attr: "status.value", value: "retired" },
            { attr: "site.slug", value: "ams1" }
          ]
        }
      }
    })
    for (const [path, body] of changes) await send("PATCH", path, body)
    const { databaseUrl } = JSON.parse(readFileSync(join(directory, "owner.json"), "utf8")) as { databaseUrl: string }
    const sql = openSql(databaseUrl)
    await fillRack(sql, 300, longName)
    await fillPrefixes(sql, 100_000)
    await sql.close()
    await attachNetBox(superuserUrlOf(directory, databaseUrl), service, send, receiver.url)
    await receiver.untilAll((all) => all.filter(({ path }) => path === "/tickets").length === changesInNetBox)
    return { url: service.url, close }
  } catch (error) {
    await close()
    throw error
  }
}
