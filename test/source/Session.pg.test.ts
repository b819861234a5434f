/** The connections of the fixture: a transaction ends with its connection. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { servers } from "../support/Database.ts"
import { type NetBoxDatabase, makeNetBox } from "./NetBoxDatabase.ts"
import { NetBoxWriter } from "./NetBoxWriter.ts"

let netbox: NetBoxDatabase
let writer: NetBoxWriter

beforeAll(async () => {
  netbox = await makeNetBox("4.6", servers.superuserUrl)
  writer = new NetBoxWriter(netbox)
})

afterAll(async () => {
  await writer.close()
  await netbox.drop()
})

test("a request whose connection is lost commits nothing, and the next one is written on another connection", async () => {
  const { request, commit } = await writer.begin()
  await request.create("dcim.site", { name: "lost" })
  await netbox.sql.query(
    "select pg_terminate_backend(pid)::text from pg_stat_activity where datname = current_database() and state = 'idle in transaction'"
  )
  await expect(commit()).rejects.toThrow(/connection|ECONNRESET/i)
  const { events } = await writer.request((next) => next.create("dcim.site", { name: "next" }))
  expect(writer.committed.map((each) => each.events)).toEqual([events])
  expect(await netbox.sql.query("select name::text from dcim_site")).toEqual([{ name: "next" }])
})
