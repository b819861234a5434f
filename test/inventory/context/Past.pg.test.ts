/** Config contexts as of an earlier commit: the change log counts, and is waited for. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { pastSql } from "../../../src/inventory/context/Applied.ts"
import { type TestDatabase, makeDatabase } from "../../support/Database.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
})
afterAll(() => database.drop())

test("a context that has changed is as the change log says, which has the change a moment later", async () => {
  const query = async (text: string, values: ReadonlyArray<unknown> = []) =>
    (await database.sql.query(text, [...values])) as unknown as ReadonlyArray<Record<string, unknown>>
  // A context that was changed just now, whatever time passes until it is read.
  const write = `insert into extras_configcontext (id, name, data, last_updated)
    values (1, 'c', '{"v": 2}', now() + interval '1 hour') returning xmin::text::bigint::text as xid`
  const [written] = await query(write)
  const machine = { key: 0, position: "1", time: new Date().toISOString(), tags: [], bytes: 0 }
  const past = () => query(pastSql, [JSON.stringify([machine])])
  expect(await past()).toEqual([{ key: 0, data: [{ v: 2 }], isUnlogged: true }])
  await query("select rackwire_add_day('extras_objectchange', (now() + interval '2 hours')::date)::text")
  const before = { name: "c", weight: 1000, is_active: true, data: { v: 1 } }
  const log = (xid: unknown) =>
    query(
      `insert into extras_objectchange
         (time, request_id, user_name, action, changed_object_type, changed_object_id, object_repr, position, idx, xid,
          request, message, data, prechange_data, postchange_data)
       values (now() + interval '2 hours', gen_random_uuid(), '', 'update', 'extras.configcontext', 1, 'c', 2, $1, $1,
          'null', '', '{}', $2, '{}')`,
      [xid, JSON.stringify(before)]
    )
  // The change of another transaction does not mean that nothing is missing.
  await log("1")
  expect(await past()).toMatchObject([{ isUnlogged: true }])
  await log(written!["xid"])
  expect(await past()).toEqual([{ key: 0, data: [{ v: 1 }], isUnlogged: false }])
})
