/** Goal: each prerequisite that a real Postgres lacks is found alone, and met by its own statements. */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { attachSql, detachSql, publicationSql, slotSql } from "../../src/attach/AttachSql.ts"
import type { AttachError } from "../../src/attach/AttachError.ts"
import { judge } from "../../src/attach/Prerequisites.ts"
import { freePorts } from "../../src/embedded/Ports.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { makeEmptyDatabase, servers } from "../support/Database.ts"
import { type OwnPostgres, makeOwnPostgres } from "../support/OwnPostgres.ts"
import { hasPgBouncer, startPgBouncer } from "../support/PgBouncer.ts"
import { type Sql, databaseAt, openSql } from "../support/Sql.ts"
import { type NetBoxDatabase, makeNetBox } from "../source/NetBoxDatabase.ts"
import { releases } from "../source/NetBoxModels.ts"
import { fewOf, thorough } from "../support/Seed.ts"
import { factsOf } from "./Reading.ts"

const walLimitMegabytes = 2048

const judged = async (url: string, slot?: string) => judge(await factsOf(url, slot), walLimitMegabytes)

const reasons = async (url: string, slot?: string) => (await judged(url, slot)).missing.map(({ reason }) => reason)

/** Runs what a prerequisite says, as an administrator. */
const meet = async (url: string, administrator: Sql, slot?: string) => {
  for (const { sql } of (await judged(url, slot)).missing) {
    for (const statement of sql) await administrator.query(statement)
  }
}

/** The statements of a script for psql. */
const statementsOf = (script: string): ReadonlyArray<string> =>
  script.split("\n").filter((line) => line !== "" && !/^(?:--|\\)/.test(line))

const password = "secret-of-the-reader"

