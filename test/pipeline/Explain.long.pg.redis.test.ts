/** Why webhooks fired for a change, and why not: what is told agrees with what was delivered. */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { runs } from "../support/Seed.ts"
import { definition, step } from "./RandomWebhooks.ts"

let api: Api
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

interface Told {
  readonly webhook: { readonly id: number; readonly name: string }
  readonly deleted?: boolean
  readonly outcome: string
  readonly gate: string | null
  readonly reason: string
  readonly explanation: Json | null
  readonly delivery: { readonly state: string; readonly reason: string } | null
}

interface Explained {
  readonly count: number
  readonly position: string
  readonly results: ReadonlyArray<Told>
}

const hook = (name: string, fields: Json = {}): Json => ({
  ...{ name, content_types: ["dcim.site"], payload_url: receiver.url, max_in_flight: 1 },
  ...{ type_create: true, type_update: true, type_delete: true },
  ...fields
})

const explained = async (change: number): Promise<Explained> => {
  const path = `/api/extras/object-changes/${change}/explain/?limit=0`
  const { status, json, text } = await api.call<Explained>("GET", path)
  if (status !== 200) throw new Error(text)
  return json
}

const changesOf = async (query: string): Promise<ReadonlyArray<number>> => {
  const { json } = await api.call<List>("GET", `/api/extras/object-changes/?limit=0&ordering=time&${query}`)
  return json.results.map(({ id }) => id)
}

/** The change of an object, as soon as it is captured. */
const changeOf = (type: string, id: number, action: string) =>
  eventually(`${type} ${id} is ${action}d`, async () =>
    (await changesOf(`changed_object_type=${type}&changed_object_id=${id}&action=${action}`)).at(-1)
  )

const toldOf = async (change: number, name: string): Promise<Told | undefined> =>
  (await explained(change)).results.find(({ webhook }) => webhook.name === name)

