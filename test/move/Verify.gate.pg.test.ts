/** After a move both sides are compared, and what was changed since is distinguished from what is wrong. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { moveInto, schema, verifyInto } from "./Source.ts"

let source: TestDatabase
let target: TestDatabase

const rows: ReadonlyArray<string> = [
  "create table users_token (id bigint primary key, user_id bigint, key text, write_enabled boolean, description text, created timestamptz, last_used timestamptz, expires timestamptz, allowed_ips cidr[])",
  `create table extras_webhook (id bigint primary key, name text, payload_url text, http_method text, type_create boolean,
     type_update boolean, type_delete boolean, enabled boolean, conditions jsonb, http_content_type text,
     additional_headers text, body_template text, secret text, ssl_verification boolean, ca_file_path text)`,
  "create table extras_webhook_content_types (id int, webhook_id bigint, contenttype_id int)",
  `insert into dcim_site (id, name, slug, status, time_zone, facility, created, last_updated)
     select i, 'Site ' || i, 'site-' || i, 'active', '', '', now(), now() from generate_series(1, 9) i`,
  "insert into extras_tag (id, name, slug, color, description) values (3, 'Core', 'core', 'ff0000', '')",
  "insert into extras_taggeditem (content_type_id, object_id, tag_id) values (1, 7, 3)",
  "insert into auth_user (id, password, username, is_superuser, is_staff, is_active, first_name, last_name, email) values (2, 'pbkdf2_sha256$1$salt$hash', 'ada', true, true, true, '', '', '')",
  "insert into users_token values (1, 2, '0123456789abcdef0123456789abcdef01234567', true, '', now(), null, null, null)",
  `insert into extras_webhook values (4, 'receiver', 'https://u:p@example.com/hook', 'PUT', true, false, false, true, null,
     'text/plain', 'Authorization: Token hidden', '', 'hidden', false, null)`,
  "insert into extras_webhook_content_types values (1, 4, 1)"
]

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  for (const statement of [...schema, ...rows]) await source.sql.query(statement)
  await moveInto({ from: source.databaseUrl, to: target.databaseUrl })
})
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()])
})

const deviations = async () => (await verifyInto({ from: source.databaseUrl, to: target.databaseUrl })).deviations
const here = (statement: string) => target.sql.query(statement)
const there = (statement: string) => source.sql.query(statement)

const site = (
  id: number,
  since: string,
  kind = "differs",
  fields: ReadonlyArray<string> = ["facility", "last_updated"]
) => ({
  ...{ kind, type: "dcim.site", id, fields, since }
})

describe("a comparison after a move", () => {
  test("finds every field equal, sealed secrets, tokens and passwords among them", async () => {
    const { report, deviations } = await verifyInto({ from: source.databaseUrl, to: target.databaseUrl })
    expect(deviations).toEqual([])
    expect(report.types.filter(({ rows }) => rows > 0).map(({ type, rows, equal }) => [type, rows, equal])).toEqual([
      ["dcim.site", 9, 9],
      ["extras.tag", 1, 1],
      ["extras.webhook", 1, 1],
      ["users.token", 1, 1],
      ["users.user", 1, 1]
    ])
  })

  test("says which side was changed since", async () => {
    await here("update dcim_site set facility = 'ours' where id in (1, 2)")
    await here("delete from dcim_site where id = 3")
    await here("insert into dcim_site (id, name, slug) values (50, 'new', 'new')")
    await there("update dcim_site set facility = 'theirs' where id in (2, 4)")
    await there("delete from dcim_site where id = 5")
    await there(
      "insert into dcim_site (id, name, slug, status, time_zone, facility) values (60, 'x', 'x', 'active', '', '')"
    )
    expect((await deviations()).toSorted((a, b) => a.id - b.id)).toEqual([
      site(1, "here"),
      site(2, "both"),
      site(3, "here", "missing here", []),
      site(4, "there", "differs", ["facility"]),
      site(5, "there", "missing there", []),
      site(50, "here", "missing there", []),
      site(60, "there", "missing here", [])
    ])
  })

  test("finds what is wrong though no side was changed since", async () => {
    const before = await deviations()
    const [sealed] = await target.sql.query<{ readonly secret: string }>("select secret from extras_webhook")
    const keeping = "from (select set_config('rackwire.keeps_times', 'on', true)) s"
    await here(`update dcim_site set facility = 'wrong' ${keeping} where id = 8`)
    await here(`update extras_webhook set secret = overlay(secret placing 'AAAA' from 30) ${keeping}`)
    const after = await deviations()
    expect(after.filter(({ id, type }) => before.every((each) => each.id !== id || each.type !== type))).toEqual([
      site(8, "neither", "differs", ["facility"]),
      { kind: "differs", type: "extras.webhook", id: 4, fields: ["secret"], since: "neither" }
    ])
    expect(sealed!.secret).toMatch(/^s2\./)
  })

  test("does not mind that a login replaced the hash of a password", async () => {
    const before = await deviations()
    await here("update users_user set password = '$argon2id$ours' where id = 2")
    expect(await deviations()).toEqual(before)
  })
})