describe("a role that reads a NetBox", () => {
  const role = `reader_${randomBytes(4).toString("hex")}`
  let netbox: NetBoxDatabase
  let administrator: Sql
  let url: string

  beforeAll(async () => {
    netbox = await makeNetBox("4.6", servers.superuserUrl)
    administrator = netbox.sql
    await administrator.query(`create role ${role} with login password '${password}'`)
    url = Object.assign(new URL(netbox.databaseUrl), { username: role, password }).href
  })
  afterEach(async () => {
    await administrator.query("drop publication if exists rackwire")
    await administrator.query(
      "select pg_drop_replication_slot(slot_name)::text from pg_replication_slots where slot_name = $1",
      [netbox.name]
    )
  })
  afterAll(async () => {
    await administrator.query(`drop owned by ${role}`)
    await administrator.query(`drop role ${role}`)
    await netbox.drop()
  })

  const prepared = async () => {
    for (const statement of statementsOf(attachSql(await factsOf(url, netbox.name), { role, isNew: false }))) {
      await administrator.query(statement)
    }
  }

  test("lacks everything at first, and nothing after the statements of each prerequisite", async () => {
    expect(await reasons(url, netbox.name)).toEqual(["Replication", "Select", "Publication"])
    await meet(url, administrator, netbox.name)
    expect(await reasons(url, netbox.name)).toEqual([])
  })

  test("lacks nothing after the script for an administrator, which can be undone and run again", async () => {
    await prepared()
    const facts = await factsOf(url, netbox.name)
    expect(judge(facts, walLimitMegabytes)).toEqual({ missing: [], risks: [] })
    expect([publicationSql(facts), slotSql(facts)]).toEqual([[], []])
    expect(facts.foundSlot).toEqual({ database: netbox.name, plugin: "pgoutput", isActive: false, isLost: false })
    for (const statement of statementsOf(detachSql(facts, { role, isNew: false }))) await administrator.query(statement)
    expect(await reasons(url, netbox.name)).toEqual(["Replication", "Select", "Publication"])
    await prepared()
    expect(await reasons(url, netbox.name)).toEqual([])
  })

  const lacks: ReadonlyArray<readonly [reason: string, statements: ReadonlyArray<string>]> = [
    ["Replication", [`alter role ${role} with noreplication`]],
    ["Select", [`revoke select on core_objectchange from ${role}`]],
    ["Select", [`revoke select on django_content_type from ${role}`]],
    ["Select", [`revoke select on extras_eventrule from ${role}`]],
    ["Select", ["revoke usage on schema public from public", `revoke usage on schema public from ${role}`]],
    ["Publication", ["drop publication rackwire"]],
    ["PublicationTable", ["alter publication rackwire drop table core_objectchange"]],
    ["PublicationOperations", ["alter publication rackwire set (publish = 'update, delete')"]]
  ]
  test.each(fewOf(lacks, 3, "lacks"))("lacks %s after %j, until its statements are run", async (reason, statements) => {
    await prepared()
    for (const statement of statements) await administrator.query(statement)
    expect(await reasons(url, netbox.name)).toEqual([reason])
    await meet(url, administrator, netbox.name)
    expect(await reasons(url, netbox.name)).toEqual([])
  })

  test("lacks rows or columns where the publication filters them, on servers that can", async () => {
    await prepared()
    const { version } = await factsOf(url, netbox.name)
    if (version < 150_000) return
    for (const limited of ["core_objectchange where (id > 5)", "core_objectchange (id, action)"]) {
      await administrator.query("alter publication rackwire drop table core_objectchange")
      await administrator.query(`alter publication rackwire add table ${limited}`)
      expect(await reasons(url, netbox.name)).toEqual(["PublicationFilter"])
      await meet(url, administrator, netbox.name)
      expect(await reasons(url, netbox.name)).toEqual([])
    }
  })

  test("reads without the webhooks where it takes none over", async () => {
    await prepared()
    await administrator.query(`revoke select on extras_eventrule from ${role}`)
    const facts = await factsOf(url, netbox.name, false)
    expect(judge(facts, walLimitMegabytes).missing).toEqual([])
  })

  thorough("may make the publication itself as the owner of the table", async () => {
    const facts = await factsOf(netbox.databaseUrl, netbox.name)
    expect(judge(facts, walLimitMegabytes).missing).toEqual([])
    for (const statement of [...publicationSql(facts), ...slotSql(facts)]) await netbox.sql.query(statement)
    const made = await factsOf(netbox.databaseUrl, netbox.name)
    expect([publicationSql(made), slotSql(made)]).toEqual([[], []])
  })

  test("must not use a slot that another process reads, nor one of another database or plugin", async () => {
    await prepared()
    const walsender = await Walsender.connect(addressOf(netbox.databaseUrl))
    onTestFinished(() => walsender.close())
    const options = `(proto_version '1', publication_names 'rackwire')`
    const silent = { onData: () => {}, onKeepalive: () => {}, onChunkEnd: () => {}, onEnd: () => {} }
    await walsender.stream(`START_REPLICATION SLOT "${netbox.name}" LOGICAL 0/0 ${options}`, silent)
    expect(await reasons(url, netbox.name)).toEqual(["SlotActive"])
    walsender.close()
    await expect.poll(() => reasons(url, netbox.name)).toEqual([])
    await administrator.query("select pg_drop_replication_slot($1)::text", [netbox.name])
    await administrator.query("select pg_create_logical_replication_slot($1, 'test_decoding')::text", [netbox.name])
    expect(await reasons(url, netbox.name)).toEqual(["SlotForeign"])
    const other = await makeEmptyDatabase()
    onTestFinished(() => other.drop())
    await other.superuser.query("select pg_create_logical_replication_slot($1, 'pgoutput')::text", [other.slot])
    expect(await reasons(url, other.slot)).toEqual(["SlotForeign"])
  })

  const failure = (address: string) =>
    factsOf(address).then(
      () => "no failure",
      ({ reason, message }: AttachError) => {
        expect(message).not.toContain(password)
        return reason
      }
    )

  test("gets a typed error where nothing can be read", async () => {
    const [port] = await freePorts(1)
    expect(await failure(Object.assign(new URL(url), { port: `${port}` }).href)).toBe("Unreachable")
    expect(await failure(Object.assign(new URL(url), { password: "wrong" }).href)).toBe("Login")
    expect(await failure(databaseAt(url, "missing"))).toBe("Login")
    expect(await failure("mysql://host/netbox")).toBe("Address")
  })

  test.runIf(hasPgBouncer)("is sent past a pooler, also one that drops settings", async () => {
    await prepared()
    const strict = await startPgBouncer(url)
    onTestFinished(() => strict.stop())
    expect(await failure(strict.url)).toBe("Pooler")
    const lax = await startPgBouncer(url, {
      ignore_startup_parameters:
        "statement_timeout,idle_in_transaction_session_timeout,default_transaction_isolation,extra_float_digits"
    })
    onTestFinished(() => lax.stop())
    expect(await reasons(lax.url, netbox.name)).toEqual(["Pooler"])
  })
})

