/** The fixture of NetBox against the facts of `netbox-changes`: its table, and what the WAL has of each transaction. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { servers } from "../support/Database.ts"
import type { CommittedTransaction, ExpectedEvent } from "./Expectation.ts"
import { type NetBoxDatabase, makeNetBox } from "./NetBoxDatabase.ts"
import { isAtLeast, releases } from "./NetBoxModels.ts"
import { NetBoxWriter, incompressible } from "./NetBoxWriter.ts"

/** A transaction as the WAL has it. */
interface WalTransaction {
  readonly inserted: ReadonlyArray<number>
  readonly updated: ReadonlyArray<number>
  readonly deleted: ReadonlyArray<number>
  /** Lines of `test_decoding` about the change table. */
  readonly lines: ReadonlyArray<string>
}

const walOf = async ({ sql, name, changeTable }: NetBoxDatabase): Promise<ReadonlyArray<WalTransaction>> => {
  const rows = await sql.query<{ readonly data: string }>(
    "select data from pg_logical_slot_get_changes($1, null, null)",
    [name]
  )
  const transactions: Array<Array<string>> = []
  for (const { data } of rows) {
    if (data.startsWith("BEGIN")) transactions.push([])
    else if (data.startsWith(`table public.${changeTable}:`)) transactions.at(-1)!.push(data)
  }
  const ids = (lines: ReadonlyArray<string>, action: string) =>
    lines.filter((line) => line.includes(`: ${action}: `)).map((line) => Number(/\bid\[\w+\]:(\d+)/.exec(line)![1]))
  return transactions
    .filter((lines) => lines.length > 0)
    .map((lines) => ({
      inserted: ids(lines, "INSERT"),
      updated: ids(lines, "UPDATE"),
      deleted: ids(lines, "DELETE"),
      lines
    }))
}

interface TableRow {
  readonly id: number
  readonly action: string
  readonly type: string
  readonly objectId: number
  readonly user: string
  readonly requestId: string
  readonly before: unknown
  readonly after: unknown
}

const rowsOf = async ({ sql, changeTable }: NetBoxDatabase): Promise<ReadonlyMap<number, TableRow>> => {
  const rows = await sql.query<{ readonly row: TableRow }>(
    `select jsonb_build_object('id', c.id, 'action', action, 'type', app_label || '.' || model, 'objectId', changed_object_id,
              'user', user_name, 'requestId', request_id, 'before', prechange_data, 'after', postchange_data) as row
       from ${changeTable} c join django_content_type t on t.id = changed_object_type_id`
  )
  return new Map(rows.map(({ row }) => [row.id, row]))
}

/** The event as the rows of the table have it. */
const inTable = (event: ExpectedEvent, rows: ReadonlyMap<number, TableRow>): ExpectedEvent => {
  const first = rows.get(event.changeIds[0]!)!
  const last = rows.get(event.changeIds.at(-1)!)!
  return {
    kind: first.action === "create" ? "created" : last.action === "delete" ? "deleted" : "updated",
    ...{ type: last.type, objectId: last.objectId, user: last.user, requestId: last.requestId },
    before: first.before as ExpectedEvent["before"],
    after: last.after as ExpectedEvent["after"],
    changeIds: event.changeIds
  }
}

const idsOf = ({ events }: CommittedTransaction) => events.flatMap(({ changeIds }) => changeIds)

const shown = ({ events }: CommittedTransaction) =>
  events.map(({ kind, type, objectId }) => `${kind} ${type} ${objectId}`)

const numeric = (a: number, b: number): number => a - b

