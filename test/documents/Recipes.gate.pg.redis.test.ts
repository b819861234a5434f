/** The examples of docs/webhooks.md, carried out: each webhook made, its changes made, and the requests compared. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Received, type Receiver, startReceiver } from "../support/Receiver.ts"
import { fewOf, thorough } from "../support/Seed.ts"
import { type Block, type Message, blocksOf, filled, messagesOf, readDocument } from "./Document.ts"

const blocks = blocksOf(readDocument("webhooks.md"))

/** A webhook of the document, and the blocks up to the next one. */
interface Recipe {
  readonly webhook: Json
  readonly changes: ReadonlyArray<Block>
  readonly requests: ReadonlyArray<Message>
}

const recipes: ReadonlyArray<Recipe> = blocks.flatMap(({ role, text }, at) => {
  if (role !== "webhook") return []
  const next = blocks.findIndex((block, later) => later > at && block.role === "webhook")
  const own = blocks.slice(at, next < 0 ? undefined : next)
  return [
    {
      webhook: JSON.parse(text) as Json,
      changes: own.filter((block) => block.role === "changes"),
      requests: own.filter((block) => block.role === "requests").flatMap((block) => messagesOf(block.text))
    }
  ]
})

let api: Api
let receiver: Receiver
/** The token of the user `netbot`. */
let netbot: string

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
  const types = ["dcim.site"]
  netbot = (await makeUser(api, "netbot", { types, actions: ["view", "change"] })).token
  await makeInventory()
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

/** The objects that the document names with their ids. */
const makeInventory = async (): Promise<void> => {
  await api.make("tenancy/tenants", [named("Acme"), named("Globex")])
  await api.make("dcim/sites", [
    { ...named("Amsterdam"), slug: "ams" },
    { ...named("Old lab"), tenant: 2 }
  ])
  await api.make("dcim/manufacturers", named("Arista"))
  await api.make("dcim/device-types", { manufacturer: 1, model: "7050X3", slug: "7050x3" })
  await api.make("dcim/device-roles", named("Leaf"))
  await api.make("extras/tags", named("Core"))
  const device = { device_type: 1, device_role: 1, site: 1 }
  await api.make("dcim/devices", [
    { ...device, name: "leaf1", tags: [{ slug: "core" }] },
    { ...device, name: "leaf2" }
  ])
  await api.make("dcim/interfaces", { device: 1, name: "Management1", type: "1000base-t" })
  const assigned = { assigned_object_type: "dcim.interface", assigned_object_id: 1 }
  await api.make("ipam/ip-addresses", [
    { ...assigned, address: "192.0.2.10/24" },
    { ...assigned, address: "192.0.2.11/24" }
  ])
  const cmdb = { name: "CMDB", content_types: ["dcim.site"], type_delete: true, payload_url: `${receiver.url}/cmdb` }
  await api.make("extras/webhooks", cmdb)
}

/** Every recipe begins with the inventory as the document describes it. */
beforeEach(async () => {
  const device = { status: "active", comments: "", serial: "", asset_tag: null }
  const before = {
    "dcim/devices/1": { ...device, tenant: 1, primary_ip4: 1 },
    "dcim/devices/2": { ...device, tenant: 2 },
    "dcim/sites/1": { facility: "" },
    "extras/webhooks/1": { enabled: true }
  }
  for (const [path, fields] of Object.entries(before)) {
    const { status, text } = await api.call("PATCH", `/api/${path}/`, fields)
    if (status !== 200) throw new Error(`${path}: ${text}`)
  }
})

/** Makes the webhook with the receiver of this test in place of the document's. */
const makeWebhook = async (webhook: Json): Promise<number> => {
  const address = String(webhook["payload_url"])
  const here = new URL(receiver.url).host
  const payload_url = address.replace(/^https:\/\/([^/@]*@)?[^/]+/, (_, user = "") => `http://${user}${here}`)
  const made = await api.call<{ id: number }>("POST", "/api/extras/webhooks/?strict=true", { ...webhook, payload_url })
  expect([made.status, made.status === 201 ? "" : made.text]).toEqual([201, ""])
  return made.json.id
}

const carryOut = async ({ language, text }: Block): Promise<void> => {
  if (language === "sql") {
    const statements = text.split(";\n").map((statement) => statement.trim())
    await api.database.sql.transaction(...statements.filter((each) => !["", "begin", "commit"].includes(each)))
    return
  }
  for (const { method, path, headers, body } of messagesOf(text)) {
    const user = headers.find(([name]) => name === "authorization")?.[1]
    const token = user === "Token <netbot>" ? netbot : undefined
    const fields = body === "" ? undefined : JSON.parse(body)
    const reply = await (token === undefined ? api.call(method, path, fields) : api.raw(method, path, fields, token))
    // A recipe about refusals sends a wrong password.
    const isDone = body.includes("not the password") ? reply.status === 403 : reply.status < 300
    expect([isDone, reply.text]).toEqual([true, expect.anything()])
  }
}

