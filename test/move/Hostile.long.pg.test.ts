/** A source with rows that nobody would write by hand: each is refused in words, and stops no other row. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { moveInto, schema, verifyInto } from "./Source.ts"

let source: TestDatabase
let target: TestDatabase

const site = (id: number | string, values: string) =>
  `insert into dcim_site (id, name, slug, status, time_zone, facility, custom_field_data, created) values (${id}, ${values})`

const deep = (levels: number) => `(repeat('{"a":', ${levels}) || '1' || repeat('}', ${levels}))::jsonb`

const rows: ReadonlyArray<string> = [
  site(1, "'Good', 'good', 'active', '', '', '{}', now()"),
  site(2, "repeat('x', 1048576), 'long', 'active', '', '', '{}', now()"),
  site(3, `'Deep', 'deep', 'active', '', '', ${deep(600)}, now()`),
  site(4, "'Large', 'large', 'active', '', '', jsonb_build_object('a', repeat('x', 17 * 1048576)), now()"),
  site(5, "'Endless', 'endless', 'active', '', '', '{}', 'infinity'"),
  site(6, "'Ancient', 'ancient', 'active', '', '', '{}', '4000-01-01 BC'"),
  site(7, "'Far', 'far', 'active', '', '', '{}', '294000-01-01'"),
  site(8, "'good', 'good', 'active', '', '', '{}', now()"),
  site(9, "'Status', 'status', 'unheard', '', '', '{}', now()"),
  site(10, "'Zone', 'zone', 'active', 'Nowhere/Land', '', '{}', now()"),
  site(-11, "'Negative', 'negative', 'active', '', '', '{}', now()"),
  site(12, "E'Control \\x01\\x1b[31m', 'control', 'active', '', '', '{}', now()"),
  site(13, "'Tagged', 'tagged', 'active', '', '', '{}', now()"),
  // Ids that fit different types of Postgres, on one page.
  site("3000000000", "'High', 'high', 'active', '', '', '{}', now()"),
  site("9007199254740993", "'Beyond', 'beyond', 'active', '', '', '{}', now()"),
  // A reference to an object that does not exist, to a type that does not exist, and to one without a home.
  `insert into ipam_ipaddress (id, address, status, assigned_object_type_id, assigned_object_id) values
     (1, '10.0.0.1/24', 'active', 2, 99), (2, '10.0.0.2/24', 'active', 77, 1), (3, '10.0.0.3/24', 'active', 4, 1),
     (4, '10.0.0.4/24', 'active', null, null)`,
  // More tags than an object can have.
  "insert into extras_tag (id, name, slug, color, description) select i, 't' || i, 't' || i, 'ffffff', '' from generate_series(1, 20000) i",
  "insert into extras_taggeditem (content_type_id, object_id, tag_id) select 1, 13, i from generate_series(1, 20000) i"
]

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  for (const statement of [...schema, ...rows]) await source.sql.query(statement)
})
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()])
})

describe("a hostile source", () => {
  test("has each bad row refused with its reason, and the good ones moved", async () => {
    const { findings } = await moveInto({ from: source.databaseUrl, to: target.databaseUrl })
    const reasons = findings.map((each) => [each.table, each.id, "reason" in each ? each.reason : each.kind])
    const format = expect.stringContaining("wrong format")
    expect(reasons.toSorted()).toEqual(
      [
        ["dcim_site", -11, "The id is not between 1 and 2^53."],
        ["dcim_site", 2, "name: Ensure this field has no more than 100 characters."],
        ["dcim_site", 3, "custom_fields: Nested more than 100 levels deep."],
        ["dcim_site", 4, "The row is larger than 16 MiB."],
        ["dcim_site", 5, format],
        ["dcim_site", 6, format],
        ["dcim_site", 7, format],
        ["dcim_site", 8, expect.stringContaining("Key (slug)=(good) already exists")],
        ["dcim_site", 9, "status: unheard is not a valid choice."],
        ["dcim_site", 10, "time_zone: A valid timezone is required."],
        ["dcim_site", 13, "tags: Ensure this field has no more than 5000 elements."],
        ["dcim_site", 9007199254740992, "The id is not between 1 and 2^53."],
        ["ipam_ipaddress", 1, expect.stringContaining("names a dcim.interface that does not exist")],
        ["ipam_ipaddress", 2, "assigned_object_type: There is no content type 77."],
        ["ipam_ipaddress", 3, "assigned_object_type: Objects of type plugin.thing do not exist here."]
      ].toSorted()
    )
    const ids = async (table: string) =>
      (await target.sql.query<{ readonly id: string }>(`select id::text from ${table} order by id`)).map(({ id }) => id)
    expect(await ids("dcim_site")).toEqual(["1", "12", "3000000000"])
    expect(await ids("ipam_ipaddress")).toEqual(["4"])
  })

  test("is compared, and moved again, like any other", async () => {
    const both = { from: source.databaseUrl, to: target.databaseUrl }
    const { report } = await verifyInto(both)
    const sum = (name: "equal" | "wrong") => report.types.reduce((total, type) => total + type[name], 0)
    expect(sum("wrong")).toBe(15)
    const again = await moveInto(both)
    expect(again.report.types.reduce((total, { created, updated }) => total + created + updated, 0)).toBe(0)
    expect(again.report.types.reduce((total, { refused }) => total + refused, 0)).toBe(15)
    expect((await verifyInto(both)).report.types.reduce((total, { equal }) => total + equal, 0)).toBe(sum("equal"))
  })
})
