/** The webhooks of each release of NetBox, read from its tables. */
import { Redacted } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import type { AttachError } from "../../src/attach/AttachError.ts"
import { ruleBytesMax, switchSql, takeOver } from "../../src/attach/Takeover.ts"
import { servers } from "../support/Database.ts"
import { type NetBoxDatabase, makeNetBox } from "../source/NetBoxDatabase.ts"
import { type Release, isAtLeast, releases } from "../source/NetBoxModels.ts"
import { rulesOf } from "./Reading.ts"

const takeoversOf = async (netbox: NetBoxDatabase) => (await rulesOf(netbox.databaseUrl)).map(takeOver)

const started = async (release: Release): Promise<NetBoxDatabase> => {
  const netbox = await makeNetBox(release, servers.superuserUrl)
  onTestFinished(() => netbox.drop())
  return netbox
}

/** Fills the columns of a row by name; columns that are not null and not named get the empty value of their type. */
const insert = async (
  { sql }: NetBoxDatabase,
  table: string,
  row: Readonly<Record<string, unknown>>
): Promise<string> => {
  const columns = await sql.query<{ readonly name: string; readonly type: string }>(
    `select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::text::regclass and attnum > 0 and attnotnull and attname <> 'id'`,
    [table]
  )
  const blank = (type: string) => (type === "boolean" ? false : type === "jsonb" ? {} : type.endsWith("[]") ? [] : "")
  const all = { ...Object.fromEntries(columns.map(({ name, type }) => [name, blank(type)])), ...row }
  const names = Object.keys(all).join(", ")
  const [made] = await sql.query<{ readonly id: string }>(
    `insert into ${table} (${names}) select ${names} from jsonb_populate_record(null::${table}, $1::text::jsonb) returning id::text as id`,
    [JSON.stringify(all)]
  )
  return made!.id
}

const request = {
  ...{ payload_url: "https://example.com/hook", http_method: "POST", http_content_type: "application/json" },
  ...{ additional_headers: "X-A: b", body_template: "{{ data.name }}", secret: "hidden", ssl_verification: true },
  ca_file_path: "/etc/ca.pem"
}

const conditions = {
  and: [
    { attr: "status.value", value: "active" },
    { attr: "vid", op: "gt", value: 12.5 }
  ]
}

/** Stores what sends changes of sites and zones, by the tables of the release; returns the ids of its rows. */
const store = async (netbox: NetBoxDatabase, name = "sites"): Promise<string> => {
  const types = ["dcim.site", "netbox_dns.zone"].map((type) => netbox.types.get(type))
  if (!isAtLeast(netbox.release, "3.7")) {
    const own = {
      ...request,
      payload_url: `${request.payload_url}/${name}`,
      name,
      enabled: true,
      conditions,
      type_create: true,
      type_delete: true
    }
    const id = await insert(netbox, "extras_webhook", own)
    for (const type of types) {
      await insert(netbox, "extras_webhook_content_types", { webhook_id: id, contenttype_id: type })
    }
    return id
  }
  const webhook = await insert(netbox, "extras_webhook", {
    ...request,
    payload_url: `${request.payload_url}/${name}`,
    name: `receiver of ${name}`
  })
  const id = await insert(netbox, "extras_eventrule", {
    ...{ name, enabled: true, conditions, action_type: "webhook", action_object_id: webhook },
    action_object_type_id: netbox.types.get("extras.webhook"),
    event_types: ["object_created", "object_deleted", "job_failed"],
    action_data: { team: "net" }
  })
  for (const type of types)
    await insert(netbox, "extras_eventrule_object_types", { eventrule_id: id, objecttype_id: type })
  return id
}

describe.each(releases)("the webhooks of NetBox %s", (release) => {
  test("are taken over with their types, events, conditions and requests, and can be disabled there", async () => {
    const netbox = await started(release)
    expect(await rulesOf(netbox.databaseUrl)).toEqual([])
    const id = await store(netbox)
    const [taken, ...others] = await takeoversOf(netbox)
    expect(others).toEqual([])
    const isRule = isAtLeast(release, "3.7")
    expect(taken!.rule).toEqual({ table: isRule ? "extras_eventrule" : "extras_webhook", id, name: "sites" })
    expect(taken!.fields).toEqual({
      ...{ name: "sites", description: "", enabled: false, content_types: ["dcim.site", "netbox_dns.zone"] },
      ...{ type_create: true, type_update: false, type_delete: true, timeout: null, conditions },
      ...{ payload_url: "https://example.com/hook/sites", http_method: "POST", http_content_type: "application/json" },
      ...{ additional_headers: "X-A: b", body_template: "{{ data.name }}", ssl_verification: true },
      ca_file_path: "/etc/ca.pem"
    })
    expect([Redacted.value(taken!.secret), taken!.isEnabled]).toEqual(["hidden", true])
    expect(taken!.differences.map(({ reason }) => reason)).toEqual(
      isRule ? ["JobEvents", "ActionData", "CaFile"] : ["CaFile"]
    )

    const before = await netbox.sql.query(`select to_jsonb(t) - 'enabled' as row from ${taken!.rule.table} t`)
    await netbox.sql.query(switchSql(taken!, { schema: "public" }))
    expect(await netbox.sql.query(`select to_jsonb(t) - 'enabled' as row from ${taken!.rule.table} t`)).toEqual(before)
    const [disabled] = await takeoversOf(netbox)
    expect([disabled!.isEnabled, disabled!.differences.at(-1)!.reason]).toEqual([false, "Disabled"])
  })
})