describe("the explanation of a change", () => {
  it("tells of random webhooks and changes what was delivered, as the webhooks were at that time", async () => {
    const [definitions, steps] = [fc.sample(definition, 8), fc.sample(step, runs(120))]
    const region = await api.make("dcim/regions", named("North"))
    const hooks: Array<number> = []
    for (const [at, fields] of definitions.entries()) {
      hooks.push(await api.make("extras/webhooks", hook(`random ${at}`, fields)))
    }
    const sites = new Map<number, number>()
    for (const each of steps) {
      if ("hook" in each) {
        await api.call("PATCH", `/api/extras/webhooks/${hooks[each.hook]!}/`, each.as)
        continue
      }
      const { site, status } = each
      const id = sites.get(site)
      if (id === undefined) {
        const fields = { ...named(`Site ${site} ${sites.size}`), status, ...(site % 2 === 0 && { region }) }
        sites.set(site, await api.make("dcim/sites", fields))
      } else if (each.kind === "delete") {
        await api.call("DELETE", `/api/dcim/sites/${id}/`)
        sites.delete(site)
      } else await api.call("PATCH", `/api/dcim/sites/${id}/`, { status })
    }
    // Each webhook sends one request after the other: the last one tells that all before have come.
    for (const id of hooks) {
      const all = { enabled: true, content_types: ["dcim.site"], type_create: true, conditions: null }
      await api.call("PATCH", `/api/extras/webhooks/${id}/`, all)
    }
    const last = await api.make("dcim/sites", named("The last one"))
    const final = (await explained(await changeOf("dcim.site", last, "create"))).position
    const ids = () => new Set(receiver.received.map(({ headers }) => headers["x-hook-delivery"]))
    await receiver.untilAll(() => hooks.every((id) => ids().has(`${id}-${final}`)))
    const compare = async () => {
      const delivered = ids()
      const wrong: Array<string> = []
      for (const change of await changesOf("changed_object_type=dcim.site")) {
        const { position, results } = await explained(change)
        const missing = hooks.filter((id) => !results.some(({ webhook }) => webhook.id === id))
        wrong.push(...missing.map((id) => `${id} ${position}: it is not named`))
        for (const { webhook, outcome, delivery, reason } of results) {
          const isDelivered = delivered.has(`${webhook.id}-${position}`)
          if (isDelivered !== (outcome === "fired")) wrong.push(`${webhook.name} ${position}: ${outcome} ${reason}`)
          if (isDelivered && delivery?.state !== "successful")
            wrong.push(`${webhook.name}: ${JSON.stringify(delivery)}`)
        }
      }
      return wrong
    }
    await eventually("the outcomes are in the log", async () => (await compare()).length === 0).catch(() => undefined)
    expect([steps, await compare()]).toEqual([steps, []])
    // Capture forgets versions that it does not need any more; then the change log alone tells.
    await api.database.sql.query(
      `delete from rackwire_webhook_version v using rackwire_webhook_version later
        where later.webhook_id = v.webhook_id and (later.position, later.idx) > (v.position, v.idx)`
    )
    expect([steps, await compare()]).toEqual([steps, []])
    // After the slot was lost, capture records all webhooks anew, at a later position.
    await api.database.sql.query("update rackwire_webhook_version set position = position + 1000000000")
    expect([steps, await compare()]).toEqual([steps, []])
    for (const id of hooks) await api.call("DELETE", `/api/extras/webhooks/${id}/`)
  })
  it("tells a reader of the webhooks and values that the reader may view, and of nothing else", async () => {
    const condition = { attr: "tenant.name", value: "Another" }
    await api.make("extras/webhooks", hook("seen", { conditions: condition }))
    await api.make("extras/webhooks", hook("unseen"))
    const tenant = await api.make("tenancy/tenants", named("Secret tenant"))
    const shown = await api.make("dcim/sites", { ...named("Shown"), tenant })
    const change = await changeOf("dcim.site", shown, "create")
    const hidden = await changeOf("dcim.site", await api.make("dcim/sites", named("Concealed")), "create")
    const { token } = await makeUser(
      api,
      "reader",
      { types: ["dcim.site"], actions: ["view"], constraints: { slug: "shown" } },
      { types: ["extras.webhook"], actions: ["view"], constraints: { name: "seen" } },
      { types: ["extras.objectchange"], actions: ["view"], constraints: null }
    )
    const path = (id: number) => `/api/extras/object-changes/${id}/explain/`
    const { json, text } = await api.raw("GET", path(change), undefined, token)
    const { count, results } = json as unknown as Explained
    expect([count, results[0]!.webhook.name, results[0]!.outcome]).toEqual([1, "seen", "skipped"])
    expect(results[0]!.explanation).toMatchObject({ outcome: "hidden", attr: "tenant.name" })
    expect(text).not.toMatch(/Secret|unseen/)
    expect((await api.raw("GET", path(hidden), undefined, token)).status).toBe(404)
    const whole = await toldOf(change, "seen")
    expect([whole!.gate, whole!.reason]).toEqual(["condition", 'tenant.name is "Secret tenant", needs "Another"'])
    expect((await toldOf(change, "unseen"))!.outcome).toBe("fired")
  })

  it("asks for a webhook with a scope what its user may view, and what its condition sees then", async () => {
    const view = (type: string, constraints: Json) => ({ types: [type], actions: ["view"], constraints })
    const { id: scope } = await makeUser(api, "scoped", view("dcim.site", { slug: "in-sight" }))
    await api.make("extras/webhooks", hook("scoped", { scope_user: scope }))
    const conditions = { attr: "tenant.name", value: "Tenant in sight" }
    await api.make("extras/webhooks", hook("curious", { scope_user: scope, conditions }))
    const tenant = await api.make("tenancy/tenants", named("Tenant in sight"))
    const inside = await changeOf("dcim.site", await api.make("dcim/sites", { ...named("In sight"), tenant }), "create")
    const outside = await changeOf("dcim.site", await api.make("dcim/sites", named("Out of sight")), "create")
    expect(await toldOf(inside, "scoped")).toMatchObject({ outcome: "fired" })
    expect(await toldOf(outside, "scoped")).toMatchObject({ outcome: "skipped", gate: "scope" })
    expect(await toldOf(inside, "curious")).toMatchObject({ outcome: "undecided", reason: "There is no tenant.name." })
  })

  it("tells of a paused webhook that its delivery is held, and of a deleted one that it was there", async () => {
    const paused = await api.make("extras/webhooks", hook("paused", { paused: true }))
    const gone = await api.make("extras/webhooks", hook("gone"))
    const change = await changeOf("dcim.site", await api.make("dcim/sites", named("Held")), "create")
    await eventually("the delivery is held", async () => {
      const told = await toldOf(change, "paused")
      return told?.outcome === "fired" && told.delivery?.state === "held" && told.delivery.reason.includes("is paused")
    })
    await api.call("POST", `/api/extras/webhooks/${paused}/resume/`, {})
    await api.call("DELETE", `/api/extras/webhooks/${gone}/`)
    await eventually("it is sent", async () => (await toldOf(change, "paused"))?.delivery?.state === "successful")
    expect(await toldOf(change, "gone")).toMatchObject({ outcome: "fired", deleted: true })
    const later = await changeOf("dcim.site", await api.make("dcim/sites", named("Later")), "create")
    await eventually("the deletion is captured", async () => (await toldOf(later, "gone")) === undefined)
  })
})

