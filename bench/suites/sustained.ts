/**
 * The highest rate of changes by SQL, one delivery each, that holds for a minute: 99 of 100 deliveries arrive within a
 * quarter of a second after their change was committed.
 *
 * The peer is what people build on Postgres alone: a trigger that queues a job of graphile-worker, and a worker that
 * signs and posts. It keeps no log.
 */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Sql, openSql } from "../../test/support/Sql.ts"
import { atRate } from "../Load.ts"
import { installPeers } from "../Peers.ts"
import { type Rackwire, startRackwire } from "../Rackwire.ts"
import { type BenchReceiver, startReceiver } from "../Receiver.ts"
import { type Contender, type Sample, type Suite, quantile } from "../Suite.ts"
import { usageOf } from "../Usage.ts"

/** Changes of a transaction: those who write by the thousand write several at once. */
const rows = 10

const latencyMax = 250
const secret = "bench"

/** Seconds of a trial, and of the run that counts. */
const trialSeconds = 6
const holdSeconds = 60

/** Changes a second: where the search begins, and where it ends. */
const [first, most] = [500, 32_000]

/** Steps between the last rate that held and the first one that did not. */
const steps = 3

/** How much slower the next run is where the rate of the trials does not hold for a minute. */
const slower = 0.9

const signs = 64

interface Held {
  readonly holds: boolean
  readonly p99: number
}

const hold = async (sql: Sql, receiver: BenchReceiver, table: string, rate: number, seconds: number): Promise<Held> => {
  const transactions = Math.ceil((rate * seconds) / rows)
  const mark = `${Date.now()}-${rate}`
  const began = performance.now()
  await atRate(transactions, rate / rows, (n) =>
    sql.query(
      `insert into ${table} (name, slug)
       select '${mark}-${n}-' || i, '${mark}-${n}-' || i from generate_series(1, ${rows}) i`
    )
  )
  // A rate that Postgres itself did not take is no rate.
  const isOnTime = performance.now() - began < seconds * 1000 + latencyMax
  const { latencies } = await receiver.untilTimed(transactions * rows)
  const p99 = quantile(latencies, 0.99)
  return { holds: isOnTime && p99 <= latencyMax, p99 }
}

const search = async (holds: (rate: number, seconds: number) => Promise<Held>): Promise<Sample> => {
  let [low, high] = [0, first]
  while (high <= most && (await holds(high, trialSeconds)).holds) [low, high] = [high, high * 2]
  for (let step = 0; step < steps; step++) {
    const middle = Math.round((low + high) / 2 / rows) * rows
    if ((await holds(middle, trialSeconds)).holds) low = middle
    else high = middle
  }
  for (let rate = low; rate > rows; rate = Math.round((rate * slower) / rows) * rows) {
    const { holds: isHeld, p99 } = await holds(rate, holdSeconds)
    if (isHeld) return { changes: rate, "99th percentile": p99 }
  }
  return { changes: 0, "99th percentile": Number.NaN }
}

const table = `
  create table site (id bigint generated always as identity primary key, name text unique, slug text unique,
    created timestamptz default now(), status text default 'active', comments text default repeat('x', 600))`

const trigger = `
  create function queue_delivery() returns trigger language plpgsql as $$
  begin
    perform graphile_worker.add_job('deliver', json_build_object('body', json_build_object('event', 'created',
      'timestamp', to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US+00:00'),
      'data', row_to_json(new))::text), max_attempts := 8);
    return null;
  end $$`

const startPeer = async (rackwire: Rackwire, receiver: BenchReceiver) => {
  installPeers()
  const databaseUrl = await rackwire.makeDatabase("bench_sustained")
  const program = fileURLToPath(new URL("../peers/graphile.mjs", import.meta.url))
  const worker: ChildProcess = fork(program, [databaseUrl, `${receiver.url}/timed`, secret, `${signs}`])
  await new Promise((resolve) => worker.once("message", resolve))
  const sql = openSql(databaseUrl)
  await sql.transaction(
    table,
    trigger,
    "create trigger queue after insert on site for each row execute function queue_delivery()"
  )
  return { worker, sql }
}

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const receiver = await startReceiver()
  const webhook = { name: "sustained", payload_url: `${receiver.url}/timed`, secret, max_in_flight: signs }
  await rackwire.webhook({ ...webhook, type_update: false, type_delete: false })
  const { worker, sql } = await startPeer(rackwire, receiver)
  const contender = (name: string, role: Contender["role"], from: Sql, into: string, pid: number): Contender => ({
    name,
    role,
    usage: () => usageOf(pid),
    turn: (round) =>
      // The first round only warms up.
      search((rate, seconds) => hold(from, receiver, into, rate, round === 0 ? Math.min(seconds, 5) : seconds))
  })
  return {
    title: `The highest rate of changes by SQL, ${rows} a transaction, that holds for ${holdSeconds} s within ${latencyMax} ms`,
    figures: [
      { name: "changes", unit: "per second", more: true },
      { name: "99th percentile", unit: "ms", more: false }
    ],
    rounds: 5,
    contenders: [
      contender("trigger and graphile-worker, no log", "peer", sql, "site", worker.pid!),
      contender("rackwire", "ours", rackwire.sql, "dcim_site", rackwire.pid())
    ],
    close: async () => {
      worker.disconnect()
      await sql.close()
      receiver.close()
      await rackwire.close()
    }
  }
}