test.each(["3.1", "4.6"] as const)(
  "more rules of %s than a statement reads are in the order of their ids",
  async (release) => {
    const netbox = await started(release)
    const ids: Array<string> = []
    for (let at = 0; at < 12; at++) ids.push(await store(netbox, `rule ${at}`))
    expect((await rulesOf(netbox.databaseUrl)).map((rule) => rule.id)).toEqual(ids)
  }
)

test("of 3.7, whose rules have other names of tables and events in columns, are taken over too", async () => {
  const netbox = await started("4.2")
  await store(netbox)
  await netbox.sql.transaction(
    "alter table extras_eventrule_object_types rename to extras_eventrule_content_types",
    "alter table extras_eventrule_content_types rename objecttype_id to contenttype_id",
    "alter table extras_eventrule drop event_types, add type_create boolean default false, add type_update boolean default true, add type_delete boolean default false"
  )
  const [taken] = await takeoversOf(netbox)
  expect(taken!.fields).toMatchObject({
    ...{ type_create: false, type_update: true, type_delete: false },
    content_types: ["dcim.site", "netbox_dns.zone"]
  })
})

test("scripts, rules without a webhook and webhooks without a rule are listed, and not taken over", async () => {
  const netbox = await started("4.6")
  const rule = {
    enabled: true,
    event_types: ["object_created"],
    action_object_type_id: netbox.types.get("extras.script")
  }
  const webhook = await insert(netbox, "extras_webhook", { ...request, name: "alone" })
  await insert(netbox, "extras_eventrule", {
    ...rule,
    name: "script",
    action_type: "script",
    action_object_id: webhook
  })
  await insert(netbox, "extras_eventrule", { ...rule, name: "dangling", action_type: "webhook", action_object_id: 99 })
  const found = await takeoversOf(netbox)
  expect(found.map(({ rule, fields, differences }) => [rule.name, fields, differences[0]?.reason])).toEqual([
    ["script", undefined, "Action"],
    ["dangling", undefined, "NoWebhook"],
    ["alone", undefined, "NoRule"]
  ])
})

test("a rule that is too large, or nested without end, is refused by itself", async () => {
  const netbox = await started("4.6")
  await store(netbox, "good")
  const large = await store(netbox, "large")
  await netbox.sql.query(
    "update extras_webhook set body_template = repeat('x', $1::text::int) where name = 'receiver of large'",
    [`${ruleBytesMax}`]
  )
  const deep = await store(netbox, "deep")
  await netbox.sql.query(
    `update extras_eventrule set conditions = (repeat('{"and":[', 3000) || repeat(']}', 3000))::jsonb where id = $1::text::bigint`,
    [deep]
  )
  const found = await takeoversOf(netbox)
  expect(found.map(({ rule, differences }) => [rule.name, differences[0]?.reason])).toEqual([
    ["good", "JobEvents"],
    ["large", "TooLarge"],
    ["deep", "Conditions"]
  ])
  expect(found[1]!.rule.id).toBe(large)
})

test("more rules than a NetBox has are an error with a reason", async () => {
  const netbox = await started("3.5")
  await netbox.sql.query(
    `insert into extras_webhook (name, type_create, type_update, type_delete, type_job_start, type_job_end, enabled,
        payload_url, http_method, http_content_type, additional_headers, body_template, secret, ssl_verification)
     select 'w' || i, true, true, true, false, false, true, 'https://example.com/' || i, 'POST', '', '', '', '', true
       from generate_series(1, 2001) i`
  )
  const error = await rulesOf(netbox.databaseUrl).then(
    () => undefined,
    (failure: AttachError) => failure
  )
  expect(error).toMatchObject({ reason: "Refused", message: expect.stringContaining("more than 2000") })
  await netbox.sql.query("delete from extras_webhook where id = 1")
  expect(await rulesOf(netbox.databaseUrl)).toHaveLength(2000)
})
