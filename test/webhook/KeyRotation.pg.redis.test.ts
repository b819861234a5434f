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
  const [row] = await database.sql.query<{ secret: string; previous_secret: string }>(
    "select secret, previous_secret from extras_webhook"
  )
  return row!
}

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
  await first.stop()
  const before = await sealed()
  const second = await start({ SECRET_KEY: "the key of the second run of some length", SECRET_KEY_FALLBACKS: old })
  const after = await sealed()
  expect(second.output()).toContain("2 secrets were sealed anew")
  await second.stop()
  expect(after.secret.slice(0, 12)).not.toBe(before.secret.slice(0, 12))
  const third = await start({ SECRET_KEY: "the key of the second run of some length" })
  expect(await sealed()).toEqual(after)
  await third.call("POST", "/api/extras/tags/", named("One"))
  const { headers, body } = await receiver.until(() => true)
  expect(headers["x-hook-signature"]).toBe(sign("shared", body))
  expect(headers["x-hook-signature-previous"]).toBe(sign("shared before", body))
  await third.stop()
})