interface Skips {
  readonly sentence: string
  readonly seen: number
  readonly fired: number
  readonly groups: ReadonlyArray<{ readonly gate: string; readonly cause: string; readonly count: number }>
  readonly closest: { readonly display: string; readonly reason: string } | null
}

describe("what a webhook skipped", () => {
  it("is grouped by the failing clause, with the closest miss; a silent webhook has a sentence", async () => {
    const id = await api.make("extras/webhooks", {
      ...hook("silent", { type_delete: false }),
      content_types: ["dcim.region"],
      conditions: { attr: "slug", value: "none-such" }
    })
    const path = `/api/extras/webhooks/${id}/skipped/`
    const skips = async () => (await api.call<Skips>("GET", path)).json
    await expect.poll(async () => (await skips()).sentence).toBe("Enabled just now; no change of its types yet.")
    const east = await api.make("dcim/regions", named("East"))
    const west = await api.make("dcim/regions", named("West"))
    await api.call("DELETE", `/api/dcim/regions/${west}/`)
    await api.call("PATCH", `/api/extras/webhooks/${id}/`, {
      conditions: {
        and: [
          { attr: "slug", value: "eastern" },
          { attr: "name", value: "East" }
        ]
      }
    })
    await api.call("PATCH", `/api/dcim/regions/${east}/`, { description: "near" })
    const found = await eventually("the changes are captured", async () => {
      const now = await skips()
      return now.seen === 4 && now
    })
    expect(found).toMatchObject({
      sentence:
        'Enabled just now; no matching change yet. 4 changes seen, closest miss: slug is "east", needs "eastern".',
      fired: 0,
      groups: [
        { gate: "condition", cause: 'slug equal to "none-such"', count: 2 },
        { gate: "condition", cause: 'slug equal to "eastern"', count: 1 },
        { gate: "kind", cause: "not for deleted", count: 1 }
      ],
      closest: { display: "East" }
    })
    await api.call("PATCH", `/api/extras/webhooks/${id}/`, { conditions: null })
    await api.call("PATCH", `/api/dcim/regions/${east}/`, { description: "far" })
    await eventually("it fires", async () => (await skips()).fired === 1)
    expect((await skips()).sentence).toMatch(/^It fired for 1 of the latest 5 changes of its types\. It skipped 4,/)
  })
})

describe("the history of a condition", () => {
  it("tells how often it would have fired in the last day, and the changes gained and lost", async () => {
    const conditions = { attr: "name", op: "regex", value: "Past (a|b)" }
    const webhook = await api.make("extras/webhooks", {
      ...hook("historic", { conditions }),
      content_types: ["tenancy.tenant"]
    })
    for (const name of ["Past a", "Past b", "Past c"]) await api.make("tenancy/tenants", named(name))
    const ask = (body: Json) => api.call<Json>("POST", "/api/extras/webhooks/history/", body)
    const wanted = { webhook, conditions: { attr: "name", op: "regex", value: "Past (b|c)" } }
    const json = await eventually("the changes are captured", async () => {
      const { json } = await ask(wanted)
      return json["fired"] === 2 && json
    })
    expect(json).toMatchObject({ partial: false, saved: 2 })
    expect(json["gained"]).toMatchObject({ count: 1, changes: [{ display: "Past c" }] })
    expect(json["lost"]).toMatchObject({
      count: 1,
      changes: [{ display: "Past a", reason: expect.stringContaining("Past a") }]
    })
    const types = { content_types: ["tenancy.tenant"], type_create: false, conditions: null }
    expect((await ask(types)).json).toMatchObject({ fired: 0, saved: null })
    for (const wrong of [
      { ...wanted, webhook: 987654 },
      { ...wanted, webhook: "1" },
      { ...wanted, content_types: ["dcim.nothing"] },
      { ...wanted, type_create: "yes" },
      { ...wanted, conditions: { attr: "name" } },
      { conditions }
    ]) {
      expect((await ask(wrong)).status).toBe(400)
    }
  })

  it("reads nothing that the sender may not view", async () => {
    const tenant = await api.make("tenancy/tenants", named("Masked tenant"))
    await api.make("dcim/sites", { ...named("Probed"), tenant })
    const { call } = await makeUser(
      api,
      "prober",
      { types: ["dcim.site"], actions: ["view"] },
      { types: ["extras.webhook", "extras.objectchange"], actions: ["view", "add"] }
    )
    const probe = (attr: string, value: string) =>
      call("POST", "/api/extras/webhooks/history/", { content_types: ["dcim.site"], conditions: { attr, value } })
    await eventually("the change is captured", async () => (await probe("name", "Probed")).json["fired"] === 1)
    expect((await probe("tenant.name", "Masked tenant")).json["fired"]).toBe(0)
  })
})