describe.each(releases)("a database of NetBox %s", (release) => {
  test("has what attaching needs, and its release", async () => {
    const netbox = await makeNetBox(release, servers.superuserUrl)
    onTestFinished(() => netbox.drop())
    const facts = await factsOf(netbox.databaseUrl)
    expect(judge(facts, walLimitMegabytes).missing).toEqual([])
    expect(facts.release).toBe(release)
    expect(facts.changeTable?.name).toBe(netbox.changeTable)
    await netbox.sql.query("drop table tenancy_contact, dcim_site cascade")
    expect(await reasons(netbox.databaseUrl)).toEqual(["NotNetBox"])
  })
})

test("a database before 3.1 is named as such", async () => {
  const netbox = await makeNetBox("3.1", servers.superuserUrl)
  onTestFinished(() => netbox.drop())
  await netbox.sql.query("drop table tenancy_contact")
  expect(await reasons(netbox.databaseUrl)).toEqual(["Release"])
})

describe("a server with settings of its own", () => {
  let cluster: OwnPostgres

  beforeAll(async () => {
    cluster = await makeOwnPostgres()
  })
  afterAll(() => cluster.remove())

  const started = async (settings: Readonly<Record<string, string>>, folder?: string) => {
    const [port] = await freePorts(1)
    const server = await cluster.start(port!, settings, folder)
    onTestFinished(() => server.stop())
    return { url: cluster.superuserUrlAt(`127.0.0.1:${port}`), superuser: server.superuser }
  }

  test("lacks the level of its WAL, and all slots and walsenders where others use them", async () => {
    const { url, superuser } = await started({ wal_level: "replica", max_replication_slots: "1", max_wal_senders: "1" })
    const netbox = await makeNetBox("3.5", url)
    onTestFinished(() => netbox.drop())
    expect(await reasons(netbox.databaseUrl)).toEqual(["WalLevel"])
    await superuser.query("select pg_create_physical_replication_slot('other')::text")
    expect(await reasons(netbox.databaseUrl)).toEqual(["WalLevel", "Slots"])
    const walsender = await Walsender.connect(addressOf(url))
    onTestFinished(() => walsender.close())
    expect(await reasons(netbox.databaseUrl)).toEqual(["WalLevel", "Slots", "Senders"])
    walsender.close()
    // The statements need a restart: with the settings that they name nothing is missing.
    const { missing } = await judged(netbox.databaseUrl)
    expect(missing.flatMap(({ sql }) => sql)).toEqual([
      "alter system set wal_level = 'logical';",
      "alter system set max_replication_slots = 6;"
    ])
  })

  thorough("has risks where it limits the WAL of slots, or the time that they are idle", async () => {
    const older = await started({ max_slot_wal_keep_size: "64MB" })
    const netbox = await makeNetBox("4.2", older.url)
    onTestFinished(() => netbox.drop())
    const { version } = await factsOf(netbox.databaseUrl)
    expect((await judged(netbox.databaseUrl)).risks.map(({ reason }) => reason)).toEqual(["WalLimit"])
    if (version < 180_000) return
    await older.superuser.query("alter system set idle_replication_slot_timeout = '1h'")
    await older.superuser.query("select pg_reload_conf()")
    await expect
      .poll(async () => (await judged(netbox.databaseUrl)).risks.map(({ reason }) => reason))
      .toEqual(["IdleTimeout", "WalLimit"])
  })

  thorough("is no standby", async () => {
    const { url } = await started({})
    const netbox = await makeNetBox("4.2", url)
    const name = netbox.name
    await netbox.sql.close()
    const copy = `${cluster.folder}-standby`
    // A checkpoint, so that the copy of the files of a running server is a backup of its end.
    const superuser = openSql(url)
    await superuser.query("checkpoint")
    await superuser.close()
    execFileSync("cp", ["-a", cluster.folder, copy])
    execFileSync("rm", ["-f", join(copy, "postmaster.pid")])
    writeFileSync(join(copy, "standby.signal"), "")
    const standby = await started({ hot_standby: "on" }, copy)
    expect(await reasons(databaseAt(standby.url, name))).toEqual(["Standby"])
  })
})
