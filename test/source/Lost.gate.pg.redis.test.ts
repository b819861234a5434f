/** Sources whose slot is lost, that are polled, and of other releases: what the WAL does not have is read from the table. */
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { type Api, startApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { servers } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { isThorough, thorough, thoroughly } from "../support/Seed.ts"
import { type Sql, openSql } from "../support/Sql.ts"
import {
  type Attached,
  attach,
  dropSlot,
  enable,
  expectEvents,
  eventsOf,
  expectedOf,
  gapsOf,
  reading
} from "./Attached.ts"
import type { Release } from "./NetBoxModels.ts"
import type { NetBoxWriter, OpenRequest } from "./NetBoxWriter.ts"
import { writeEverything } from "./Scenario.ts"
import { openSession } from "./Session.ts"

let server: Sql
let sharedApi: Api

beforeAll(async () => {
  server = openSql(servers.superuserUrl)
  sharedApi = await startApi({}, { pace: 0.2 })
  return async () => {
    await sharedApi.stop()
    await server.close()
  }
})

let attached: Attached | undefined

afterEach(async () => {
  await attached?.stop()
  attached = undefined
})

const started = async (release: Release, fields: Json = {}): Promise<Attached> =>
  (attached = await attach(release, fields, { sharedApi }))

/** Waits until the source is failing; returns the note of its state. */
const failing = async ({ api, source }: Pick<Attached, "api" | "source">) => {
  let note = ""
  await eventually("the source is failing", async () => {
    const { json } = await api.call<Json>("GET", `/api/extras/sources/${source}/`)
    note = String(json["status_note"])
    return json["status"] === "failing"
  })
  return note
}

describe.each(isThorough ? (["3.1", "3.5", "4.2"] as const) : [])("a NetBox %s", (release) => {
  it("gives one event for each object of each transaction", async () => {
    const own = await started(release)
    await writeEverything(own.writer)
    await expectEvents(own)
    await own.writer.retire(10)
    await own.writer.request((request) => request.create("dcim.site", { name: "after retention" }))
    await expectEvents(own)
  })
})

describe("a source whose slot is lost", () => {
  it("gets the changes since from the table, each once", async () => {
    const own = await started("4.2")
    const { writer } = own
    // Open when the slot is lost: its rows have lower ids than rows that were read.
    const open = await writer.begin({ connection: 2 })
    await open.request.create("dcim.site", { name: "open for long" })
    await writer.request((request) => request.create("dcim.site", { name: "before" }))
    await expectEvents(own)
    await enable(own, false)
    await dropSlot(own)
    let site = 0
    await writer.request(async (request) => {
      site = await request.create("dcim.site", { name: "without a slot" }, { tags: [] })
    })
    await writer.request((request) => request.update("dcim.site", site, { facility: "x" }))
    await open.commit()
    await writer.request((request) => request.delete("dcim.site", site))
    await enable(own, true)
    await writer.request((request) => request.create("dcim.site", { name: "after" }))
    await expectEvents(own, "objects")
    expect(await gapsOf(own)).toEqual([])
  })

  thorough("gets the changes since where another process made the slot and died before it read them", async () => {
    const own = await started("4.2")
    const { writer, netbox } = own
    await writer.request((request) => request.create("dcim.site", { name: "before" }))
    await expectEvents(own)
    await enable(own, false)
    await dropSlot(own)
    await writer.request((request) => request.create("dcim.site", { name: "without a slot" }))
    await netbox.sql.query("select pg_create_logical_replication_slot($1, 'pgoutput')::text", [netbox.name])
    await writer.request((request) => request.create("dcim.site", { name: "with a slot that nobody reads" }))
    await enable(own, true)
    await writer.request((request) => request.create("dcim.site", { name: "after" }))
    await expectEvents(own, "objects")
    expect(await gapsOf(own)).toEqual([])
  })

  thorough("gets no change again that was read while an earlier transaction was open", async () => {
    const own = await started("4.2")
    const { writer } = own
    await writer.request((request) => request.create("dcim.site", { name: "before" }))
    await expectEvents(own)
    const open = await writer.begin({ connection: 2 })
    await open.request.create("dcim.site", { name: "open for long" })
    await writer.request((request) => request.create("dcim.site", { name: "meanwhile" }))
    await expectEvents(own)
    await enable(own, false)
    await dropSlot(own)
    await open.commit()
    // All rows of the user get another transaction's number.
    await writer.deleteUser("admin")
    await enable(own, true)
    await expectEvents(own)
    expect(await gapsOf(own)).toEqual([])
  })

  thorough("reports changes that retention has deleted meanwhile", async () => {
    const own = await started("4.2")
    const { writer, api, source } = own
    await writer.request((request) => request.create("dcim.site", { name: "before" }))
    await expectEvents(own)
    await enable(own, false)
    await dropSlot(own)
    await writer.request((request) => request.create("dcim.site", { name: "deleted by retention" }))
    const kept = await writer.request((request) => request.create("dcim.site", { name: "kept" }))
    await writer.retire(1)
    await enable(own, true)
    await eventually("the kept change is an event", async () => (await eventsOf({ api, source })).length === 2)
    expect((await eventsOf({ api, source })).slice(1)).toEqual(expectedOf([kept]))
    const [gap] = await gapsOf(own)
    expect(gap).toContain("its retention deleted the changes from 2 to 2")
  })

  it("drops the slot itself where the server keeps too much WAL for it", async () => {
    const own = await started("4.2", { wal_limit: 16 })
    const { writer, netbox } = own
    await writer.request((request) => request.create("dcim.site", { name: "before" }))
    await expectEvents(own)
    const holding = await writer.begin({ connection: 2 })
    await holding.request.create("dcim.site", { name: "open" })
    // The slot keeps the WAL from the beginning of the open transaction.
    const [end] = await netbox.sql.query<{ readonly lsn: string }>("select pg_current_wal_insert_lsn()::text as lsn")
    for (let part = 0; part < 3; part++) {
      await netbox.sql.query("select pg_logical_emit_message(false, 'filler', repeat('x', 10000000))::text")
    }
    await eventually("another slot is made", async () => {
      const later = "select 1 from pg_replication_slots where slot_name = $1 and restart_lsn >= $2::pg_lsn"
      return (await server.query(later, [netbox.name, end!.lsn])).length > 0
    })
    await holding.commit()
    await writer.request((request) => request.create("dcim.site", { name: "after" }))
    await expectEvents(own, "objects")
  })
})

const slotOf = (name: string) => server.query("select 1 from pg_replication_slots where slot_name = $1", [name])

describe("a source whose table is not published for a while", () => {
  it("gets the changes of that time from the table", async () => {
    const own = await started("4.2")
    const { api, source, writer, netbox } = own
    await writer.request((request) => request.create("dcim.site", { name: "before" }))
    await expectEvents(own)
    await netbox.sql.query(`alter publication rackwire drop table ${netbox.changeTable}`)
    await writer.request((request) => request.create("dcim.site", { name: "not published" }))
    await eventually("the source is failing", async () => {
      const { json } = await api.call<Json>("GET", `/api/extras/sources/${source}/`)
      return json["status"] === "failing" && String(json["status_note"]).includes("does not list")
    })
    await netbox.sql.query("drop publication rackwire")
    await reading(api, source)
    await writer.request((request) => request.create("dcim.site", { name: "after" }))
    await expectEvents(own)
    expect(await gapsOf(own)).toEqual([])
  })
})

thoroughly("a source whose publication is changed", () => {
  it("gets the changes that were not published, also where the table is added again at once", async () => {
    const own = await started("4.2")
    const { writer, netbox } = own
    await writer.request((request) => request.create("dcim.site", { name: "before" }))
    await expectEvents(own)
    await netbox.sql.query(`alter publication rackwire drop table ${netbox.changeTable}`)
    await writer.request((request) => request.create("dcim.site", { name: "not published" }))
    await failing(own)
    await netbox.sql.query(`alter publication rackwire add table ${netbox.changeTable}`)
    await reading(own.api, own.source)
    await writer.request((request) => request.create("dcim.site", { name: "after" }))
    await expectEvents(own)
    expect(await gapsOf(own)).toEqual([])
  })

  it("leaves a slot alone that somebody else reads", async () => {
    const own = await started("4.2")
    const { api, netbox } = own
    const slot = `${netbox.name}_other`
    await netbox.sql.query("select pg_create_logical_replication_slot($1, 'pgoutput')::text", [slot])
    const other = await Walsender.connect(addressOf(netbox.databaseUrl))
    const command = `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names 'rackwire')`
    const ignore = () => {}
    await other.stream(command, { onData: ignore, onKeepalive: ignore, onChunkEnd: ignore, onEnd: ignore })
    const read = () =>
      netbox.sql.query("select active_pid from pg_replication_slots where slot_name = $1 and active", [slot])
    const before = await read()
    const second = { name: "second", database_url: netbox.databaseUrl, slot, publication: "missing" }
    const source = await api.make("extras/sources", second)
    const note = await failing({ api, source })
    expect(note).toContain(`while a session reads the slot ${slot}: that session must end first`)
    expect([before.length, await read()]).toEqual([1, before])
    other.close()
    expect((await api.call("DELETE", `/api/extras/sources/${source}/`)).status).toBe(204)
  })
})

describe("a source that is new", () => {
  it.each(["stream", "poll"])("by %s is said to be read once it is stored where reading begins", async (mode) => {
    const { databaseUrl, sql } = sharedApi.database
    const holder = openSession(databaseUrl)
    await holder.query("begin")
    // A stricter lock is a write transaction, for which the slot would wait.
    await holder.query("lock table rackwire_source_change in share mode")
    const beginning = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%delete from rackwire_source_change%'`
    const statusAtBeginning = eventually("the beginning waits to be stored", async () => {
      if ((await sql.query(beginning)).length === 0) return undefined
      const [found] = await sql.query<{ readonly status: string }>("select status from extras_source")
      return found!.status
    }).finally(() => holder.close())
    const [own, status] = await Promise.all([attach("4.2", { mode }, { sharedApi }), statusAtBeginning])
    attached = own
    expect(status).not.toBe("reading")
    await own.writer.request((request) => request.create("dcim.site", { name: "after" }))
    await expectEvents(own)
  })
})

describe("a source that is polled", () => {
  it("gives the changes of a transaction that was open when it was attached, and none before", async () => {
    let open: OpenRequest | undefined
    const before = async (writer: NetBoxWriter) => {
      open = await writer.begin({ connection: 2 })
      await open.request.create("dcim.site", { name: "open" })
      await writer.request((request) => request.create("dcim.site", { name: "before" }))
    }
    attached = await attach("4.2", { mode: "poll" }, { sharedApi, before })
    await open!.commit()
    await attached.writer.request((request) => request.create("dcim.site", { name: "after" }))
    await expectEvents(attached)
  })

  thorough("gives no change again of which NetBox updates the row", async () => {
    const own = await started("4.2", { mode: "poll" })
    const { writer } = own
    await writer.request((request) => request.create("dcim.site", { name: "first" }), { user: "alice" })
    await expectEvents(own)
    await writer.request((request) => request.create("dcim.site", { name: "second" }))
    await expectEvents(own)
    // All rows of the user get another transaction's number.
    await writer.deleteUser("alice")
    await writer.request((request) => request.create("dcim.site", { name: "third" }))
    await expectEvents(own)
  })

  it("gives one event for each object of each request", async () => {
    const own = await started("4.2", { mode: "poll" })
    const { writer, netbox } = own
    let site = 0
    await writer.request(async (request) => (site = await request.create("dcim.site", { name: "polled" })))
    const late = await writer.begin({ connection: 1 })
    await late.request.create("dcim.site", { name: "late" })
    await writer.request((request) => request.update("dcim.site", site, { facility: "x" }))
    await expectEvents(own, "objects")
    await late.commit()
    await expectEvents(own, "objects")
    await writer.request((request) => request.delete("dcim.site", site))
    await expectEvents(own, "objects")
    expect(await slotOf(netbox.name)).toEqual([])
  })
})
