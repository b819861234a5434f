/**
 * Goal: a service whose address names a primary and its standby works on through a failover, and loses nothing. Method: a
 * real pair; the primary is killed and the standby promoted while sites are created. A process, as it is run.
 */
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { onPool } from "../support/OnPool.ts"
import { named } from "../support/Client.ts"
import { emptyRedis, servers } from "../support/Database.ts"
import { needs } from "../support/Ledger.ts"
import { openSql } from "../support/Sql.ts"
import { eventually } from "../support/Eventually.ts"
import { type PostgresPair, startPostgresPair } from "../support/PostgresPair.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

let pair: PostgresPair
let receiver: Receiver
let service: ServiceProcess

const sql = openSql(servers.databaseUrl)
const [server] = await sql.query<{ readonly version: number }>(
  "select current_setting('server_version_num')::int as version"
)
await sql.close()
const hasFailoverSlots = needs("Postgres 17 or later", server!.version >= 170_000, "unset POSTGRES_BIN")

const statusOf = async (name: string): Promise<number> => {
  const reply = await service.call("POST", "/api/dcim/sites/", named(name)).catch(() => undefined)
  return reply?.status ?? 0
}

describe.runIf(hasFailoverSlots)("a primary and its standby", () => {
  beforeAll(async () => {
    pair = await startPostgresPair()
    receiver = await startReceiver()
    service = await startProcess({
      // The standby first: it has to be passed over.
      DATABASE_URL: pair.urlAt(`127.0.0.1:${pair.standbyPort},127.0.0.1:${pair.primaryPort}`),
      REDIS_URL: await emptyRedis(),
      SECRET_KEY: "a key for tests, of sufficient length"
    })
    await service.call("POST", "/api/extras/webhooks/", {
      name: "sites",
      content_types: ["dcim.site"],
      type_create: true,
      payload_url: receiver.url
    })
  }, 180_000)

  afterAll(async () => {
    await service?.stop()
    await receiver?.close()
    await pair?.stop()
  })

  it("a standby is passed over by statements and transactions, and is named where it is alone", async () => {
    const [standby, primary] = [pair.standbyPort, pair.primaryPort].map((port) => `127.0.0.1:${port}`)
    for (const authority of [`${standby},${primary}`, `${primary},${standby}`]) {
      const found = await onPool(pair.urlAt(authority), (sql) =>
        Effect.all([
          sql`select pg_is_in_recovery() as standby`,
          sql.withTransaction(sql`select pg_is_in_recovery() as standby`)
        ])
      )
      expect(found).toEqual([[{ standby: false }], [{ standby: false }]])
    }
    const alone = onPool(pair.urlAt(standby!), (sql) => sql`select 1 as one`)
    await expect(alone).rejects.toMatchObject({ reason: { cause: { message: `${standby} is a standby` } } })
  })

  it("a standby alone is refused by replication", async () => {
    await expect(Walsender.connect(addressOf(pair.urlAt(`127.0.0.1:${pair.standbyPort}`)))).rejects.toMatchObject({
      reason: "Transport",
      message: "the server is a standby"
    })
  })

  it("every site that was created is delivered, each once by its id", { timeout: 240_000 }, async () => {
    const slot = "exists (select from pg_replication_slots where slot_name = 'rackwire' and synced and not temporary)"
    await eventually(
      "the standby has the slot",
      async () => (await pair.standby.query(`select 1 as one where ${slot}`)).length > 0,
      { millis: 90_000, everyMillis: 200 }
    )
    const made: Array<string> = []
    const statuses = new Map<number, number>()
    const over = new AbortController()
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted; n++) {
        const status = await statusOf(`site-${n}`)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 201) made.push(`site-${n}`)
        else await pause(50)
      }
    })()
    await eventually("sites are created", () => made.length > 50, { millis: 60_000 })
    await pair.failOver()
    const before = made.length
    await eventually("sites are created on the promoted server", () => made.length > before + 50, { millis: 90_000 })
    over.abort()
    await writing
    const slugs = () =>
      receiver.received.map(
        ({ body }) => (JSON.parse(body.toString()) as { readonly data: { slug: string } }).data.slug
      )
    await eventually("all are delivered", () => made.every((slug) => slugs().includes(slug)), {
      millis: 90_000,
      everyMillis: 500
    })
    const ids = receiver.received.map(({ headers }) => String(headers["x-hook-delivery"]))
    expect(ids.length - new Set(ids).size).toBe(0)
    expect([...statuses.keys()].filter((status) => status === 500)).toEqual([])
    expect(service.output()).not.toContain("gap")
  })
})
