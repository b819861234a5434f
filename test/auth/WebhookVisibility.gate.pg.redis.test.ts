/**
 * Law: whatever permissions the keeper of a webhook has, what a test or a replay sends, counts or refuses tells of the
 * events that the keeper may see, and of no others.
 */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type User, makeUser, permit } from "./Users.ts"
import { runs } from "../support/Seed.ts"

let api: Api
let receiver: Receiver
let user: User
let webhook: number
let otherType: number

/** Ids of sites; a site's number is its place. */
let sites: ReadonlyArray<number>
/** Changes: by site those of its creation and of its update, and that of a site that is gone. */
let changes: ReadonlyArray<readonly [created: number, updated: number]>
let deletion: number

const since = "2020-01-01T00:00Z"

interface Change {
  readonly id: number
  readonly changed_object_id: number
  readonly action: { readonly value: string }
}

const changesOf = async (type: string): Promise<ReadonlyArray<Change>> => {
  const path = `/api/extras/object-changes/?changed_object_type=${type}&limit=0`
  return (await api.call<{ results: ReadonlyArray<Change> }>("GET", path)).json.results
}

/** Waits until the change log holds so many changes of sites. */
const logged = (count: number) =>
  eventually(`${count} changes`, async () => (await changesOf("dcim.site")).length === count, {
    millis: 30_000
  })

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
  const tenant = await api.make("tenancy/tenants", named("Hidden tenant"))
  const made: Array<number> = []
  for (let n = 0; n < 6; n++) {
    const body = { ...named(`Site ${n}`), status: n % 2 === 0 ? "active" : "planned", facility: `f${n}` }
    made.push(await api.make("dcim/sites", { ...body, tenant: n === 0 ? tenant : null }))
    await api.call("PATCH", `/api/dcim/sites/${made[n]}/`, { comments: "changed" })
  }
  sites = made
  const gone = await api.make("dcim/sites", named("Gone"))
  await api.call("DELETE", `/api/dcim/sites/${gone}/`)
  await logged(14)
  const all = await changesOf("dcim.site")
  const find = (id: number, action: string) =>
    all.find((each) => each.changed_object_id === id && each.action.value === action)!.id
  changes = sites.map((id) => [find(id, "create"), find(id, "update")])
  deletion = find(gone, "delete")
  otherType = (await changesOf("tenancy.tenant"))[0]!.id
  user = await makeUser(api, "keeper", {
    types: ["extras.webhook", "extras.replay"],
    actions: ["view", "add", "change"]
  })
  webhook = await api.make("extras/webhooks", {
    name: "kept",
    content_types: ["dcim.site"],
    type_create: true,
    payload_url: receiver.url
  })
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

const path = (what: string, id = webhook) => `/api/extras/webhooks/${id}/${what}/`

const asAdmin: User["call"] = (method, to, body) => api.call<Json>(method, to, body)

const test = async (change: number | undefined, by: User["call"] = user.call) =>
  (await by("POST", path("test"), change === undefined ? {} : { object_change: change })).status

const clauses: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ status: fc.constantFrom("active", "planned") }),
  fc.record({ facility__in: fc.subarray(["f0", "f1", "f2", "f3"], { minLength: 1 }) }),
  fc.constant({ tenant__isnull: false })
)

const meets = (n: number, { status, facility__in: facilities }: Json): boolean => {
  if (status !== undefined) return (n % 2 === 0 ? "active" : "planned") === status
  return facilities === undefined ? n === 0 : (facilities as ReadonlyArray<string>).includes(`f${n}`)
}

interface Report {
  readonly total: number
  readonly seen: number
  readonly matched: number
  readonly status: { readonly value: string }
}

const replayed = async (fields: Json = {}): Promise<Report> => {
  const asked = await user.call("POST", path("replay"), { since, dry_run: true, ...fields })
  expect(asked.status).toBe(202)
  const report = async () => (await api.call<Report>("GET", `/api/extras/replays/${String(asked.json["id"])}/`)).json
  await expect.poll(async () => (await report()).status.value).toBe("done")
  return report()
}