let groups = 0

/** Makes a change that is no part of the recipe; once it is in the change log, all changes before it are. */
const waitForChangeLog = async (): Promise<void> => {
  const { status, headers } = await api.call("POST", "/api/tenancy/tenant-groups/", named(`Group ${groups++}`))
  expect(status).toBe(201)
  await eventually("the last change is in the change log", async () => {
    const path = `/api/extras/object-changes/?request_id=${headers.get("x-request-id")}`
    return (await api.call<{ count: number }>("GET", path)).json.count === 1
  })
}

/** How many changes the webhook has fired for. */
const firings = async (webhook: number, types: unknown): Promise<number> => {
  // The list leaves out types that are logs themselves, unless a filter names them.
  const of = (types as ReadonlyArray<string>).map((type) => `&changed_object_type=${type}`).join("")
  const path = `/api/extras/object-changes/?limit=20&ordering=-time${of}`
  const { results } = (await api.call<{ results: ReadonlyArray<{ id: number }> }>("GET", path)).json
  const verdicts = results.map(async ({ id }) => {
    const explained = `/api/extras/object-changes/${id}/explain/?limit=0`
    const { json } = await api.call<{ results: ReadonlyArray<Json> }>("GET", explained)
    return json.results.filter((each) => (each["webhook"] as Json)["id"] === webhook && each["outcome"] === "fired")
  })
  return (await Promise.all(verdicts)).flat().length
}

/** JSON where it is JSON: the document breaks its lines as it likes. */
const bodyOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const shownAs = ({ method, path, headers, body }: Message, received: Received) => {
  const actual = {
    method: received.method,
    path: received.path,
    headers: Object.fromEntries(headers.map(([name]) => [name, received.headers[name]])),
    body: bodyOf(received.body.toString().replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "https://rackwire.example.com"))
  }
  return { actual, shown: filled({ method, path, headers: Object.fromEntries(headers), body: bodyOf(body) }, actual) }
}

describe("a webhook of the document", () => {
  it.each(fewOf(recipes, 3, "some recipes").map((recipe) => [String(recipe.webhook["name"]), recipe] as const))(
    "sends the requests that it shows, and no others: %s",
    async (_, { webhook, changes, requests }) => {
      const id = await makeWebhook(webhook)
      onTestFinished(async () => void (await api.call("DELETE", `/api/extras/webhooks/${id}/`)))
      const sent = () => receiver.received.filter((each) => `${each.headers["x-hook-delivery"]}`.startsWith(`${id}-`))
      for (const block of changes) await carryOut(block)
      await receiver.untilAll(() => sent().length >= requests.length)
      await waitForChangeLog()
      const told = sent().reduce((sum, { headers }) => sum + Number(headers["x-hook-batch-size"] ?? 1), 0)
      expect([sent().length, await firings(id, webhook.content_types)]).toEqual([requests.length, told])
      const inOrder = sent().toSorted((a, b) => a.at - b.at)
      for (const [at, message] of requests.entries()) {
        const { actual, shown } = shownAs(message, inOrder[at]!)
        expect(actual).toEqual(shown)
      }
      // Half of what the rate asks for, because the first request may be late on a busy machine.
      const leastMillis = (500 * (requests.length - 1)) / Number(webhook["rate_limit"] ?? Number.POSITIVE_INFINITY)
      expect(inOrder.at(-1)!.at - inOrder[0]!.at).toBeGreaterThanOrEqual(leastMillis)
    }
  )

  it("is there for each of the recipes", () => {
    expect(recipes.length).toBeGreaterThan(12)
    expect(recipes.filter(({ changes, requests }) => changes.length === 0 || requests.length === 0)).toEqual([])
  })
})

thorough("the commands of the document work as pasted, and answer what it shows", async () => {
  const commands = blocks.filter(({ language }) => language === "sh")
  expect(commands.length).toBeGreaterThan(5)
  const env = { PATH: process.env["PATH"], TOKEN: await api.newToken() }
  for (const [at, { text }] of commands.entries()) {
    const here = `set -e; curl() { command curl --fail-with-body "$@"; }\n${text.replaceAll("localhost:8000", api.service.url)}`
    const { stdout } = await promisify(execFile)("bash", ["-c", here], { env })
    const follows = blocks[blocks.indexOf(commands[at]!) + 1]
    if (follows?.role !== "answer") continue
    const answer: unknown = JSON.parse(stdout)
    expect(answer).toEqual(filled(JSON.parse(follows.text), answer))
  }
})
