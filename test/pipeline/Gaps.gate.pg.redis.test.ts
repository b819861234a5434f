/**
 * Changes that capture cannot see, or not whole: they are noticed, repaired where that is possible, and a gap.
 * A process, because it is killed.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApiProcess } from "../support/Api.ts"
import { provision, request } from "../support/Client.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { runCommand } from "../support/Command.ts"
import { thoroughly } from "../support/Seed.ts"

/** Capture compares and repairs more often than it would. */
const pace = 0.2

let api: Api<ServiceProcess>
let receiver: Receiver
let made = 0

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApiProcess({}, { pace })
  await api.call("POST", "/api/extras/webhooks/", {
    name: "all",
    content_types: ["dcim.site", "extras.tag"],
    type_create: true,
    type_update: true,
    type_delete: true,
    payload_url: receiver.url
  })
  await arrives()
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

const sql = <A extends object>(statement: string) => api.database.sql.query<A>(statement)

/** Inserts a site of a new name, and returns it. */
const insertSite = async (): Promise<string> => {
  const name = `site-${++made}`
  await sql(`insert into dcim_site (name, slug) values ('${name}', '${name}')`)
  return name
}

/** Inserts a site and waits for its event. */
const arrives = async (): Promise<void> => {
  const name = await insertSite()
  await receiver.until(({ body }) => body.includes(`"slug":"${name}"`), name)
}

interface Gap {
  readonly cause: string
  readonly reason: string
  readonly object_types: ReadonlyArray<string> | null
  readonly has_end: boolean
  /** Whether the last change of `unseen` may lie in it. */
  readonly holds: boolean
}

/** Between which times the last change was committed that capture could not see. */
let changed = { after: "now", before: "now" }

/** Makes a change that capture cannot see; it may be noticed and repaired before this returns. */
const unseen = async (change: () => Promise<unknown>): Promise<void> => {
  const clock = async () => (await sql<{ at: string }>("select clock_timestamp()::text as at"))[0]!.at
  const after = await clock()
  await change()
  changed = { after, before: await clock() }
}

/** Waits for a gap with this in its reason that has an end. */
const gap = (reason: string): Promise<Gap> => eventually(`a gap: ${reason}`, async () => (await gaps(reason))[0])

const gaps = (reason: string) =>
  sql<Gap>(
    `select cause, reason, object_types, until is not null and to_position > from_position as has_end,
            since <= '${changed.before}'::timestamptz and until >= '${changed.after}'::timestamptz as holds
       from rackwire_gap where acknowledged is null and reason like '%${reason}%' and until is not null`
  )

const acknowledgeAll = () => sql("update rackwire_gap set acknowledged = now() where acknowledged is null")

describe("a publication that is changed", () => {
  it.each([
    ["lacks a table", "alter publication rackwire drop table dcim_site", "lacked dcim_site", ["dcim.site"]],
    ["lacks an operation", "alter publication rackwire set (publish = 'delete')", "left out operations", null],
    [
      "lacks columns",
      "alter publication rackwire drop table extras_tag; alter publication rackwire add table extras_tag (id, name)",
      "left out rows or columns of extras_tag",
      ["extras.tag"]
    ],
    [
      "lacks rows",
      "alter publication rackwire drop table dcim_site; alter publication rackwire add table dcim_site where (id < 0)",
      "left out rows or columns of dcim_site",
      ["dcim.site"]
    ],
    [
      "is changed and changed back",
      "alter publication rackwire drop table dcim_site; insert; alter publication rackwire add table dcim_site",
      "changed and changed back",
      null
    ]
  ])("and %s is repaired, and the span is a gap", async (_, statements, reason, types) => {
    await unseen(async () => {
      for (const statement of statements.split("; ")) await (statement === "insert" ? insertSite() : sql(statement))
    })
    expect(await gap(reason)).toMatchObject({ cause: "publication", object_types: types, has_end: true, holds: true })
    await expect.poll(() => api.service.output()).toContain(reason)
    await arrives()
    await acknowledgeAll()
  })

  it("and dropped is made again, also if the WAL cannot be decoded between", async () => {
    await unseen(() => sql("drop publication rackwire"))
    await insertSite()
    expect(await gap("was dropped")).toMatchObject({ has_end: true, holds: true })
    await arrives()
    // One cause is one gap, also where Postgres before 18 could not decode the WAL between.
    const found = await sql<{ reason: string }>("select reason from rackwire_gap where acknowledged is null")
    expect(found).toEqual([{ reason: expect.stringContaining("was dropped") as string }])
    expect(await gap("was dropped")).toMatchObject({ has_end: true, holds: true })
    await acknowledgeAll()
  })
})

