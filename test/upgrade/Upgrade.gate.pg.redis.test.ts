/**
 * This version on the stores of each release that has a fixture, while writers write: nothing is lost or changed.
 * A process, because its output is read.
 */
import { createHmac } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { tableOf } from "../../src/inventory/derive/table/TableOf.ts"
import { named, provision, request } from "../support/Client.ts"
import { type TestDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { openSql } from "../support/Sql.ts"
import { eventually } from "../support/Eventually.ts"
import { type Fixture, load, readFixture, releases } from "./Fixture.ts"
import { type FixtureReceiver, known, startFixtureReceiver } from "./World.ts"

/** Pause between two transactions of the writer in SQL, and between two requests, milliseconds. */
const pauseMillis = 30

/** Rounds of each writer when the service is ready. */
const roundsAfterwards = 30

/** Webhooks that fire for every change of a site. */
const everySite = ["sites", "ordered", "scoped"]

type Row = Readonly<Record<string, unknown>> & { readonly id: number }

interface Event {
  readonly data: { readonly name: string; readonly description: string }
}

/** Rows by the names of their tables. */
type Rows = ReadonlyMap<string, ReadonlyArray<Row>>

/** Rows that a start must leave as they are: objects, and records of what has ended. */
const settledRows = async ({ sql }: TestDatabase): Promise<Rows> => {
  // A release has no tables of later object types.
  const there = await sql.query<{ readonly name: string }>("select relname as name from pg_class where relkind = 'r'")
  const names = new Set(there.map(({ name }) => name))
  const objects = [...registry.values()].filter(
    ({ kind, isReadOnly, table }) => kind === "object" && !isReadOnly && names.has(table)
  )
  const rows = new Map<string, ReadonlyArray<Row>>()
  for (const [table, where] of [
    ...objects.map(({ table }) => [table, "true"] as const),
    ["extras_objectchange", "true"] as const,
    ["extras_delivery", "status in ('successful', 'discarded')"] as const,
    ["extras_replay", "true"] as const,
    ["rackwire_attempt", "true"] as const,
    ["rackwire_set_aside", "true"] as const
  ]) {
    const found = await sql.query<{ readonly row: Row }>(`select to_jsonb(t) as row from ${table} t where ${where}`)
    rows.set(
      table,
      found.map(({ row }) => row)
    )
  }
  return rows
}

describe.each(releases())("the stores of Rackwire %s", (release) => {
  let fixture: Fixture
  let database: TestDatabase
  let receiver: FixtureReceiver
  let service: ServiceProcess
  let before: Rows
  /** Descriptions that were committed, by the name of the site. */
  const written = new Map<string, ReadonlyArray<string>>()
  const over = new AbortController()
  /** How often each writer committed. */
  const rounds = { sql: 0, api: 0 }

  const note = (name: string, description: string) => written.set(name, [...(written.get(name) ?? []), description])

  const writeSql = async () => {
    const sql = openSql(database.databaseUrl)
    for (let round = 0; !over.signal.aborted; round++) {
      const names = [0, 1, 2].map((n) => `sql ${round % 20} ${n}`)
      const statement =
        round < 20
          ? "insert into dcim_site (name, slug, description) select n, replace(n, ' ', '-'), $2 from unnest($1::text[]) n"
          : "update dcim_site set description = $2 where name = any($1::text[])"
      await sql.query(statement, [names, `${round}`])
      for (const name of names) note(name, `${round}`)
      rounds.sql++
      await pause(pauseMillis)
    }
    await sql.close()
  }

  const writeApi = async () => {
    const path = "/api/dcim/sites/"
    const { json } = await service.call<{ readonly id: number }>("POST", path, { ...named("api"), description: "0" })
    note("api", "0")
    for (let round = 1; !over.signal.aborted; round++) {
      const { status } = await service.call("PATCH", `${path}${json.id}/`, { description: `${round}` })
      expect(status).toBe(200)
      note("api", `${round}`)
      rounds.api++
      await pause(pauseMillis)
    }
  }

  beforeAll(async () => {
    fixture = readFixture(release)
    database = await makeEmptyDatabase()
    receiver = await startFixtureReceiver()
    await load(fixture, database, new URL(receiver.url).host)
    before = await settledRows(database)
    const writing = writeSql()
    await eventually("some was written before the start", () => written.size >= 10)
    service = await startProcess({
      DATABASE_URL: database.databaseUrl,
      REDIS_URL: database.redisUrl,
      RACKWIRE_SLOT: database.slot,
      SECRET_KEY: fixture.secretKey,
      SUPERUSER_PASSWORD: fixture.password,
      // The fixture gets older.
      CHANGELOG_RETENTION: "36500",
      DELIVERY_RETENTION: "36500"
    })
    const asking = writeApi()
    const until = { sql: rounds.sql + roundsAfterwards, api: roundsAfterwards }
    const areDone = () => rounds.sql >= until.sql && rounds.api >= until.api
    await eventually("both writers went on", areDone)
    over.abort()
    await Promise.all([writing, asking])
  })

  afterAll(async () => {
    await service?.stop()
    receiver.close()
    await database.drop()
  })

  it("keep every object, and the logs of what has ended", async () => {
    const after = await settledRows(database)
    for (const [table, rows] of before) {
      expect([table, rows.length]).not.toEqual([table, 0])
      const kept = new Map(after.get(table)!.map((row) => [row.id, row]))
      expect([table, rows.map(({ id }) => kept.get(id))]).toMatchObject([table, rows])
    }
  })

  it("lose the indexes that are not declared any more", async () => {
    const declared = new Map(
      [...registry.values()]
        .map(tableOf)
        .map(({ name, indexes }) => [name, new Set(indexes.map((index) => index.name))])
    )
    const found = await database.sql.query<{ readonly name: string; readonly table: string }>(
      `select i.relname::text as name, t.relname::text as "table"
         from pg_index x join pg_class i on i.oid = x.indexrelid and i.relkind = 'i' and not i.relispartition
         join pg_class t on t.oid = x.indrelid
        where not x.indisunique and i.relname like '%\\_idx'`
    )
    expect(found.length).toBeGreaterThan(500)
    expect(found.filter(({ name, table }) => declared.get(table)?.has(name) === false)).toEqual([])
  })

  it("still know users by their passwords and tokens", async () => {
    expect(await provision(service.url)).toMatch(/^[0-9a-f]{40}$/)
    const call = (path: string) => request<{ readonly count: number }>(service.url, fixture.token, "GET", path)
    expect((await call("/api/dcim/sites/?q=Amsterdam")).json).toMatchObject({ count: 1 })
    // The user may view sites only.
    expect((await call("/api/dcim/regions/")).status).toBe(403)
  })

  it("give each delivery that was not done once, and those of a paused webhook when it is resumed", async () => {
    const { paused, ...others } = fixture.owed
    const owed = new Set(Object.values(others).flat())
    const missing = () => [...owed.difference(new Set(receiver.arrivals.map(({ delivery }) => delivery)))]
    await expect.poll(missing).toEqual([])
    const isPaused = ({ webhook }: { readonly webhook: string }) => webhook === "paused"
    expect(receiver.arrivals.filter(isPaused)).toEqual([])
    const { results } = (
      await service.call<{ readonly results: ReadonlyArray<Row> }>("GET", "/api/extras/webhooks/?name=paused")
    ).json
    await service.call("POST", `/api/extras/webhooks/${results[0]!.id}/resume/`)
    await expect.poll(() => receiver.arrivals.filter(isPaused).length).toBe(paused!.length)
  })

  it("give each event of a change before, during and after the start once, in the order of its object", async () => {
    const changes = [...written].flatMap(([name, all]) => all.map((description) => `${name}: ${description}`))
    const arrivedAt = (webhook: string) =>
      receiver.arrivals.flatMap((arrival) => {
        if (arrival.webhook !== webhook) return []
        const { data } = JSON.parse(arrival.body) as Event
        return written.has(data.name) ? `${data.name}: ${data.description}` : []
      })
    expect(changes.length).toBeGreaterThan(200)
    for (const webhook of everySite) {
      await eventually(`all of ${webhook}`, () => new Set(arrivedAt(webhook)).size >= changes.length, {
        millis: 60_000
      })
      expect(arrivedAt(webhook).toSorted()).toEqual(changes.toSorted())
    }
    const order = Map.groupBy(arrivedAt("ordered"), (text) => text.slice(0, text.indexOf(":")))
    for (const [name, all] of written) {
      expect(order.get(name)).toEqual(all.map((description) => `${name}: ${description}`))
    }
    expect(arrivedAt("conditional").length).toBeGreaterThan(changes.length / 2)
  })

  it("send nothing that nobody is owed", () => {
    const isOld = ({ body }: { readonly body: string }) =>
      !body.startsWith("{") || !written.has((JSON.parse(body) as Event).data.name)
    const old = Map.groupBy(receiver.arrivals.filter(isOld), ({ webhook }) => webhook)
    for (const [webhook, ids] of Object.entries(fixture.owed)) {
      const arrived = (old.get(webhook) ?? []).map(({ delivery }) => delivery)
      expect([webhook, ...arrived.toSorted()]).toEqual([webhook, ...ids])
    }
  })

  it("open the sealed secrets", () => {
    const first = (webhook: string) => receiver.arrivals.find((arrival) => arrival.webhook === webhook)!
    const sites = first("sites")
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
    expect(sites.headers).toMatchObject({
      authorization: known.bearer,
      "x-kind": "sites",
      "x-hook-signature": createHmac("sha512", known.secret).update(sites.body).digest("hex")
    })
    expect(first("basic").headers.authorization).toBe(basic(known.basic))
    expect(first("oauth").headers.authorization).toBe("Bearer token")
    expect(receiver.clients).toContain(basic(`rackwire:${known.clientSecret}`))
    const { headers, body } = first("standard")
    const signed = `${headers["webhook-id"] as string}.${headers["webhook-timestamp"] as string}.${body}`
    const signature = createHmac("sha256", Buffer.alloc(24, 1)).update(signed).digest("base64")
    expect(headers["webhook-signature"]).toContain(signature)
  })

  it("go on in the same epoch, without a gap, and keep their templates", async () => {
    expect(await database.sql.query("select number::int as number from rackwire_epoch")).toEqual([{ number: 0 }])
    expect(await database.sql.query("select reason from rackwire_gap")).toEqual([])
    for (const engine of ["jinja", "liquid", "nunjucks"]) {
      expect(receiver.arrivals.find(({ webhook }) => webhook === engine)!.body).toBe("SEVEN")
    }
    expect(service.output()).not.toMatch(/ERROR|defect/)
  })
})
