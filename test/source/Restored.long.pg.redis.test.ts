/**
 * Sources whose database is restored from a backup. A test deletes the newest rows and sets the sequence back: so the ids
 * are used again, and the WAL of the server is past all places that were read, as after some time.
 */
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Json } from "../support/Client.ts"
import { servers } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type Sql, openSql } from "../support/Sql.ts"
import { type Attached, attach, enable, expectEvents, gapsOf } from "./Attached.ts"
import { openSession } from "./Session.ts"

let server: Sql

beforeAll(() => {
  server = openSql(servers.superuserUrl)
  return async () => server.close()
})

let attached: Attached | undefined

afterEach(async () => {
  await attached?.stop()
  attached = undefined
})

/** Attaches a NetBox that had changes before. */
const started = async (fields: Json = {}): Promise<Attached> =>
  (attached = await attach("4.2", fields, {
    before: (writer) =>
      writer.request((request) => request.createMany("netbox_dns.zone", [{ name: "old" }, { name: "older" }]))
  }))

const create = ({ writer }: Attached, name: string) =>
  writer.request((request) => request.create("dcim.site", { name }, { tags: [] }))

const lastIdOf = ({ writer }: Attached): number => writer.committed.at(-1)!.events.at(-1)!.changeIds.at(-1)!

/** Makes the change table as it was when this row was the last one. */
const goBackTo = ({ netbox }: Attached, id: number) =>
  netbox.sql.transaction(
    `lock table ${netbox.changeTable}`,
    `delete from ${netbox.changeTable} where id > ${id}`,
    `select setval(pg_get_serial_sequence('${netbox.changeTable}', 'id'), ${id})::text`
  )

/** Ends the reading; the slot is free then. */
const disable = async (own: Attached) => {
  await enable(own, false)
  await eventually("its slot is free", async () => {
    const rows = await server.query("select 1 as one from pg_replication_slots where slot_name = $1 and not active", [
      own.netbox.name
    ])
    return rows.length > 0
  })
}

const olderCopy = expect.stringContaining("its database is an older copy than was read")

describe("a source whose database is restored", () => {
  it("gives the changes since, though their ids were used before, and notes a gap", async () => {
    const own = await started()
    await create(own, "before")
    await create(own, "kept")
    const kept = lastIdOf(own)
    await create(own, "lost")
    await create(own, "lost too")
    await expectEvents(own)
    await disable(own)
    await goBackTo(own, kept)
    await create(own, "after")
    await enable(own, true)
    await expectEvents(own)
    for (let number = 0; number < 3; number++) await create(own, `later ${number}`)
    await expectEvents(own)
    expect(await gapsOf(own)).toEqual([olderCopy])
  })

  it("gives no change again whose event was not captured yet", async () => {
    const own = await started()
    const { api, source } = own
    await create(own, "before")
    await expectEvents(own)
    const holder = openSession(api.database.databaseUrl)
    await holder.query("begin")
    await holder.query("lock table extras_objectchange in share row exclusive mode")
    await create(own, "kept")
    const kept = lastIdOf(own)
    await create(own, "lost")
    const relayed = "select 1 as one from rackwire_source where last_change_id = $1::text::bigint"
    const last = [`${lastIdOf(own)}`]
    await eventually("all is relayed", async () => (await api.database.sql.query(relayed, last)).length > 0)
    await disable(own)
    await goBackTo(own, kept)
    await api.call("PATCH", `/api/extras/sources/${source}/`, { enabled: true })
    const waits = async () => {
      const { json } = await api.call<Json>("GET", `/api/extras/sources/${source}/`)
      return json["status"] === "failing" && String(json["status_note"]).includes("capture has not read yet")
    }
    // Its session ends after several seconds of waiting.
    await eventually("it waits for capture", waits)
    await holder.query("commit")
    await holder.close()
    await create(own, "after")
    await expectEvents(own)
    expect(await gapsOf(own)).toEqual([olderCopy])
  })

  it("gives the changes since where it lost none, and no place in the WAL shows that", async () => {
    const own = await started()
    const { api } = own
    await create(own, "before")
    await expectEvents(own)
    await disable(own)
    await create(own, "after")
    // The WAL that it lost was longer.
    const [end] = await server.query<{ readonly lsn: string }>("select pg_current_wal_insert_lsn()::text as lsn")
    await api.database.sql.query("update rackwire_source set confirmed_lsn = $1", [end!.lsn])
    await enable(own, true)
    await create(own, "later")
    await expectEvents(own)
    expect(await gapsOf(own)).toEqual([])
  })

  it("gives no change again that its slot has once more", async () => {
    const own = await started()
    const { name, sql } = own.netbox
    const copySlot = (from: string, to: string) =>
      sql.query("select pg_copy_logical_replication_slot($1, $2)::text", [from, to])
    const drop = (slot: string) => sql.query("select pg_drop_replication_slot($1)::text", [slot])
    await create(own, "before")
    await expectEvents(own)
    await disable(own)
    await copySlot(name, `${name}_copy`)
    await create(own, "kept")
    const kept = lastIdOf(own)
    await enable(own, true)
    await create(own, "lost")
    await expectEvents(own)
    await disable(own)
    await drop(name)
    await copySlot(`${name}_copy`, name)
    await drop(`${name}_copy`)
    await goBackTo(own, kept)
    // This WAL has the lost change too. It has the id of the next one, which is read from the table.
    await create(own, "after")
    await enable(own, true)
    await create(own, "later")
    await expectEvents(own)
    expect(await gapsOf(own)).toEqual([olderCopy])
  })

  it("gives the changes since where it is polled", async () => {
    const own = await started({ mode: "poll" })
    await create(own, "kept")
    const kept = lastIdOf(own)
    await create(own, "lost")
    await expectEvents(own)
    await goBackTo(own, kept)
    await create(own, "after")
    await expectEvents(own)
    expect(await gapsOf(own)).toEqual([olderCopy])
  })
})

describe("a source whose database is on another server", () => {
  it("gives the changes that it has more, and none again, and notes no gap", async () => {
    const own = await started()
    const { writer, api } = own
    let site = 0
    await writer.request(async (request) => {
      site = await request.create("dcim.site", { name: "before" })
      await request.update("dcim.site", site, { facility: "x" })
    })
    await expectEvents(own)
    await disable(own)
    // A dump: no slot, and a WAL that is shorter.
    await server.query("select pg_drop_replication_slot($1)::text", [own.netbox.name])
    await api.database.sql.query("update rackwire_source set system_id = '1', confirmed_lsn = 'FF/0'")
    await writer.request((request) => request.update("dcim.site", site, { facility: "y" }))
    await enable(own, true)
    await expectEvents(own)
    await writer.request((request) => request.delete("dcim.site", site))
    await expectEvents(own)
    expect(await gapsOf(own)).toEqual([])
  })
})
