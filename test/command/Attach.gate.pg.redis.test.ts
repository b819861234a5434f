/** `rackwire attach` and `detach`, beside a running service. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import type { Json, List } from "../support/Client.ts"
import { runCommand } from "../support/Command.ts"
import { servers } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type NetBoxDatabase, makeNetBox } from "../source/NetBoxDatabase.ts"
import { NetBoxWriter } from "../source/NetBoxWriter.ts"

let api: Api
let netbox: NetBoxDatabase
let writer: NetBoxWriter
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
  netbox = await makeNetBox("4.2", servers.superuserUrl)
  writer = new NetBoxWriter(netbox)
})

afterAll(async () => {
  await api.stop()
  await writer.close()
  await netbox.drop()
  await receiver.close()
})

const attach = (...flags: ReadonlyArray<string>) =>
  runCommand(["attach", netbox.databaseUrl, "--slot", netbox.name, ...flags], {
    env: environmentOf(api.database)
  })

const sources = async () =>
  (await api.call<{ readonly results: ReadonlyArray<Json & { readonly id: number }> }>("GET", "/api/extras/sources/"))
    .json.results

const slots = () => netbox.sql.query("select 1 as one from pg_replication_slots where slot_name = $1", [netbox.name])

const password = () => new URL(netbox.databaseUrl).password

describe("attach", () => {
  it("changes nothing with --dry-run, nor with --print-sql", async () => {
    const dry = await attach("--dry-run")
    expect(dry).toMatchObject({ code: 0, output: expect.stringContaining("Nothing was changed") })
    const printed = await attach("--print-sql")
    expect(printed.output).toContain("create publication")
    expect(printed.output).toContain("pg_create_logical_replication_slot")
    expect([await sources(), await slots()]).toEqual([[], []])
  })

  it("names what is missing, and the statement that helps", async () => {
    const wrong = new URL(netbox.databaseUrl)
    wrong.pathname = "/postgres"
    const { code, output } = await runCommand(["attach", wrong.toString()], { env: environmentOf(api.database) })
    expect(code).toBe(1)
    expect(output).toContain("postgres is no database of NetBox")
  })

  it("makes a source that the service reads, and shows the first change", async () => {
    const attaching = attach("--wait", "30")
    const read = eventually("the source is read", async () => (await sources())[0]?.["status"] === "reading", {
      millis: 60_000
    })
    // A command that fails ends first.
    const ended = await Promise.race([read.then(() => undefined), attaching])
    expect(ended).toBe(undefined)
    await writer.request((request) => request.create("dcim.site", { name: "AMS1" }))
    const shown = await attaching
    expect(shown.output).toContain("First change: dcim.site AMS1 was created by admin")
    expect(shown.output).not.toContain(password() || netbox.databaseUrl)
    expect(shown.code).toBe(0)
    expect((await sources())[0]).toMatchObject({ name: "netbox", release: "4.2", slot: netbox.name })
    expect(JSON.stringify(await sources())).not.toContain("postgres")
    const again = await attach("--wait", "0")
    expect(again).toMatchObject({ code: 1, output: expect.stringContaining("There is a source netbox already") })
  })

  it("takes webhooks over at one position: each change is sent by one of both", async () => {
    const rule = await netbox.sql.query<{ readonly id: string }>(
      `with w as (
         insert into extras_webhook (name, description, payload_url, http_method, http_content_type, additional_headers,
           body_template, secret, ssl_verification, custom_field_data)
         values ('to us', '', $1, 'POST', 'application/json', '', '', 'a secret', false, '{}') returning id),
       r as (
         insert into extras_eventrule (name, description, enabled, action_type, action_object_type_id, action_object_id,
           event_types, custom_field_data, comments)
         select 'sites', '', true, 'webhook', (select id from django_content_type where model = 'webhook'), id,
                array['object_created', 'object_updated'], '{}', '' from w returning id)
       insert into extras_eventrule_object_types (eventrule_id, objecttype_id)
       select id, $2::text::int from r returning eventrule_id::text as id`,
      [`${receiver.url}/taken`, `${netbox.types.get("dcim.site")}`]
    )
    expect(rule.length).toBe(1)
    const listed = await attach("--webhooks", "--dry-run")
    expect(listed.output).toContain("taken sites (extras_eventrule")
    const isEnabled = async () => {
      const [row] = await netbox.sql.query<{ readonly enabled: boolean }>("select enabled from extras_eventrule")
      return row!.enabled
    }
    // NetBox sends each change that is committed while its rule is enabled.
    const sentThere: Array<string> = []
    const over = new AbortController()
    const writing = (async () => {
      for (let at = 0; !over.signal.aborted; at++) {
        const name = `site ${at}`
        await writer.request((request) => request.create("dcim.site", { name }))
        if (await isEnabled()) sentThere.push(name)
      }
    })()
    const switched = await attach("--switch")
    expect(switched.output).toContain("1 webhooks are sent by Rackwire now, and by NetBox no more.")
    await writer.request((request) => request.create("dcim.site", { name: "after" }), { connection: 1 })
    over.abort()
    await writing
    const names = writer.committed.flatMap(({ events }) => events.map(({ after }) => String(after!["name"])))
    const sentHere = () =>
      receiver.received.map(({ body }) => (JSON.parse(body.toString()) as { data: { name: string } }).data.name)
    await eventually("everything is sent", () => sentHere().length + sentThere.length >= names.length - 1)
    expect([...sentThere, ...sentHere()].toSorted()).toEqual(names.filter((name) => name !== "AMS1").toSorted())
    expect(await isEnabled()).toBe(false)
    expect(switched.output).not.toContain("a secret")
  })
})

describe("detach", () => {
  it("drops slot and publication, and leaves a source that webhooks name", async () => {
    const detached = await runCommand(["detach", "netbox"], { env: environmentOf(api.database) })
    expect(detached).toMatchObject({ code: 0, output: expect.stringContaining("1 webhooks are of this source") })
    expect(await slots()).toEqual([])
    expect(await netbox.sql.query("select 1 as one from pg_publication")).toEqual([])
    expect((await sources())[0]).toMatchObject({ enabled: false })
  })

  it("happens by itself to a source that is deleted", async () => {
    const [webhook] = (await api.call<List>("GET", "/api/extras/webhooks/")).json.results
    await api.call("DELETE", `/api/extras/webhooks/${webhook!.id}/`)
    await api.call<Json>("PATCH", `/api/extras/sources/${(await sources())[0]!.id}/`, { enabled: true })
    await eventually("there is a slot", async () => (await slots()).length > 0)
    await eventually("it is read", async () => (await sources())[0]?.["status"] === "reading")
    await api.call("DELETE", `/api/extras/sources/${(await sources())[0]!.id}/`)
    const states = () => api.database.sql.query("select 1 as one from rackwire_source")
    await eventually("nothing is known of it", async () => (await states()).length === 0)
    expect(await slots()).toEqual([])
  })
})
