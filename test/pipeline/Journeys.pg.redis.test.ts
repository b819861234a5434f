/** Transactions by what people have in hand, from their changes to the answers of the receivers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { mismatches } from "../http/SchemaCheck.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

let api: Api
let receiver: Receiver
let hooks: ReadonlyArray<number>

interface Transaction {
  readonly url: string
  readonly position: string
  readonly lsn: string
  readonly request_id: string
  readonly user_name: string
  readonly xid: number
  readonly request: Json | null
  readonly changes: number
}

interface Journey extends Transaction {
  readonly results: ReadonlyArray<{
    readonly change: { readonly id: number; readonly object_repr: string }
    readonly webhooks: ReadonlyArray<{ readonly webhook: { readonly name: string }; readonly outcome: string }>
  }>
  readonly deliveries: ReadonlyArray<{
    readonly id: number
    readonly delivery_id: string
    readonly webhook: number
    readonly status: string
    readonly attempts: ReadonlyArray<{ readonly number: number; readonly response_status: number | null }>
  }>
}

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => (path === "/bad" ? 503 : 200))
  api = await startApi()
  const hook = async (name: string, fields: Json) =>
    await api.make("extras/webhooks", {
      ...{ name, content_types: ["dcim.site"], type_create: true, payload_url: `${receiver.url}/${name}` },
      ...fields
    })
  hooks = [
    await hook("good", {}),
    await hook("bad", { conditions: { attr: "name", value: "Two" }, retry_schedule: { kind: "list", delays: [600] } })
  ]
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

const find = async (query: string): Promise<ReadonlyArray<Transaction>> =>
  (await api.call<{ readonly results: ReadonlyArray<Transaction> }>("GET", `/api/extras/journeys/?${query}`)).json
    .results

const journeyAt = async (position: string): Promise<Journey> =>
  (await api.call<Journey>("GET", `/api/extras/journeys/${position}/`)).json

/** The journey of a site's creation, as soon as so many deliveries were attempted. */
const journeyOf = async (site: number, attempted: number): Promise<Journey> => {
  const path = `/api/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=${site}`
  return eventually("it was attempted", async () => {
    const { json } = await api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>("GET", path)
    const [change] = json.results
    const [transaction] = change === undefined ? [] : await find(`change=${change.id}`)
    const journey = transaction && (await journeyAt(transaction.position))
    return journey !== undefined && journey.deliveries.length >= attempted && journey
  })
}

