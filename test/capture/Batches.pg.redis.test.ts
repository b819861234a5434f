/** How the changes of many small transactions are stored together. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { openSql } from "../support/Sql.ts"

let api: Api
const sql = (statement: string) => api.database.sql.query<Record<string, unknown>>(statement)

beforeAll(async () => {
  api = await startApi()
})

afterAll(() => api.stop())

const tag = (name: string) => sql(`insert into extras_tag (name, slug) values ('${name}', '${name}')`)

/** The changes of tags in the change log, and the transactions that wrote them there. */
const logged = async () => {
  const [row] = await sql(`
    select count(*)::int as changes, count(distinct xmin::text)::int as transactions
      from extras_objectchange where changed_object_type = 'extras.tag'`)
  return row
}

/** Whether capture has read up to there: it reports that once a second, and only a superuser sees it. */
const hasRead = async (lsn: unknown) => {
  const [row] = await api.database.superuser.query<{ readonly done: boolean }>(`
    select write_lsn >= '${String(lsn)}'::pg_lsn as done from pg_replication_slots s
      join pg_stat_replication on pid = active_pid where slot_name = '${api.database.slot}'`)
  return row?.done
}

const changes = 20

describe("changes that come while others are being stored", () => {
  it("are stored together, however many transactions they come from", async () => {
    await tag("first")
    await expect.poll(logged).toEqual({ changes: 1, transactions: 1 })
    const locking = openSql(api.database.databaseUrl)
    await locking.query("begin")
    await locking.query("lock table extras_objectchange in share row exclusive mode")
    for (let n = 0; n < changes; n++) await tag(`tag-${n}`)
    const [end] = await sql("select pg_current_wal_lsn()::text as lsn")
    await expect.poll(() => hasRead(end!["lsn"])).toBe(true)
    await locking.query("rollback")
    await locking.close()
    // The one that was being stored, and all others.
    await expect.poll(logged).toEqual({ changes: changes + 1, transactions: 3 })
  })
})
