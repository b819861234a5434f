/**
 * Rows per second read from a replication slot: bulk updates and single-row transactions of realistic width.
 *
 * The floor is Postgres' own `pg_recvlogical` writing to /dev/null; the peer is what a Node program would use. Every
 * turn reads the same WAL, from a copy of one slot that nobody consumes.
 */
import { spawn } from "node:child_process"
import { Redis } from "ioredis"
import { parseLsn } from "../../src/event/Lsn.ts"
import { Pgoutput } from "../../src/capture/wal/Pgoutput.ts"
import { TransactionWindows } from "../../src/capture/fold/TransactionWindows.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { startProcess } from "../../test/support/Process.ts"
import { openSql } from "../../test/support/Sql.ts"
import { installPeers } from "../Peers.ts"
import { type Rackwire, startRackwire } from "../Rackwire.ts"
import type { Sample, Suite } from "../Suite.ts"
import { type Usage, usageOf } from "../Usage.ts"

/** Rows changed in bulk, and rows changed in a transaction each. */
const bulkRows = 200_000
const singleRows = 100_000
const rows = bulkRows + singleRows
const sites = 10_000

const base = "bench_base"
const publication = "rackwire"

/** Webhooks of the end-to-end contender; one in a hundred fires. */
const webhooks = 100

/** Lets a process capture for a moment: the WAL can only be read with the publication that it makes. */
const makePublication = async ({ databaseUrl, redisUrl, secretKey, sql }: Rackwire): Promise<void> => {
  const environment = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SECRET_KEY: secretKey, RACKWIRE_SLOT: "first" }
  const capture = await startProcess(environment, { roles: ["capture"] })
  await capture.stop()
  await sql.query("select pg_drop_replication_slot('first')::text")
}

const prepare = async ({ sql, service, superuserUrl }: Rackwire): Promise<string> => {
  await sql.query(`
    insert into dcim_site (name, slug, facility, physical_address, shipping_address, comments, latitude, longitude)
    select 'Site ' || n, 'site-' || n, 'F' || n, n || ' Long Street, Amsterdam', n || ' Short Street, Berlin',
           'installed by a contractor in the spring', 52.370216, 4.895168 from generate_series(1, ${sites}) n`)
  for (let n = 0; n < webhooks; n++) {
    await service.call("POST", "/api/extras/webhooks/", {
      name: `bench ${n}`,
      content_types: ["dcim.site"],
      type_update: true,
      payload_url: "http://127.0.0.1:9/",
      conditions: {
        and: [
          { attr: "facility", value: `F${n + 1}` },
          { attr: "status.value", value: "active" }
        ]
      }
    })
  }
  await sql.query(`select pg_create_logical_replication_slot('${base}', 'pgoutput')::text`)
  for (let done = 0; done < bulkRows; done += sites) {
    await sql.query(`update dcim_site set description = 'bulk ${done}'`)
  }
  await sql.query("set synchronous_commit = off")
  await sql.query(`do $$ begin
    for n in 1..${singleRows} loop
      update dcim_site set description = 'single ' || n where slug = 'site-' || (1 + n % ${sites});
      commit;
    end loop;
  end $$`)
  const [end] = await sql.query<{ readonly lsn: string }>("select pg_current_wal_insert_lsn()::text as lsn")
  await sql.query("select pg_logical_emit_message(true, 'bench', 'end')::text")
  const server = openSql(superuserUrl)
  await server.query("checkpoint")
  await server.close()
  return end!.lsn
}