describe.each(releases)("NetBox %s", (release) => {
  let netbox: NetBoxDatabase
  let writer: NetBoxWriter

  beforeAll(async () => {
    netbox = await makeNetBox(release, servers.superuserUrl)
    await netbox.sql.query("select pg_create_logical_replication_slot($1, 'test_decoding')::text", [netbox.name])
    writer = new NetBoxWriter(netbox)
    await writer.request(async (request) => {
      for (const name of ["core", "edge", "lab"]) await request.create("extras.tag", { name })
    })
  })
  afterAll(async () => {
    await writer.close()
    await netbox.drop()
  })

  test("has the change table with its columns, and the primary key as replica identity", async () => {
    const columns = await netbox.sql.query<{ readonly column: string; readonly type: string }>(
      `select attname::text as column, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = $1::text::regclass and attnum > 0`,
      [netbox.changeTable]
    )
    const id = isAtLeast(release, "3.2") ? "bigint" : "integer"
    expect(netbox.changeTable).toBe(isAtLeast(release, "4.1") ? "core_objectchange" : "extras_objectchange")
    expect(Object.fromEntries(columns.map(({ column, type }) => [column, type]))).toEqual({
      ...{ id, time: "timestamp with time zone", user_id: "integer", user_name: "character varying(150)" },
      ...{ request_id: "uuid", action: "character varying(50)", changed_object_type_id: "integer" },
      ...{ changed_object_id: id, related_object_type_id: "integer", related_object_id: id },
      ...{ object_repr: "character varying(200)", prechange_data: "jsonb", postchange_data: "jsonb" },
      ...(isAtLeast(release, "4.4") && { message: "character varying(200)" })
    })
    const [identity] = await netbox.sql.query("select relreplident::text as is from pg_class where relname = $1", [
      netbox.changeTable
    ])
    expect(identity).toEqual({ is: "d" })
  })

  test("writes snapshots of fields without _id, with sorted tags, and updates the row when tags are assigned", async () => {
    let site = 0
    const { events } = await writer.request(async (request) => {
      site = await request.create(
        "dcim.site",
        { name: "Berlin", latitude: "52.520000", custom_fields: { owner: "net" } },
        { tags: ["lab", "core"] }
      )
    })
    const [row] = await netbox.sql.query<{ readonly after: Record<string, unknown> }>(
      `select postchange_data as after from ${netbox.changeTable} where id = $1::text::bigint`,
      [`${events[0]!.changeIds[0]}`]
    )
    expect(row!.after).toMatchObject({
      ...{ name: "Berlin", slug: "Berlin", region: null, latitude: "52.520000" },
      ...{ custom_fields: { owner: "net" }, tags: ["core", "lab"] }
    })
    expect(Object.keys(row!.after)).not.toContain("region_id")
    const [wal] = (await walOf(netbox)).slice(-1)
    expect([wal!.inserted, wal!.updated]).toEqual([events[0]!.changeIds, events[0]!.changeIds])
    const tables = await netbox.sql.query(
      "select s.name, t.name as tag from dcim_site s join extras_taggeditem i on i.object_id = s.id join extras_tag t on t.id = i.tag_id where s.id = $1::text::bigint order by 2",
      [`${site}`]
    )
    expect(tables).toEqual([
      { name: "Berlin", tag: "core" },
      { name: "Berlin", tag: "lab" }
    ])
  })

  test("leaves a long state before out of an update that only 3.x makes of one column", async () => {
    const name = `large ${release}`
    const comments = incompressible(12_000, name)
    let site = 0
    await writer.request(async (request) => (site = await request.create("dcim.site", { name, comments })))
    await walOf(netbox)
    await writer.request((request) => request.update("dcim.site", site, { status: "retired" }, { tags: ["edge"] }))
    const update = (await walOf(netbox)).flatMap(({ lines }) => lines).find((line) => line.includes(": UPDATE: "))
    expect(update!.includes("prechange_data[jsonb]:unchanged-toast-datum")).toBe(!isAtLeast(release, "4.0"))
    expect(update).not.toContain("postchange_data[jsonb]:unchanged-toast-datum")
  })

  test("gives several saves several rows, of which a list changes all in 3.x and the newest in 4.x", async () => {
    let site = 0
    await writer.request(async (request) => (site = await request.create("dcim.site", { name: `twice ${release}` })))
    const { events } = await writer.request(async (request) => {
      await request.update("dcim.site", site, { facility: "a" })
      await request.update("dcim.site", site, { facility: "b" }, { tags: ["core"] })
    })
    expect(events).toMatchObject([
      { kind: "updated", before: { facility: "" }, after: { facility: "b", tags: ["core"] } }
    ])
    const rows = await rowsOf(netbox)
    const tags = events[0]!.changeIds.map((id) => (rows.get(id)!.after as { readonly tags: unknown }).tags)
    expect(tags).toEqual([isAtLeast(release, "4.0") ? [] : ["core"], ["core"]])
  })

  test("misses a list that is cleared, except tags in 4.6", async () => {
    let site = 0
    await writer.request(
      async (request) => (site = await request.create("dcim.site", { name: `clear ${release}` }, { tags: ["core"] }))
    )
    const { events } = await writer.request((request) => request.update("dcim.site", site, {}, { tags: [] }))
    expect(events).toMatchObject([{ after: { tags: release === "4.6" ? [] : ["core"] } }])
    const next = await writer.request((request) => request.update("dcim.site", site, { facility: "x" }))
    expect(next.events).toMatchObject([{ before: { tags: [] }, after: { tags: [] } }])
  })

  test("writes the rows of a cascade before its deletions, and of cleared references in 4.x", async () => {
    let [site, device, other, vlan] = [0, 0, 0, 0]
    const interfaces: Array<number> = []
    await writer.request(async (request) => {
      site = await request.create("dcim.site", { name: `doomed ${release}` })
      device = await request.create("dcim.device", { name: "sw1", site })
      other = await request.create("dcim.device", { name: "sw2" })
      vlan = await request.create("ipam.vlan", { name: "v", vid: 7, site })
      interfaces.push(await request.create("dcim.interface", { name: "e1", device }, { tagged_vlans: [vlan] }))
      interfaces.push(await request.create("dcim.interface", { name: "e2", device: other, untagged_vlan: vlan }))
      interfaces.push(await request.create("dcim.interface", { name: "e3", device: other }, { tagged_vlans: [vlan] }))
    })
    const deleted = await writer.request((request) => request.delete("dcim.site", site))
    expect(shown(deleted)).toEqual([
      `deleted dcim.interface ${interfaces[0]}`,
      `deleted dcim.device ${device}`,
      `deleted ipam.vlan ${vlan}`,
      ...(isAtLeast(release, "4.0")
        ? [`updated dcim.interface ${interfaces[1]}`, `updated dcim.interface ${interfaces[2]}`]
        : []),
      `deleted dcim.site ${site}`
    ])
    const [left] = await netbox.sql.query(
      `select (select count(*)::int from dcim_interface) as interfaces, (select count(*)::int from ipam_vlan) as vlans,
              (select count(*)::int from dcim_interface where untagged_vlan_id is not null) as assigned`
    )
    expect(left).toEqual({ interfaces: 2, vlans: 0, assigned: 0 })
  })

  test("leaves nothing of a request that is rolled back, but the gap in the ids", async () => {
    const before = writer.committed.length
    await walOf(netbox)
    const failing = writer.request(async (request) => {
      await request.create("dcim.site", { name: `lost ${release}` })
      throw new Error("refused")
    })
    await expect(failing).rejects.toThrow("refused")
    const { request, rollback } = await writer.begin({ user: "alice" })
    const zone = await request.create("netbox_dns.zone", { name: "example.com" })
    await rollback()
    expect([writer.committed.length, await walOf(netbox)]).toEqual([before, []])
    const next = await writer.request((again) => again.create("netbox_dns.zone", { name: "example.org" }))
    expect(next.events[0]!.objectId).toBeGreaterThan(zone)
  })

  test("commits transactions in another order than their ids", async () => {
    const first = await writer.begin({ connection: 0 })
    const second = await writer.begin({ connection: 1, user: "alice" })
    await first.request.create("dcim.site", { name: `first ${release}` })
    await second.request.create("dcim.site", { name: `second ${release}` })
    const [later, earlier] = [await second.commit(), await first.commit()]
    expect(idsOf(later)[0]).toBeGreaterThan(idsOf(earlier)[0]!)
    const wal = (await walOf(netbox)).slice(-2)
    expect(wal.map(({ inserted }) => inserted)).toEqual([idsOf(later), idsOf(earlier)])
  })

  test("writes a script of thousands of objects in one transaction", async () => {
    const names = Array.from({ length: 2500 }, (_, at) => ({ name: `zone ${at}`, description: `of ${release}` }))
    const { events } = await writer.request((request) => request.createMany("netbox_dns.zone", names))
    expect(events.length).toBe(names.length)
    const [wal] = (await walOf(netbox)).slice(-1)
    expect(wal!.inserted).toEqual(events.flatMap(({ changeIds }) => changeIds))
    expect(events.map(({ after }) => after!["name"])).toEqual(names.map(({ name }) => name))
  })

  test("commits each statement of a job by itself: a list amends the row of an earlier transaction", async () => {
    await walOf(netbox)
    const since = writer.committed.length
    await writer.job(async (job) => {
      const site = await job.create("dcim.site", { name: `job ${release}` }, { tags: ["lab"] })
      await job.update("dcim.site", site, { facility: "y" })
      await job.delete("dcim.site", site)
    })
    const own = writer.committed.slice(since)
    expect(own.map(({ events, amended }) => [events.map(({ kind }) => kind), amended.length])).toEqual([
      [["created"], 0],
      [[], 1],
      [["updated"], 0],
      [["deleted"], 0]
    ])
    const wal = await walOf(netbox)
    expect(wal.map(({ inserted }) => inserted.length)).toEqual([1, 0, 1, 1])
    expect(wal[1]!.updated).toEqual(own[1]!.amended.map(({ id }) => id))
  })

  test("keeps in its table what is expected of every event, until retention deletes it", async () => {
    const rows = await rowsOf(netbox)
    const events = writer.committed.flatMap((transaction) => transaction.events)
    const amended = new Map(writer.committed.flatMap((each) => each.amended).map((row) => [row.id, row]))
    const expected = events.map((event) => {
      const row = amended.get(event.changeIds.at(-1)!)
      return row === undefined ? event : { ...event, after: row.after }
    })
    expect(events.map((event) => inTable(event, rows))).toEqual(expected)
    const { retired } = await writer.retire(3)
    expect(retired).toEqual([...rows.keys()].toSorted(numeric).slice(0, -3))
    const [wal] = (await walOf(netbox)).slice(-1)
    expect([wal!.inserted, wal!.deleted.toSorted(numeric)]).toEqual([[], retired])
  })

  test("clears the user of old rows when the user is deleted", async () => {
    const { events } = await writer.request((request) => request.create("extras.tag", { name: "by alice" }), {
      user: "alice"
    })
    await walOf(netbox)
    const { amended } = await writer.deleteUser("alice")
    expect(amended.map(({ id }) => id)).toContain(events[0]!.changeIds[0])
    const [wal] = await walOf(netbox)
    expect([wal!.inserted, wal!.updated.toSorted(numeric)]).toEqual([[], amended.map(({ id }) => id).toSorted(numeric)])
    expect((await rowsOf(netbox)).get(events[0]!.changeIds[0]!)).toMatchObject({ user: "alice" })
  })
})