describe("a TRUNCATE", () => {
  it("is refused with the replica role too", async () => {
    const truncate = ["set session_replication_role = replica", "truncate extras_journalentry"]
    await expect(api.database.superuser.transaction(...truncate)).rejects.toThrow("would go unseen")
  })

  it("is a gap if somebody disabled its trigger", async () => {
    await sql("alter table extras_journalentry disable trigger extras_journalentry_no_truncate")
    await sql("truncate extras_journalentry")
    const found = await eventually("a gap", async () => (await gaps("truncate"))[0])
    expect(found).toMatchObject({ object_types: ["extras.journalentry"] })
    expect(found.reason).toContain("extras.journalentry truncated")
    await acknowledgeAll()
  })
})

describe("a table that lost its replica identity", () => {
  it("is a gap", async () => {
    await unseen(() => sql("alter table extras_tag replica identity default"))
    expect(await gap("extras_tag had lost its replica identity")).toMatchObject({
      cause: "identity",
      object_types: ["extras.tag"],
      holds: true
    })
    await acknowledgeAll()
  })
})

describe("a heartbeat", () => {
  it("that somebody else wrote changes no lag", async () => {
    for (const content of ["0", "-1e12", "9e99", "x"])
      for (const version of ["v1", "v2"])
        await sql(`select pg_logical_emit_message(true, 'rackwire:beat:${version}', '${content}')::text`)
    await arrives()
    const { text } = await api.raw("GET", "/metrics")
    const [, lag] = /^rackwire_capture_lag_seconds (.+)$/m.exec(text) ?? []
    expect(Number(lag)).toBeGreaterThanOrEqual(0)
    expect(Number(lag)).toBeLessThan(60)
  })
})

