/** Goal: attaching works on Postgres 13, which Rackwire itself does not run on. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { attachSql } from "../../src/attach/AttachSql.ts"
import { judge } from "../../src/attach/Prerequisites.ts"
import { type Postgres13, hasPostgres13, startPostgres13 } from "../support/Postgres13.ts"
import { type NetBoxDatabase, makeNetBox } from "../source/NetBoxDatabase.ts"
import { NetBoxWriter } from "../source/NetBoxWriter.ts"
import { factsOf, rulesOf } from "./Reading.ts"

const reasons = async (url: string) => judge(await factsOf(url), 2048).missing.map(({ reason }) => reason)

describe.runIf(hasPostgres13)("a NetBox on Postgres 13", () => {
  let server: Postgres13
  let netbox: NetBoxDatabase

  beforeAll(async () => {
    server = await startPostgres13()
    netbox = await makeNetBox("4.2", server.url)
  })
  afterAll(async () => {
    await netbox.drop()
    await server.stop()
  })

  test("lacks what its role lacks, until the script of an administrator has run", async () => {
    await netbox.sql.query("create role reader with login")
    const url = Object.assign(new URL(netbox.databaseUrl), { username: "reader" }).href
    expect(await reasons(url)).toEqual(["Replication", "Select", "Publication"])
    const script = attachSql(await factsOf(url), { role: "reader", isNew: false })
    for (const statement of script.split("\n").filter((line) => line !== "" && !/^(?:--|\\)/.test(line))) {
      await netbox.sql.query(statement)
    }
    const facts = await factsOf(url)
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
    const found = await rulesOf(netbox.databaseUrl)
    expect(found.map(({ name }) => name)).toEqual(["alone"])
  })
})