describe("a test or a replay", () => {
  it("covers the events that its sender may see, and counts no others", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.array(clauses, { minLength: 1, maxLength: 2 }), { freq: 5 }),
        async (constraints) => {
          const isSeen = sites.map((_, n) => constraints === null || constraints.some((each) => meets(n, each)))
          const permission = await permit(api, user.id, { types: ["dcim.site"], actions: ["view"], constraints })
          const tested = await Promise.all(changes.map(async ([, updated]) => (await test(updated)) === 202))
          const ofGone = await test(deletion)
          const latest = await test(undefined)
          const { total, seen, matched } = await replayed()
          await api.call("DELETE", `/api/users/permissions/${permission}/`)
          expect(tested).toEqual(isSeen)
          expect([ofGone, latest]).toEqual([constraints === null ? 202 : 400, isSeen.includes(true) ? 202 : 400])
          const count = isSeen.filter(Boolean).length
          expect([total, seen, matched]).toEqual(constraints === null ? [14, 14, 7] : [2 * count, 2 * count, count])
        }
      ),
      { numRuns: runs(8) }
    )
  })

  it("answers the same for hidden events, events of another type, and missing ones", async () => {
    const answers = await Promise.all(
      [changes[0]![0], otherType, 999_999_999].map(async (change) => {
        const { status, json } = await user.call("POST", path("test"), { object_change: change })
        return [status, json]
      })
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify([400, { object_change: ["There is no such change."] }])])
    )
    expect(await test(otherType, asAdmin)).toBe(400)
  })

  it("shows hidden objects inside another by id, to the receiver and to the condition", async () => {
    const permission = await permit(api, user.id, { types: ["dcim.site"], actions: ["view"] })
    const before = receiver.received.length
    expect(await test(changes[0]![1])).toBe(202)
    await receiver.untilAll((all) => all.slice(before).some(({ body }) => body.includes('"name":"Site 0"')))
    const sent = receiver.received.slice(before).map(({ body }) => body.toString())
    expect(sent.filter((text) => text.includes("Hidden tenant"))).toEqual([])
    await user.call("PATCH", `/api/extras/webhooks/${webhook}/`, {
      conditions: { attr: "tenant.name", op: "contains", value: "Hidden" }
    })
    expect((await replayed()).matched).toBe(0)
    await user.call("PATCH", `/api/extras/webhooks/${webhook}/`, { conditions: null })
    await api.call("DELETE", `/api/users/permissions/${permission}/`)
  })

  it("sends no event that its sender may no longer see", async () => {
    const permission = await permit(api, user.id, { types: ["dcim.site"], actions: ["view"] })
    await api.call("PATCH", `/api/extras/webhooks/${webhook}/`, { enabled: false })
    const asked = await user.call("POST", path("replay"), { since })
    const report = async () => (await api.call<Report>("GET", `/api/extras/replays/${String(asked.json["id"])}/`)).json
    await expect.poll(async () => (await report()).matched).toBe(7)
    const replayOnly = `delivery_id like '%-r${String(asked.json["id"])}'`
    await api.database.sql.query(`update extras_delivery set status = 'successful' where ${replayOnly}`)
    await api.call("DELETE", `/api/users/permissions/${permission}/`)
    const deliveries = await api.database.sql.query<{ id: number }>(
      `select id::int as id from extras_delivery where ${replayOnly}`
    )
    for (const { id } of deliveries) await api.call("POST", `/api/extras/deliveries/${id}/retry/`, { again: true })
    const reasons = async () =>
      (await api.database.sql.query<{ reason: string }>(`select reason from extras_delivery where ${replayOnly}`)).map(
        ({ reason }) => reason
      )
    await expect.poll(reasons).toEqual(Array.from({ length: 7 }, () => "Hidden"))
    await api.call("PATCH", `/api/extras/webhooks/${webhook}/`, { enabled: true })
  })

  it("of a webhook with a scope is also limited to what the scope's user may view", async () => {
    const scope = await makeUser(api, "scope", {
      types: ["dcim.site"],
      actions: ["view"],
      constraints: { facility: "f1" }
    })
    await api.call("PATCH", `/api/extras/webhooks/${webhook}/`, { scope_user: scope.id })
    expect(await Promise.all([0, 1, 2].map((n) => test(changes[n]![0], asAdmin)))).toEqual([400, 202, 400])
    const asked = await api.call<{ id: number }>("POST", path("replay"), { since, dry_run: true })
    const report = async () => (await api.call<Report>("GET", `/api/extras/replays/${asked.json.id}/`)).json
    await expect.poll(async () => (await report()).status.value).toBe("done")
    expect((await report()).matched).toBe(1)
    await api.call("PATCH", `/api/extras/webhooks/${webhook}/`, { scope_user: null })
  })
})

describe("a template or a condition that is tried out", () => {
  it("sees the given data and nothing else", async () => {
    const context = { data: { id: sites[0] }, object_change: changes[0]![0] }
    const template = "{{ data.id }} {{ data.name is defined }} {{ object_change }}"
    const rendered = await user.call("POST", "/api/extras/webhooks/render/", {
      template,
      context,
      object_change: changes[0]![0]
    })
    expect(rendered.json["output"]).toBe(`${sites[0]} False ${changes[0]![0]}`)
    const conditions = { attr: "name", value: "Site 0" }
    const matched = await user.call("POST", "/api/extras/webhooks/match/", { conditions, data: { id: sites[0] } })
    expect(matched.json["matches"]).toBe(false)
  })
})