thoroughly("while the service is away", () => {
  const rackwire = (...args: ReadonlyArray<string>) => runCommand(args, { env: environmentOf(api.database), pace })

  let missed: Readonly<Record<"created" | "updated", string>>

  const bodiesOf = (slug: string) =>
    receiver.received
      .map(({ body }) => JSON.parse(body.toString()) as { event: string; data: { slug: string }; snapshots: object })
      .filter(({ data }) => data.slug === slug)

  /** Events made of rows written in the gap arrive, and once only. */
  const expectRefilled = async (id: string) => {
    // With the three that were missed in the gaps above, less than an hour ago.
    expect((await rackwire("replay", "--gap", id, "--dry-run")).output).toContain("dcim.site: 5 rows would be queued")
    expect(await rackwire("replay", "--gap", id)).toMatchObject({
      code: 0,
      output: expect.stringContaining("dcim.site: 5 rows queued")
    })
    await receiver.untilAll(() => bodiesOf(missed.created).length > 0)
    await arrives()
    expect(bodiesOf(missed.created)).toMatchObject([{ event: "created", snapshots: { prechange: null } }])
    expect(bodiesOf(missed.updated).at(-1)).toMatchObject({
      event: "updated",
      snapshots: { prechange: null, postchange: { description: "in the gap" } }
    })
    expect((await rackwire("replay", "--gap", id)).output).toContain("No row was changed in the gap")
    expect(await rackwire("replay", "--gap", "999")).toMatchObject({ code: 1 })
    expect(await rackwire("replay")).toMatchObject({ code: 1 })
    // Another one's message is none of ours, and neither is ours in another transaction.
    await sql(
      `select pg_logical_emit_message(true, 'rackwire:row:v1', '{"type":"dcim.site","kind":"created","row":{"id":1}}')::text`
    )
    const before = receiver.received.length
    await arrives()
    expect(receiver.received.length).toBe(before + 1)
  }

  it("a changed publication is noticed at the next start, and a lost slot too", async () => {
    await api.service.stop("SIGKILL")
    await unseen(() => sql("alter publication rackwire drop table dcim_site"))
    await insertSite()
    let again = await startProcess(environmentOf(api.database), { pace })
    expect(await gap("lacked dcim_site")).toMatchObject({ holds: true })
    await arrives()
    await acknowledgeAll()
    await again.stop("SIGKILL")
    await eventually("the slot is dropped", () =>
      sql(`select pg_drop_replication_slot('${api.database.slot}')::text`).then(
        () => true,
        () => false
      )
    )
    await unseen(async () => {
      missed = { created: await insertSite(), updated: "site-1" }
      await sql("update dcim_site set description = 'in the gap' where slug = 'site-1'")
    })
    again = await startProcess(environmentOf(api.database), { pace })
    try {
      expect(await gap("is missing")).toMatchObject({ cause: "slot", object_types: null, holds: true })
      await arrives()
      const told = await rackwire("check")
      expect([told.code, told.output]).toEqual([
        1,
        expect.stringMatching(/CHANGE gap: \d+: from \S+ to \S+, .*is missing/)
      ])
      // The processes that were killed are listed for a while, and this one tells of the gap with its next heartbeat.
      const token = await provision(again.url)
      const capturing = async () => {
        type Status = { processes: ReadonlyArray<{ parts: { capture: object } }> }
        const { json } = await request<Status>(again.url, token, "GET", "/api/status/")
        return json.processes.map(({ parts }) => parts.capture)
      }
      const expected = expect.objectContaining({ gaps: 1, gap: expect.stringContaining("is missing") })
      await expect.poll(capturing).toContainEqual(expected)
      await expectRefilled(/CHANGE gap: (\d+)/.exec(told.output)![1]!)
      const [, id] = /CHANGE gap: (\d+)/.exec(told.output) ?? []
      expect(await rackwire("gaps", "--acknowledge", id!)).toMatchObject({ code: 0 })
      expect(await rackwire("gaps", "--acknowledge", id!)).toMatchObject({ code: 1 })
      expect(await rackwire("gaps")).toMatchObject({ output: expect.stringContaining("There are no gaps.") })
      // `check` reads what the process wrote with its last heartbeat.
      await expect.poll(capturing).not.toContainEqual(expected)
      const well = { code: 0, output: expect.stringContaining("checks are well") }
      await expect.poll(() => rackwire("check")).toMatchObject(well)
    } finally {
      await again.stop()
    }
  })

  it("and its database is restored on another server, that is one gap with every reason", async () => {
    // As a dump leaves it there: no slot, and an epoch that tells of the other server.
    await sql(`select pg_drop_replication_slot('${api.database.slot}')::text`)
    await sql("update rackwire_epoch set system_id = '1' where number = (select max(number) from rackwire_epoch)")
    // The publication is another one, and somebody left the replica identities out.
    const [published] = await sql<{ tables: string }>(
      "select string_agg(tablename, ', ') as tables from pg_publication_tables where pubname = 'rackwire'"
    )
    await sql("drop publication rackwire")
    await sql(`create publication rackwire for table ${published!.tables}`)
    await unseen(() => sql("alter table extras_tag replica identity default"))
    const again = await startProcess(environmentOf(api.database), { pace })
    try {
      await arrives()
      const found = await sql<{ cause: string; reason: string }>(
        "select cause, reason from rackwire_gap where acknowledged is null"
      )
      const reasons = /is missing: .*; the publication rackwire was changed and changed back; extras_tag had lost/
      expect(found).toEqual([{ cause: "slot", reason: expect.stringMatching(reasons) as string }])
      expect(await gap("is missing")).toMatchObject({ object_types: null, has_end: true, holds: true })
    } finally {
      await again.stop()
    }
  })
})
