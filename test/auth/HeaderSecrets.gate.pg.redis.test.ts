/** Credentials in the headers of webhooks: sent to their receiver, and seen nowhere else. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Json, type List, type Made, named } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type Service, startService } from "../support/Service.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { thorough } from "../support/Seed.ts"

let database: TestDatabase
let receiver: Receiver
let service: Service

const firstKey = "the key of the first run of some length"
const secondKey = "the key of the second run of some length"

beforeAll(async () => {
  database = await makeDatabase()
  receiver = await startReceiver()
  service = await start({ SECRET_KEY: firstKey })
})

afterAll(async () => {
  await service.stop()
  await receiver.close()
  await database.drop()
})

const start = (keys: Record<string, string>) =>
  startService({
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: database.redisUrl,
    RACKWIRE_SLOT: database.slot,
    ...keys
  })

const path = "/api/extras/webhooks/"
const headers = "X-Plain: {{ data.name }}\nAuthorization: Bearer first-{{ data.slug }}\nX-Api-Key: planted-key-one"
const shown = "X-Plain: {{ data.name }}\nAuthorization: ***\nX-Api-Key: ***"
const credentials = ["Bearer first", "planted-key-one", "planted-key-two", "planted-by-sql"]

const make = async (name: string, fields: Json): Promise<Made> => {
  const body = {
    name,
    content_types: ["extras.tag"],
    type_create: true,
    payload_url: `${receiver.url}/${name}`,
    ...fields
  }
  return service.makeObject("extras/webhooks", body)
}

/** The headers that a new tag is delivered with. */
const delivered = async (webhook: string, tag: string) => {
  await service.call("POST", "/api/extras/tags/", named(tag))
  const one = await receiver.until(
    (each) => each.path === `/${webhook}` && each.body.includes(`"name":"${tag}"`),
    `${tag} at ${webhook}`
  )
  return one.headers
}

const column = async (id: number) => {
  const [row] = await database.sql.query<{ text: string; kept: string }>(
    "select additional_headers as text, secret_headers as kept from extras_webhook where id = $1",
    [id]
  )
  return row!
}

it("go to the receiver and are shown as *** in answers, files, events, the change log and the delivery log", async () => {
  await make("watcher", { content_types: ["extras.webhook"], type_update: true })
  const webhook = await make("guarded", { additional_headers: headers })
  expect(webhook["additional_headers"]).toBe(shown)
  expect(Object.keys(webhook)).not.toContain("secret_headers")
  await service.call("PATCH", `${path}${webhook.id}/`, { description: "changed" })
  expect(await delivered("guarded", "One")).toMatchObject({
    authorization: "Bearer first-one",
    "x-api-key": "planted-key-one",
    "x-plain": "One"
  })
  await receiver.untilAll((all) => all.filter((each) => each.path === "/watcher").length >= 3)
  const seen = receiver.received.filter((each) => each.path === "/watcher").map((each) => each.body.toString())
  const deliveries = async () => (await service.call<List>("GET", `/api/extras/deliveries/?status=successful`)).json
  await expect.poll(async () => (await deliveries()).results.length).toBeGreaterThan(3)
  for (const { id } of (await deliveries()).results) {
    seen.push((await service.call("GET", `/api/extras/deliveries/${id}/`)).text)
  }
  const changes = await service.call("GET", "/api/extras/object-changes/?changed_object_type=extras.webhook&limit=0")
  expect(changes.text).toContain(JSON.stringify(shown))
  const others = ["", `${webhook.id}/`, "export/?format=json", "export/?format=csv", "export/?format=yaml"]
  for (const other of others) seen.push((await service.call("GET", path + other)).text)
  const all = [...seen, changes.text, JSON.stringify(await column(webhook.id))]
  for (const credential of credentials) expect(all.filter((text) => text.includes(credential))).toEqual([])
})

it("are kept where a client sends back what it was shown, and replaced where it sends another value", async () => {
  const { id } = await make("kept", { additional_headers: headers })
  const read = async () => (await service.call<Made>("GET", `${path}${id}/`)).json
  const whole = await read()
  expect((await service.call("PUT", `${path}${id}/`, whole)).status).toBe(200)
  expect(await delivered("kept", "Two")).toMatchObject({
    authorization: "Bearer first-two",
    "x-api-key": "planted-key-one"
  })
  const changed = shown.replace("X-Api-Key: ***", "X-Api-Key: planted-key-two")
  expect((await service.call("PATCH", `${path}${id}/`, { additional_headers: changed })).json).toMatchObject({
    additional_headers: shown
  })
  expect(await delivered("kept", "Three")).toMatchObject({
    authorization: "Bearer first-three",
    "x-api-key": "planted-key-two"
  })
  const reordered = { additional_headers: "X-Api-Key: ***\nX-New: a" }
  expect((await service.call("PATCH", `${path}${id}/`, reordered)).status).toBe(200)
  const sent = await delivered("kept", "Four")
  expect([sent["x-api-key"], sent["x-new"], sent["authorization"]]).toEqual(["planted-key-two", "a", undefined])
  const csv = await service.call("GET", `${path}export/?format=csv&id=${id}`)
  const imported = await service.call("POST", `${path}import/?format=json`, [
    { id, additional_headers: "X-Api-Key: ***" }
  ])
  expect([csv.text.includes("X-Api-Key: ***"), imported.status]).toEqual([true, 200])
  expect(await delivered("kept", "Five")).toMatchObject({ "x-api-key": "planted-key-two" })
})

