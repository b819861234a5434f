/** Parts of attempts about objects that a reader may not view: addresses, headers and answers, shown or searched. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type User, makeUser } from "./Users.ts"

let api: Api
let receiver: Receiver
let whole: User
let limited: User

const secret = "planted-tenant"

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
  const tenant = await api.make("tenancy/tenants", named(secret))
  const hook = (name: string, fields: Json) =>
    api.make("extras/webhooks", {
      name,
      content_types: ["dcim.site"],
      type_create: true,
      payload_url: `${receiver.url}/${name}?of={{ data.tenant.name or 'none' }}`,
      additional_headers: "X-Tenant: {{ data.tenant.name or 'none' }}",
      ...fields
    })
  hooks = {
    alone: await hook("alone", {}),
    batched: await hook("batched", {
      batch: { size: 2, seconds: 300 },
      payload_url: `${receiver.url}/batched?of={{ events[-1].data.tenant.name }}`,
      additional_headers: "X-Tenant: {{ events[-1].data.tenant.name }}"
    }),
    unknown: await hook("unknown", {
      payload_url: "http://{{ data.tenant.slug or 'none' }}.invalid/",
      retry_schedule: { kind: "fixed", delay: 1, attempts: 1 }
    })
  }
  await api.call("POST", "/api/dcim/sites/", [named("Plain"), { ...named("Owned"), tenant }])
  const sights = { types: ["dcim.site", "extras.delivery", "extras.webhook"], actions: ["view"] }
  limited = await makeUser(api, "limited", sights)
  whole = await makeUser(api, "tenants too", { ...sights, types: [...sights.types, "tenancy.tenant"] })
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

let hooks: Readonly<Record<"alone" | "batched" | "unknown", number>>

const path = "/api/extras/deliveries/"

/** Ids of the deliveries of a webhook, by the number of their site, once both have been attempted. */
const deliveriesOf = (webhook: number) =>
  eventually(`deliveries of webhook ${webhook}`, async () => {
    const { results } = (await api.call<List>("GET", `${path}?webhook_id=${webhook}&attempts__gte=1`)).json
    return results.length === 2 && results.map(({ id }) => id).toSorted((a, b) => a - b)
  })

/** A delivery as a user reads it: the API's answers, and the pages of the console. */
const readBy = async ({ token, call }: User, id: number) => {
  const page = await fetch(`${api.service.url}/extras/deliveries/${id}/`, {
    headers: { authorization: `Token ${token}`, accept: "text/html" }
  })
  const answers = [await call("GET", `${path}${id}/`), await call("GET", `${path}${id}/request/`)]
  return {
    statuses: [page.status, ...answers.map(({ status }) => status)],
    json: answers[0]!.json,
    text: `${await page.text()}${answers.map(({ text }) => text).join("")}`
  }
}

const attemptOf = (json: Json) => (json["attempt_log"] as ReadonlyArray<Json>)[0]!

it("are shown to readers from whom nothing of the event is hidden", async () => {
  const [plain, owned] = await deliveriesOf(hooks.alone)
  for (const [user, id, shown] of [
    [limited, plain!, "none"],
    [whole, plain!, "none"],
    [whole, owned!, secret]
  ] as const) {
    const { statuses, json } = await readBy(user, id)
    expect(statuses).toEqual([200, 200, 200])
    expect(attemptOf(json)).toMatchObject({ url: `${receiver.url}/alone?of=${shown}`, response_body: "ok" })
    expect(attemptOf(json)["request_headers"]).toContainEqual({ name: "x-tenant", value: shown })
  }
})

it("are shown as *** where an object inside the event is hidden, or another event of the batch may be", async () => {
  const [, owned] = await deliveriesOf(hooks.alone)
  const batched = await deliveriesOf(hooks.batched)
  for (const id of [owned!, ...batched]) {
    const { statuses, json, text } = await readBy(limited, id)
    expect(statuses).toEqual([200, 200, 200])
    expect(text).not.toContain(secret)
    const { url, response_status, response_body, request_headers } = attemptOf(json)
    expect([url, response_status, response_body]).toEqual(["***", 200, "***"])
    expect(request_headers).toContainEqual({ name: "x-tenant", value: "***" })
    expect(request_headers).toContainEqual({ name: "x-hook-attempt", value: "1" })
  }
  const admin = await api.call<Json>("GET", `${path}${batched[0]}/`)
  expect(attemptOf(admin.json)["url"]).toContain(secret)
})

it("name no host that a template took from the event in a message, nor where failures are grouped", async () => {
  const [plain, owned] = await deliveriesOf(hooks.unknown)
  for (const id of [plain!, owned!]) {
    const { statuses, json, text } = await readBy(limited, id)
    expect([statuses, json["reason"], json["message"]]).toEqual([
      [200, 200, 200],
      "Dns",
      expect.stringContaining("***")
    ])
    expect(text).not.toContain(secret)
  }
  const failures = `${path}failures/`
  expect((await limited.call("GET", failures)).text).not.toContain(secret)
  const listed = (await api.call<Json>("GET", failures)).json["results"]
  expect(listed).toMatchObject([{ reason: "Dns", host: `${secret}.invalid` }])
  const admin = (await api.call<Json>("GET", `${path}${owned}/`)).json
  expect(attemptOf(admin)["url"]).toBe(`http://${secret}.invalid/`)
})

it("are searched for users alone who may see every delivery", async () => {
  await deliveriesOf(hooks.alone)
  const found = async (call: User["call"], text: string) =>
    (await call("GET", `${path}?contains=${text}`)).json["results"] as ReadonlyArray<{ readonly id: number }>
  const admin: User["call"] = (method, to, body) => api.call<Json>(method, to, body)
  expect((await found(admin, secret)).length).toBeGreaterThan(0)
  expect(await found(limited.call, secret)).toEqual([])
  const [plain] = await deliveriesOf(hooks.alone)
  const one = (await limited.call("GET", `${path}${plain}/`)).json
  expect((await found(limited.call, String(one["delivery_id"]))).map(({ id }) => id)).toContain(plain)
})
