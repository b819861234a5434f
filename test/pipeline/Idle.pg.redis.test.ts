/** A database without changes to inventory tables, for the heartbeats of one hour, while others write WAL. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { heartbeatPrefix } from "../../src/capture/fold/TransactionWindows.ts"
import { servers } from "../support/Database.ts"
import { type Api, startApi } from "../support/Api.ts"
import { openSql } from "../support/Sql.ts"

let api: Api
const sql = (statement: string) => api.database.sql.query<Record<string, unknown>>(statement)

beforeAll(async () => {
  api = await startApi()
})

/** Only a superuser makes checkpoints. */
const server = openSql(servers.superuserUrl)

afterAll(async () => {
  await server.close()
  await api.stop()
})

/** An hour of them, one every five seconds. */
const heartbeats = 720

describe("an idle database", () => {
  it("retains at most one WAL segment for the slot, however much other databases write", async () => {
    await sql("create table others (content text)")
    const [segment] = await sql("select setting::int as bytes from pg_settings where name = 'wal_segment_size'")
    const written = async () => (await sql("select pg_current_wal_insert_lsn()::text as lsn"))[0]!["lsn"]
    const before = await written()
    for (let turn = 0; turn < 4; turn++) {
      await sql(`do $$ begin
        for n in 1..${heartbeats / 4} loop
          perform pg_logical_emit_message(true, '${heartbeatPrefix}', (extract(epoch from clock_timestamp()) * 1000)::text);
          commit;
        end loop;
      end $$`)
      await sql("insert into others select repeat(md5(n::text), 30) from generate_series(1, 12000) n")
    }
    const [wal] = await sql(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '${String(before)}')::int as bytes`)
    expect(wal!["bytes"]).toBeGreaterThan(2 * Number(segment!["bytes"]))
    const retained = async () => {
      // Only a checkpoint lets a slot's restart move on; a server makes one every few minutes by itself.
      await server.query("checkpoint")
      const [slot] = await sql(
        `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), restart_lsn)::int as bytes
           from pg_replication_slots where database = current_database()`
      )
      return slot!["bytes"]
    }
    await expect.poll(retained, { interval: 200 }).toBeLessThanOrEqual(Number(segment!["bytes"]))
  })
})