describe("a journey", () => {
  it("shows what each webhook did for each change of one request, and is found by everything that names it", async () => {
    const made = await api.call<ReadonlyArray<{ readonly id: number }>>("POST", "/api/dcim/sites/", [
      named("One"),
      named("Two")
    ])
    const journey = await journeyOf(made.json[0]!.id, 3)
    const how = { method: "POST", path: "/api/dcim/sites/", token: expect.any(Number) }
    expect(journey).toMatchObject({ user_name: "admin", changes: 2, request: how })
    const outcomes = journey.results.map(({ change, webhooks }) => [
      change.object_repr,
      webhooks.map(({ webhook, outcome }) => `${webhook.name} ${outcome}`)
    ])
    expect(outcomes).toEqual([
      ["One", ["good fired", "bad skipped"]],
      ["Two", ["bad fired", "good fired"]]
    ])
    const sent = journey.deliveries.map(({ webhook, status, attempts }) => [
      webhook,
      status,
      attempts.map((attempt) => attempt.response_status)
    ])
    expect(sent).toEqual([
      [hooks[0], "successful", [200]],
      [hooks[0], "successful", [200]],
      [hooks[1], "retrying", [503]]
    ])
    const { position, lsn, request_id: request, xid, results, deliveries } = journey
    const clues = [
      `lsn=${lsn}`,
      `request_id=${request}`,
      `xid=${xid}`,
      `xid=${BigInt(xid) + (7n << 32n)}`,
      ...results.map(({ change }) => `change=${change.id}`),
      ...deliveries.flatMap(({ id, delivery_id: name }) => [`delivery=${id}`, `delivery=${name}`])
    ]
    for (const clue of clues) {
      expect([clue, ...(await find(clue)).map((each) => each.position)]).toEqual([clue, position])
    }
    expect((await find("")).map((each) => each.position)).toContain(position)
    // Postgres has no such LSN yet, and a position has no room for it.
    expect(await find("lsn=FFFFFFFF/FFFFFFFF")).toEqual((await find("")).slice(0, 1))
  })

  it("is told of a transaction of plain SQL, whose writer nobody knows", async () => {
    const rows = await api.database.sql.query<{ id: string }>(
      "insert into dcim_site (name, slug) values ('By SQL', 'by-sql'), ('Also', 'also') returning id::text as id"
    )
    expect(await journeyOf(Number(rows[0]!.id), 2)).toMatchObject({ user_name: "", request: null, changes: 2 })
  })

  it("is told to readers as far as they may view its changes", async () => {
    const made = await api.call<ReadonlyArray<{ readonly id: number }>>("POST", "/api/dcim/sites/", [
      named("Open"),
      named("Closed")
    ])
    const { position } = await journeyOf(made.json[0]!.id, 2)
    const grant = (types: ReadonlyArray<string>, constraints: Json | null = null) => ({
      ...{ types, actions: ["view"] },
      constraints
    })
    const { call } = await makeUser(
      api,
      "reader",
      grant(["dcim.site"], { name: "Open" }),
      grant(["extras.objectchange"])
    )
    const { json, text } = await call("GET", `/api/extras/journeys/${position}/`)
    expect(json).toMatchObject({ changes: 1, deliveries: null, results: [{ webhooks: [] }] })
    expect(text).not.toMatch(/Closed|good/)
    const nobody = await makeUser(api, "stranger", grant(["dcim.rack"]), grant(["extras.objectchange"]))
    expect((await nobody.call("GET", `/api/extras/journeys/${position}/`)).status).toBe(404)
    expect((await nobody.call("GET", "/api/extras/journeys/")).json["count"]).toBe(0)
  })

  it("is not found by clues that are none, which are refused in words", async () => {
    const status = async (path: string) => (await api.call("GET", path)).status
    for (const clue of ["lsn=here", "request_id=1", "change=x", "delivery=-", "change=1&lsn=0/1"]) {
      expect([clue, await status(`/api/extras/journeys/?${clue}`)]).toEqual([clue, 400])
    }
    for (const position of ["x", "0", "1", "9223372036854775807", "9223372036854775808", "9".repeat(30)]) {
      expect([position, await status(`/api/extras/journeys/${position}/`)]).toEqual([position, 404])
    }
    for (const clue of ["lsn=0/1", "change=999999999999999", "delivery=1-9999999999999999999-0", "delivery=999999"]) {
      expect([clue, await find(clue)]).toEqual([clue, []])
    }
  })
})

it("every answer about past changes is as /api/schema/ describes it", async () => {
  const site = await api.make("dcim/sites", named("Three"))
  const { position, results } = await journeyOf(site, 1)
  const { paths, components } = JSON.parse((await api.raw("GET", "/api/schema/")).text) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
    readonly components: { readonly schemas: Readonly<Record<string, Json>> }
  }
  const answers = [
    ["/api/extras/journeys/", "get", ""],
    ["/api/extras/journeys/{position}/", "get", position],
    ["/api/extras/object-changes/{id}/explain/", "get", results[0]!.change.id],
    ["/api/extras/webhooks/{id}/skipped/", "get", hooks[1]],
    ["/api/extras/webhooks/history/", "post", ""]
  ] as const
  for (const [path, method, key] of answers) {
    const body = method === "post" ? { webhook: hooks[0], conditions: { attr: "name", value: "Two" } } : undefined
    const reply = await api.call(method.toUpperCase(), path.replace(/\{\w+\}/, `${key}`), body)
    const { responses } = paths[path]![method]! as { responses: Readonly<Record<string, { content: Json }>> }
    const { schema } = responses["200"]!.content["application/json"] as { schema: Json }
    expect([path, reply.status, mismatches(reply.json, schema, components.schemas)]).toEqual([path, 200, []])
  }
})

describe("the latest transactions", () => {
  it("are listed with all their changes, however many the last one has", async () => {
    const { position } = (await find(""))[0]!
    const tags = Array.from({ length: 250 }, (_, n) => named(`Many ${n}`))
    await api.call("POST", "/api/extras/tags/", tags)
    const found = await eventually("the transaction is captured", async () => {
      const all = await find("")
      return all[0]!.changes === 250 && all
    })
    expect(found[1]).toMatchObject({ position })
  })
})
