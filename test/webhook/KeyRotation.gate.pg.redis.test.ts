/** SECRET_KEY replaced between two runs of a service. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { sign } from "../../src/webhook/Sign.ts"
import { named } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { startService } from "../support/Service.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

let database: TestDatabase
let receiver: Receiver

beforeAll(async () => {
  database = await makeDatabase()
  receiver = await startReceiver()
})

afterAll(async () => {
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

const sealed = async () => {
  const [row] = await database.sql.query<{ secret: string; previous_secret: string; app: string; source: string }>(
    `select w.secret, previous_secret, t.secret as app, s.database_url as source
       from extras_webhook w, rackwire_totp t, rackwire_source s`
  )
  return row!
}

/** Secrets without an object type: of an authenticator app, and of a source as it was read last. */
const secretsBeside = [
  "insert into rackwire_totp (user_id, secret, last_step) select u.id, w.secret, 0 from users_user u, extras_webhook w",
  "insert into rackwire_source (source_id, database_url) select id, database_url from extras_source"
]

it("lets secrets be read with the earlier key, and seals them with the new one", async () => {
  const old = "the key of the first run of some length"
  const first = await start({ SECRET_KEY: old })
  const made = await first.call("POST", "/api/extras/webhooks/", {
    name: "signed",
    content_types: ["extras.tag"],
    type_create: true,
    payload_url: receiver.url,
    secret: "shared",
    previous_secret: "shared before"
  })
  expect(made.status).toBe(201)
  const source = { name: "netbox", database_url: "postgresql://netbox:secret@127.0.0.1:1/netbox", enabled: false }
  expect((await first.call("POST", "/api/extras/sources/", source)).status).toBe(201)
  for (const statement of secretsBeside) await database.sql.query(statement)
  await first.stop()
  const before = await sealed()
  const second = await start({ SECRET_KEY: "the key of the second run of some length", SECRET_KEY_FALLBACKS: old })
  const after = await sealed()
  expect(second.output()).toContain("5 secrets were sealed anew")
  await second.stop()
  const keysOf = (secrets: typeof before) => Object.values(secrets).map((text) => text.slice(0, 12))
  expect(new Set([...keysOf(before), ...keysOf(after)]).size).toBe(2)
  expect(keysOf(after)).not.toEqual(keysOf(before))
  const third = await start({ SECRET_KEY: "the key of the second run of some length" })
  expect(await sealed()).toEqual(after)
  // Tokens by password alone are for users without a second factor.
  await database.sql.query("delete from rackwire_totp")
  await third.call("POST", "/api/extras/tags/", named("One"))
  const { headers, body } = await receiver.until(() => true)
  expect(headers["x-hook-signature"]).toBe(sign("shared", body))
  expect(headers["x-hook-signature-previous"]).toBe(sign("shared before", body))
  await third.stop()
})
