/** Secrets that are planted in the service, and everything that it emitted or kept afterwards. */
import { Redis } from "ioredis"
import { afterAll, beforeAll, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, type List, named, password } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { openBrowser } from "./Browser.ts"
import { startTokenEndpoint } from "../webhook/TokenEndpoint.ts"
import { makeClientAuthority } from "../support/ClientAuthority.ts"
import { makeUser, userPassword } from "./Users.ts"

let api: Api
let receiver: Receiver

const secrets: Record<string, string> = {
  "the superuser's password": password,
  "a user's password": userPassword,
  "a password that was set": "planted-password-0123",
  "a password that was mistyped": "planted-mistyped-4567",
  "a key that was chosen": "feedface".repeat(5),
  "a key that nobody has": "deadbeef".repeat(5),
  "the secret of a webhook": "planted-secret-89ab",
  "its previous secret": "planted-previous-cdef",
  "a header of a webhook": "planted-header-2468ace",
  "a header in a text of statements": "planted-statement-13579b",
  "user information in an address": "planted-user:planted-url-password",
  "a password in an address": "planted-url-password",
  "the same as it is sent": Buffer.from("planted-user:planted-url-password").toString("base64"),
  "a password in a template of an address": "planted-template-password",
  "the secret of an OAuth client": "planted-client-secret-02468",
  "the same as it is sent to its endpoint": Buffer.from("planted-client:planted-client-secret-02468").toString(
    "base64"
  ),
  "an access token": "planted-token-",
  "the key of the service": "planted-key-of-the-service-0000000"
}

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => (path === "/fails" ? 500 : 200))
  // A webhook for webhooks whose receiver fails soon opens its breaker: at this pace it closes in seconds.
  api = await startApi({ LOG_LEVEL: "Trace", SECRET_KEY: secrets["the key of the service"]! }, { pace: 0.2 })
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

/** Headers of requests that carry a secret on purpose. */
const carriers = new Set(["authorization", "x-token"])

const webhook = (name: string, fields: Json = {}): Json => ({
  name,
  content_types: ["dcim.site", "extras.webhook"],
  type_create: true,
  type_update: true,
  payload_url: `${receiver.url}/${name}`,
  secret: secrets["the secret of a webhook"],
  previous_secret: secrets["its previous secret"],
  previous_secret_expires: "2031-01-01T00:00:00Z",
  additional_headers: `Authorization: Bearer ${secrets["a header of a webhook"]}`,
  retry_schedule: { kind: "list", delays: [0.1] },
  ...fields
})

/**
 * Webhooks that show their receivers who they are; the answers of the last receiver repeat what it was sent. Each is
 * sent the event of one site: a receiver that fails for events of webhooks too would make it wait for its breaker.
 */
const identified = async (): Promise<ReadonlyArray<Json>> => {
  const authority = makeClientAuthority()
  const { cert, key } = authority.issue("planted")
  authority.remove()
  secrets["the key of a client certificate"] = key.split("\n")[1]!
  const endpoint = await startTokenEndpoint((number, token) =>
    number === 1 ? [200, { access_token: token, expires_in: 1 }] : [400, { error: token, error_description: token }]
  )
  const client = {
    ...{ oauth_token_url: endpoint.url, oauth_client_id: "planted-client" },
    oauth_client_secret: secrets["the secret of an OAuth client"]
  }
  const withUser = (url: string, user: string) => url.replace("://", `://${user}@`)
  const user = secrets["user information in an address"]!
  const template = `${user.replace(":", "{{ data.id }}:")}{{ '${secrets["a password in a template of an address"]}' }}`
  return [
    webhook("basic", { payload_url: withUser(`${receiver.url}/fails`, user), additional_headers: "" }),
    webhook("echoed", { payload_url: withUser(endpoint.receiver, user) }),
    webhook("templated", { payload_url: withUser(`${receiver.url}/templated`, template) }),
    webhook("unsent", { payload_url: withUser(receiver.url, user), body_template: "{{ data.x.y }}" }),
    webhook("whole", { payload_url: `{% set p = '${user}' %}${withUser(receiver.url, "{{ p }}")}/fails` }),
    webhook("certified", { client_certificate: cert, client_key: key, payload_url: "https://localhost:9/" }),
    webhook("oauth", { ...client, payload_url: endpoint.receiver }),
    webhook("oauth in the body", { ...client, oauth_client_auth: "body", payload_url: endpoint.receiver })
  ]
}

/** Webhooks of which each has an attempt to show. */
const attempted: Array<number> = []

