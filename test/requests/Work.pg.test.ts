/** Work that waits in a table: one process takes each row, the oldest first. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, expect, it } from "vitest"
import { WorkRefused, workOffAll } from "../../src/requests/Work.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { onPool } from "../support/OnPool.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
})
afterAll(() => database.drop())

it("is done in the order of its requests, but for rows that another process works on", async () => {
  const { sql } = database
  await sql.query("create table work (id bigint primary key, status text, heard timestamptz, message text default '')")
  await sql.query(`
    insert into work (id, status, heard) values
      (1, 'queued', now()), (2, 'running', now()), (3, 'running', now() - interval '1 day'), (4, 'queued', now()),
      (5, 'cancelled', now()), (6, 'done', now())`)
  const done: Array<string> = []
  const work = ({ id }: { readonly id: string }) =>
    Effect.suspend(() => {
      done.push(id)
      return id === "3" ? Effect.fail(new WorkRefused({ message: "It is refused." })) : Effect.void
    })
  await onPool(database.databaseUrl, (sql) =>
    workOffAll("work", "status", work).pipe(Effect.provideService(SqlClient.SqlClient, sql))
  )
  expect(done).toEqual(["1", "3", "4"])
  expect(await sql.query("select id::int, status, message from work order by id")).toEqual([
    { id: 1, status: "done", message: "" },
    { id: 2, status: "running", message: "" },
    { id: 3, status: "failed", message: expect.stringContaining("It is refused.") },
    { id: 4, status: "done", message: "" },
    { id: 5, status: "cancelled", message: "" },
    { id: 6, status: "done", message: "" }
  ])
})
