/** Another SECRET_KEY than the one that sealed the secrets: by mistake, in one process of several, and after a loss. */
import { afterEach, beforeEach, expect, it } from "vitest"
import { sign } from "../../src/webhook/Sign.ts"
import { environmentOf } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { runCommand } from "../support/Command.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type Service, type Start, startService } from "../support/Service.ts"
import { thorough } from "../support/Seed.ts"

const former = { SECRET_KEY: "the former key of 32 characters or more" }
const other = { SECRET_KEY: "the other key of 32 characters or more" }

let database: TestDatabase
let receiver: Receiver
let services: Array<Service>

beforeEach(async () => {
  database = await makeDatabase()
  receiver = await startReceiver()
  services = []
})

afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()))
  await receiver.close()
  await database.drop()
})

type Keys = Readonly<Record<"SECRET_KEY", string> & Partial<Record<"SECRET_KEY_FALLBACKS", string>>>

const start = async (keys: Keys, options: Start = {}) => {
  const service = await startService({ ...environmentOf(database), ...keys }, { pace: 0.2, ...options })
  services.push(service)
  return service
}

const check = async (keys: Keys) =>
  (await runCommand(["check"], { env: { ...environmentOf(database), ...keys } })).output

interface Readiness {
  readonly problems: ReadonlyArray<string>
}

const readiness = (service: Service) => service.call<Readiness>("GET", "/health/ready")

const makeWebhook = (service: Service, name: string, more: Readonly<Record<string, unknown>>) =>
  service.make("extras/webhooks", {
    ...{ name, content_types: ["extras.tag"], type_create: true, payload_url: `${receiver.url}/${name}`, ...more }
  })

const makeTags = (service: Service, prefix: string) =>
  service.makeAll(
    "extras/tags",
    Array.from({ length: 20 }, (_, at) => named(`${prefix} ${at}`))
  )

const arrived = (name: string) => receiver.received.filter(({ path }) => path === `/${name}`)

const statuses = async () =>
  (
    await database.sql.query<{ status: string; count: number }>(
      "select status, count(*)::int as count from extras_delivery group by status order by status"
    )
  ).map(({ status, count }) => `${count} ${status}`)

thorough("ends the start, and check names it", async () => {
  const first = await start(former)
  await makeWebhook(first, "signed", { secret: "shared" })
  await expect(start(other)).rejects.toThrow(/^SECRET_KEY: not the key that sealed the secrets of this database\. /)
  expect(await check(other)).toMatch(
    /CHANGE key of secrets: SECRET_KEY is not the key .*\n +-> .*SECRET_KEY_FALLBACKS.*update rackwire_secret_key set/
  )
  expect(await check(former)).not.toContain("CHANGE key of secrets")
  // As an earlier version left the database.
  await database.sql.query("delete from rackwire_secret_key")
  await expect(start(other)).rejects.toThrow("SECRET_KEY: not the key")
  await makeTags(first, "Tag")
  await receiver.untilAll(() => arrived("signed").length >= 20)
  expect(arrived("signed").every(({ headers, body }) => headers["x-hook-signature"] === sign("shared", body))).toBe(
    true
  )
})

it("ends the start where nothing is sealed yet", async () => {
  await start(former)
  await expect(start(other)).rejects.toThrow("SECRET_KEY: not the key")
})

thorough("of one process of several leaves deliveries to the others", async () => {
  const behind = await start(former)
  await makeWebhook(behind, "signed", { secret: "shared" })
  await start({ ...other, SECRET_KEY_FALLBACKS: former.SECRET_KEY }, { roles: ["api", "deliver"] })
  await eventually("the process with the former key is not ready", async () => {
    const { status, json } = await readiness(behind)
    return status === 503 && json.problems.some((problem) => problem.startsWith("SECRET_KEY is not the key"))
  })
  await makeTags(services[1]!, "Tag")
  await receiver.untilAll(() => arrived("signed").length >= 20)
  await eventually("all are logged", async () => (await statuses()).join() === "20 successful")
  expect(arrived("signed").every(({ headers }) => headers["x-hook-attempt"] === "1")).toBe(true)
})

thorough("is taken once the former one is given up, and deliveries wait for new secrets", async () => {
  const first = await start(former)
  const id = await makeWebhook(first, "signed", { secret: "shared" })
  await makeWebhook(first, "plain", {})
  await first.stop()
  services.pop()
  await database.sql.query("update rackwire_secret_key set prefix = ''")
  const second = await start(other)
  await makeTags(second, "Tag")
  await receiver.untilAll(() => arrived("plain").length >= 20)
  const named = `webhook ${id} cannot be used, deliveries wait: no known key opens its secret: `
  await eventually("check names the webhook", async () => (await check(other)).includes(named))
  expect((await readiness(second)).status).toBe(200)
  expect(arrived("signed")).toEqual([])
  await second.call("PATCH", `/api/extras/webhooks/${id}/`, { secret: "renewed" })
  await receiver.untilAll(() => arrived("signed").length >= 20)
  expect(arrived("signed").every(({ headers, body }) => headers["x-hook-signature"] === sign("renewed", body))).toBe(
    true
  )
  await eventually("all are logged", async () => (await statuses()).join() === "40 successful")
})