/** Runs with a slot that stands where the base slot stands, and tells how fast it was read. */
const withSlot = async (rackwire: Rackwire, read: (slot: string) => Promise<number>): Promise<Sample> => {
  const slot = `bench_${Math.floor(performance.now())}`
  await rackwire.sql.query(`select pg_copy_logical_replication_slot('${base}', '${slot}')::text`)
  const millis = await read(slot)
  for (let turn = 0; turn < 100; turn++) {
    const dropped = await rackwire.sql
      .query(`select pg_drop_replication_slot('${slot}')::text`)
      .then(() => true)
      .catch(() => false)
    if (dropped) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { rows: rows / (millis / 1000) }
}

const floor = (url: string, end: string) => (slot: string) =>
  new Promise<number>((resolve, reject) => {
    const began = performance.now()
    const options = ["proto_version=1", `publication_names=${publication}`, "messages=true"].flatMap((option) => [
      "-o",
      option
    ])
    const child = spawn("pg_recvlogical", [
      "-d",
      url,
      "--slot",
      slot,
      "--start",
      "-f",
      "/dev/null",
      `--endpos=${end}`,
      ...options
    ])
    child.once("error", reject)
    child.once("exit", (code) =>
      code === 0 ? resolve(performance.now() - began) : reject(new Error(`pg_recvlogical: ${code}`))
    )
  })

const decodeAlone = (url: string, end: bigint) => async (slot: string) => {
  const began = performance.now()
  const walsender = await Walsender.connect(addressOf(url))
  let seen = 0
  await new Promise<void>((resolve, reject) => {
    const tracker = new TransactionWindows("bench", ({ changes, endLsn }) => {
      seen += changes.length
      if (endLsn !== undefined && endLsn >= end) resolve()
    })
    const decoder = new Pgoutput(tracker)
    const command = `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${publication}', messages 'true')`
    walsender
      .stream(command, {
        onData: (bytes, start, stop) => decoder.decode(bytes, start, stop),
        onKeepalive: () => walsender.sendStatus(0n, 0n),
        onChunkEnd: () => {},
        onEnd: reject
      })
      .catch(reject)
  })
  walsender.close()
  if (seen < singleRows) throw new Error(`only ${seen} changes seen`)
  return performance.now() - began
}

interface Peer {
  readonly LogicalReplicationService: new (
    config: object,
    options: object
  ) => {
    readonly on: (event: "data", listener: (lsn: string, message: { readonly tag: string }) => void) => void
    readonly subscribe: (plugin: object, slot: string) => Promise<unknown>
    readonly stop: () => Promise<unknown>
  }
  readonly PgoutputPlugin: new (options: object) => object
}

const peer = (url: string, end: bigint) => async (slot: string) => {
  const { LogicalReplicationService, PgoutputPlugin } = (await import(
    new URL("../peers/node_modules/pg-logical-replication/dist/index.js", import.meta.url).href
  )) as Peer
  const began = performance.now()
  const service = new LogicalReplicationService(
    { connectionString: url },
    { acknowledge: { auto: false, timeoutSeconds: 0 } }
  )
  await new Promise<void>((resolve, reject) => {
    service.on("data", (lsn, message) => {
      if (message.tag === "commit" && parseLsn(lsn) >= end) resolve()
    })
    const plugin = new PgoutputPlugin({ protoVersion: 1, publicationNames: [publication], messages: true })
    service.subscribe(plugin, slot).catch(reject)
  })
  const millis = performance.now() - began
  await service.stop()
  return millis
}

export default async (): Promise<Suite> => {
  installPeers()
  const rackwire = await startRackwire({}, { roles: ["api"] })
  await makePublication(rackwire)
  const end = await prepare(rackwire)
  const { databaseUrl, redisUrl, secretKey, sql } = rackwire
  // Each turn has a process of its own; it has used nothing before.
  let used: Usage = { cpuSeconds: 0, peakMegabytes: 0 }
  /** Reads with a service of its own that does nothing else, from a clean slate. */
  const wholeWay = async (slot: string) => {
    const redis = new Redis(redisUrl, { protocol: 2 })
    await redis.flushall()
    await redis.quit()
    await sql.query("truncate extras_objectchange")
    await sql.query("delete from rackwire_webhook_version")
    const environment = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      SECRET_KEY: secretKey,
      RACKWIRE_SLOT: slot,
      LOG_LEVEL: "Warn"
    }
    const service = await startProcess(environment, { roles: ["capture"] })
    const began = performance.now()
    for (;;) {
      const [done] = await sql.query<{ readonly done: boolean }>(
        `select confirmed_flush_lsn >= '${end}' as done from pg_replication_slots where slot_name = '${slot}'`
      )
      if (done!.done) break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const millis = performance.now() - began
    const last = usageOf(service.process.pid!)
    used = { cpuSeconds: used.cpuSeconds + last.cpuSeconds, peakMegabytes: last.peakMegabytes }
    await service.stop()
    return millis
  }
  return {
    title: `${rows.toLocaleString("en")} row changes from a slot, two thirds in bulk, the rest in transactions of one row`,
    figures: [{ name: "rows", unit: "per second", more: true }],
    rounds: 5,
    contenders: [
      { name: "pg_recvlogical to /dev/null", role: "floor", turn: () => withSlot(rackwire, floor(databaseUrl, end)) },
      {
        name: "pg-logical-replication",
        role: "peer",
        turn: () => withSlot(rackwire, peer(databaseUrl, parseLsn(end)))
      },
      {
        name: "rackwire, decode and fold",
        role: "ours",
        turn: () => withSlot(rackwire, decodeAlone(databaseUrl, parseLsn(end)))
      },
      {
        name: `rackwire, to ${webhooks} webhooks' streams`,
        role: "ours",
        usage: () => used,
        turn: () => withSlot(rackwire, wholeWay)
      }
    ],
    close: () => rackwire.close()
  }
}