/** Uses every secret, rightly and wrongly. */
const useThem = async () => {
  const { call, raw, service } = api
  const user = await makeUser(api, "secretive")
  secrets["a key that was generated"] = user.token
  await call("PATCH", `/api/users/users/${user.id}/`, { password: secrets["a password that was set"] })
  const key = secrets["a key that was chosen"]!
  await call("POST", "/api/users/tokens/", { user: user.id, key })
  await call("POST", "/api/users/tokens/", { user: user.id, key })
  await raw("GET", "/api/dcim/sites/?q=x", undefined, key)
  await raw("POST", "/api/dcim/sites/", "{ broken", key)
  await raw("GET", "/api/dcim/sites/", undefined, secrets["a key that nobody has"])
  const mistyped = secrets["a password that was mistyped"]!
  await raw("POST", "/api/users/tokens/provision/", { username: "admin", password: mistyped })
  await raw("POST", "/api/users/tokens/provision/", { username: mistyped.slice(0, 3), password: [mistyped] })
  const visitor = openBrowser(service.url)
  await visitor.logIn("admin", mistyped)
  await visitor.logIn("admin", password)
  secrets["the key of a session"] = visitor.cookies.get("sessionid")!
  await visitor.fetch("/api/dcim/sites/", { method: "POST", body: "{}" })
  const made = await call<{ id: number }>("POST", "/api/extras/webhooks/", webhook("works"))
  const statements = `{% set value = '${secrets["a header in a text of statements"]}' %}\nX-Token: {{ value }}`
  await call("POST", "/api/extras/webhooks/", webhook("fails", { additional_headers: statements }))
  await call("POST", "/api/extras/webhooks/", webhook("works"))
  await call("POST", "/api/extras/webhooks/", webhook("wrong", { payload_url: "nowhere", body_template: "{{" }))
  await call("PATCH", `/api/extras/webhooks/${made.json.id}/`, {
    secret: secrets["the secret of a webhook"],
    enabled: true
  })
  for (const fields of await identified()) {
    const each = { ...fields, content_types: ["dcim.site"] }
    const { status, json } = await call<{ id: number }>("POST", "/api/extras/webhooks/", each)
    expect(status).toBe(201)
    const refused = { client_certificate: "none", client_key: fields["client_key"], oauth_token_url: "nowhere" }
    expect((await call("PATCH", `/api/extras/webhooks/${json.id}/`, refused)).status).toBe(400)
    attempted.push(json.id)
  }
  await call("POST", "/api/dcim/sites/", named("Planted"))
  await receiver.untilAll(
    (all) => all.some(({ path }) => path === "/works") && all.filter(({ path }) => path === "/fails").length > 1
  )
}

/** Every answer to a GET: lists, details, what is beside them. */
const everyAnswer = async (): Promise<Readonly<Record<string, string>>> => {
  const answers: Record<string, string> = {}
  const paths = [...registry.values()].flatMap(({ path }) => [
    `${path}?limit=0`,
    `${path}export/?format=json`,
    `${path}?brief=1`
  ])
  const others = [
    "/metrics",
    "/api/status/",
    "/api/core/background-queues/",
    "/api/core/background-workers/",
    "/api/core/capture/",
    "/api/core/service/",
    "/api/extras/deliveries/failures/"
  ]
  for (const path of [...paths, ...others]) {
    const reply = await api.call<List>("GET", path)
    answers[path] = reply.text
    if (!path.endsWith("?limit=0")) continue
    for (const { id } of reply.json.results) {
      const detail = path.replace("?limit=0", `${id}/`)
      answers[detail] = (await api.call("GET", detail)).text
    }
  }
  return answers
}

/** All that Postgres and Redis keep. */
const everythingKept = async (): Promise<Readonly<Record<string, string>>> => {
  const kept: Record<string, string> = {}
  const tables = await api.database.sql.query<{ name: string }>(
    "select c.relname::text as name from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'"
  )
  for (const { name } of tables) {
    const rows = await api.database.sql.query<{ text: string }>(`select row_to_json(t)::text as text from ${name} t`)
    kept[`table ${name}`] = rows.map(({ text }) => text).join("\n")
  }
  const redis = new Redis(api.database.redisUrl, { protocol: 2 })
  for (const name of await redis.keys("*")) {
    kept[`key ${name}`] = `${name} ${(await redis.dumpBuffer(name))?.toString("latin1") ?? ""}`
  }
  await redis.quit()
  return kept
}

it("are in no answer, no line of the log, no event, no delivery, and unsealed in no table and no stream", async () => {
  await useThem()
  const deliveries = async () => (await api.call<List>("GET", "/api/extras/deliveries/?status=failed")).json.count
  await expect.poll(deliveries).toBeGreaterThan(0)
  for (const id of attempted) {
    const ended = `/api/extras/deliveries/?webhook_id=${id}&object_type=dcim.site&status=failed&status=successful`
    const count = async () => (await api.call<List>("GET", ended)).json.count
    await expect.poll(count).toBeGreaterThan(0)
  }
  const places: Record<string, string> = { ...(await everyAnswer()), ...(await everythingKept()) }
  places["the log"] = api.service.output()
  for (const [at, { body, headers, path }] of receiver.received.entries()) {
    const others = Object.entries(headers).filter(([name]) => !carriers.has(name))
    places[`request ${at} to ${path}`] = `${body.toString()} ${JSON.stringify(others)}`
  }
  expect(receiver.received.some(({ headers }) => headers["x-token"] === "planted-statement-13579b")).toBe(true)
  const basic = `Basic ${secrets["the same as it is sent"]}`
  expect(receiver.received.some(({ headers }) => headers.authorization === basic)).toBe(true)
  expect(places["the log"]).toContain("audit:")
  expect(Object.keys(places).length).toBeGreaterThan(60)
  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} is in ${place}`] : []))
  )
  expect(found).toEqual([])
})