it("that nobody kept are asked for, and a text is checked as it will be sent", async () => {
  const body = { name: "none", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url }
  const refused = await service.call("POST", path, { ...body, additional_headers: "Authorization: ***" })
  expect([refused.status, refused.json]).toEqual([
    400,
    { additional_headers: ["No value is kept for Authorization: write it instead of ***."] }
  ])
  const broken = await service.call("POST", path, { ...body, additional_headers: "Authorization: {{ nothing(" })
  expect([broken.status, Object.keys(broken.json as object)]).toEqual([400, ["additional_headers"]])
  const { id } = await make("liquid", { additional_headers: "Authorization: {{ 'a' ~ 'b' }}" })
  const other = await service.call("PATCH", `${path}${id}/`, { template_engine: "liquid" })
  expect([other.status, Object.keys(other.json as object)]).toEqual([400, ["additional_headers"]])
})

it("that plain SQL writes are sealed soon, and hidden before that", async () => {
  const { id } = await make("by-sql", { additional_headers: headers })
  const mixed = "Authorization: ***\nX-Api-Key: planted-by-sql"
  await database.sql.query("update extras_webhook set additional_headers = $1 where id = $2", [mixed, id])
  const { text } = await service.call("GET", `${path}${id}/`)
  expect(text).not.toContain("planted-by-sql")
  await expect.poll(async () => (await column(id)).text).toBe("Authorization: ***\nX-Api-Key: ***")
  expect(await delivered("by-sql", "Six")).toMatchObject({
    authorization: "Bearer first-six",
    "x-api-key": "planted-by-sql"
  })
})

thorough(
  "outlive another SECRET_KEY, and what an earlier version kept in the clear is sealed at the start",
  async () => {
    const { id } = await make("rotated", { additional_headers: headers })
    const old = await make("old", {})
    const addressed = await make("addressed", {})
    const changes = () =>
      database.sql.query<{ text: string }>(
        "select data::text || prechange_data || postchange_data as text from extras_objectchange"
      )
    await expect.poll(async () => JSON.stringify(await changes())).toContain('name\\":\\"addressed')
    await service.stop()
    const before = await column(id)
    // As an earlier version left them.
    await database.sql.query("update extras_webhook set additional_headers = $1 where id = $2", [headers, old.id])
    await database.sql.query(
      `update extras_objectchange set data = replace(data::text, '"additional_headers":""', $1)::json,
            postchange_data = replace(postchange_data::text, '"additional_headers":""', $1)::json
      where changed_object_type = 'extras.webhook' and changed_object_id = $2`,
      [`"additional_headers":${JSON.stringify(headers)}`, old.id]
    )
    const open = `replace($, '"payload_url":"http://', '"payload_url":"http://planted-user:planted-key-two@')::json`
    await database.sql.query(
      `update extras_objectchange set data = ${open.replace("$", "data::text")},
              postchange_data = ${open.replace("$", "postchange_data::text")}
        where changed_object_type = 'extras.webhook' and changed_object_id = $1`,
      [addressed.id]
    )
    await database.sql.query(
      "update extras_webhook set payload_url = replace(payload_url, '//', '//planted-user:planted-key-two@') where id = $1",
      [addressed.id]
    )
    for (const each of ["planted-key-one", "planted-key-two"]) expect(JSON.stringify(await changes())).toContain(each)
    service = await start({ SECRET_KEY: secondKey, SECRET_KEY_FALLBACKS: firstKey })
    await service.stop()
    service = await start({ SECRET_KEY: secondKey })
    expect((await column(id)).kept.slice(0, 12)).not.toBe(before.kept.slice(0, 12))
    expect((await column(old.id)).text).toBe(shown)
    for (const name of ["rotated", "old"]) {
      const tag = `After ${name}`
      expect((await delivered(name, tag))["authorization"]).toBe(`Bearer first-${tag.toLowerCase().replace(" ", "-")}`)
    }
    expect((await service.call<Made>("GET", `${path}${addressed.id}/`)).json["payload_url"]).toContain("://***@")
    expect((await delivered("addressed", "Addressed"))["authorization"]).toMatch(/^Basic /)
    const versions = await database.sql.query<{ text: string }>(
      "select definition::text as text from rackwire_webhook_version"
    )
    const kept = JSON.stringify([await changes(), versions])
    for (const credential of credentials) expect(kept).not.toContain(credential)
  }
)
