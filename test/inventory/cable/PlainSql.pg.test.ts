/** Cables by plain SQL: many at once, what the database refuses, circles, and large sides. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Net } from "./Net.ts"
import { thorough } from "../../support/Seed.ts"

let net: Net

beforeEach(async () => {
  net = await Net.make()
})
afterEach(() => net.close())

const sql = (statement: string) => net.database.sql.query<Record<string, unknown>>(statement)

describe("many at once", () => {
  it("are deleted with their device", async () => {
    await net.ports("i1 r1:2 f1@r1:1 f2@r1:2 r2 f3@r2 i2 w1 p1")
    await net.cables("i1-f1, r1-r2, f3-i2, p1-w1")
    await sql("insert into dcim_device (id, name, device_type_id, device_role_id, site_id) values (2, 'e', 1, 1, 1)")
    await sql("insert into dcim_interface (id, name, device_id, type) values (999, 'far', 2, '1000base-t')")
    await sql(
      `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations)
         values ('dcim.interface', '{999}', 'dcim.frontport', '{${net.idOf("f2")}}')`
    )
    await sql("delete from dcim_device where id = 1")
    expect(await sql("select count(*)::int as n from dcim_cable")).toEqual([{ n: 0 }])
    expect(await sql("select cable_id, path_active from dcim_interface")).toEqual([
      { cable_id: null, path_active: null }
    ])
    expect(await sql("select cable_id from dcim_powerfeed")).toEqual([{ cable_id: null }])
  })

  it("are written by one statement", async () => {
    await net.ports("i1 i2 r1 f1@r1 r2 f2@r2")
    const values = ["i1-f1", "r1-r2", "f2-i2"].map((each) => /values (\(.*\)) returning/.exec(net.cableSql(each))![1]!)
    await sql(
      `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations, status) values ${values.join(", ")}`
    )
    expect(await net.stored("i1")).toEqual(["i2", true])
    await sql("update dcim_cable set status = 'planned'")
    expect(await net.stored("i1")).toEqual(["i2", false])
    await sql("delete from dcim_cable")
    expect(await net.stored("i1")).toEqual(["", null])
  })
})

describe("plain SQL", () => {
  const refused = async (statement: string): Promise<string> =>
    sql(statement).then(
      () => "accepted",
      (error: Error) => error.message
    )

  it("cannot join what cannot be joined, nor a port twice, nor what is not there", async () => {
    await net.ports("i1 i2 i3 p1 c1 r1")
    expect(await refused(net.cableSql("i1-p1"))).toMatch(/violates check constraint/)
    expect(await refused(net.cableSql("c1-i1"))).toMatch(/violates check constraint/)
    expect(await refused(net.cableSql("p1-r1"))).toMatch(/violates check constraint/)
    await net.cables("i1-i2")
    expect(await refused(net.cableSql("i3-i2"))).toMatch(/unique/)
    expect(await refused(net.cableSql("i3-i3"))).toMatch(/unique/)
    const at = (ids: string, type = "dcim.interface") =>
      `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations) values ('${type}', '${ids}', 'dcim.interface', '{${net.idOf("i3")}}')`
    expect(await refused(at("{12345}"))).toMatch(/does not exist/)
    expect(await refused(at("{1}", "dcim.site"))).toMatch(/cannot end at a dcim.site/)
    expect(await refused(`update dcim_interface set cable_id = 1 where id = ${net.idOf("i3")}`)).toMatch(/does not end/)
  })

  it("makes no cable without an end", async () => {
    await net.ports("i1 i2")
    await sql(`insert into dcim_cable (a_terminations, b_terminations) values ('{${net.idOf("i1")}}', '{}')`)
    expect(await sql("select id from dcim_cable")).toEqual([])
  })
})

describe("a circle", () => {
  it("without an end ends, incomplete", async () => {
    await net.ports("i1 r1:2 f1@r1:1 f2@r1:2 r2:2 f3@r2:1")
    await net.cables("r1-f3, r2-f1")
    await net.cables("i1-f2")
    const { steps, is_complete, is_split } = await net.trace("i1")
    expect([steps!.length, is_complete, is_split]).toEqual([256, false, false])
    await sql(`delete from dcim_frontport where id = ${net.idOf("f3")}`)
    expect(await net.pathsOf("i1")).toEqual(["i1-f2 r1 open"])
  })

  it("of a panel to itself is a path", async () => {
    await net.ports("i1 i2 r1:4 f1@r1:1 f2@r1:2 r2:4 f3@r2:1 f4@r2:2")
    await net.cables("i1-f1, r1-r2, f3-f4, f2-i2")
    expect(await net.pathsOf("i1", "i2")).toEqual([
      "i1-f1 r1-r2 f3-f4 r2-r1 f2-i2 complete",
      "i2-f2 r1-r2 f4-f3 r2-r1 f1-i1 complete"
    ])
  })
})

describe("large sides", () => {
  thorough("of 64 ends are one path, and a trunk of 1,024 positions has as many", async () => {
    const many = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`)
    await net.ports([...many("i", 64), ...many("i", 128).slice(64)].join(" "))
    await net.cables(`${many("i", 64).join("+")}-${many("i", 128).slice(64).join("+")}`)
    expect((await net.trace("i1")).end_ids).toHaveLength(64)
    await net.ports("r1:1024 r2:1024")
    for (const [rear, first] of [
      ["r1", 1000],
      ["r2", 3000]
    ] as const) {
      await sql(
        `insert into dcim_frontport (id, name, device_id, type, rear_port_id, rear_port_position)
           select ${first} * 10 + n, 'x${first}-' || n, 1, '8p8c', ${net.idOf(rear)}, n from generate_series(1, 1024) n`
      )
      await sql(
        `insert into dcim_interface (id, name, device_id, type) select ${first} * 10 + n, 'y${first}-' || n, 1, '1000base-t' from generate_series(1, 1024) n`
      )
      await sql(
        `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations)
           select 'dcim.interface', array[${first} * 10 + n], 'dcim.frontport', array[${first} * 10 + n] from generate_series(1, 1024) n`
      )
    }
    await net.cables("r1-r2")
    const wrong = await sql(
      "select id from dcim_interface where id between 10001 and 11024 and connected_ids <> array[id + 20000]"
    )
    expect(wrong).toEqual([])
    expect(await sql("select connected_ids::text as ids from dcim_interface where id = 31024")).toEqual([
      { ids: "{11024}" }
    ])
  })

  thorough("reads as few rows in a large network as in a small one", async () => {
    await sql(`create function rows_read(statements text[]) returns bigint[] language plpgsql as $$
      declare
        each text;
        counts bigint[] := '{}';
        earlier bigint;
      begin
        foreach each in array statements loop
          earlier := (select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_xact_user_tables);
          execute each;
          counts := counts || (select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) - earlier from pg_stat_xact_user_tables)::bigint;
        end loop;
        return counts;
      end $$`)
    /** An interface and a panel with these ids, a cable between them, a trunk to another panel; then the cable is deleted. */
    const changes = (at: number): ReadonlyArray<string> => [
      `insert into dcim_interface (id, name, device_id, type) values (${at}, 'x${at}', 1, '1000base-t')`,
      `insert into dcim_rearport (id, name, device_id, type, positions) values (${at}, 'x${at}', 1, '8p8c', 2), (${at + 1}, 'x${at + 1}', 1, '8p8c', 2)`,
      `insert into dcim_frontport (id, name, device_id, type, rear_port_id, rear_port_position) values (${at}, 'x${at}', 1, '8p8c', ${at}, 1)`,
      `insert into dcim_cable (id, a_type, a_terminations, b_type, b_terminations) values (${at}, 'dcim.interface', '{${at}}', 'dcim.frontport', '{${at}}')`,
      `insert into dcim_cable (id, a_type, a_terminations, b_type, b_terminations) values (${at + 1}, 'dcim.rearport', '{${at}}', 'dcim.rearport', '{${at + 1}}')`,
      `insert into dcim_frontport (id, name, device_id, type, rear_port_id, rear_port_position) values (${at + 1}, 'x${at + 1}', 1, '8p8c', ${at + 1}, 2)`,
      `update dcim_cable set status = 'planned' where id = ${at}`,
      `update dcim_rearport set positions = 1 where id = ${at}`,
      `update dcim_frontport set rear_port_position = 1 where id = ${at + 1}`,
      `delete from dcim_cable where id = ${at}`,
      `delete from dcim_rearport where id = ${at}`
    ]
    const most = 1000
    const fill = [
      `insert into dcim_interface (id, name, device_id, type) select n, 'i' || n, 1, '1000base-t' from generate_series(1, ${most}) n`,
      `insert into dcim_rearport (id, name, device_id, type, positions) select n, 'r' || n, 1, '8p8c', 1 + n % 2 from generate_series(1, ${most}) n`,
      `insert into dcim_frontport (id, name, device_id, type, rear_port_id, rear_port_position) select n, 'f' || n, 1, '8p8c', n, 1 from generate_series(1, ${most}) n`,
      `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations)
         select 'dcim.interface', array[n], 'dcim.frontport', array[n] from generate_series(1, ${most / 2}) n`
    ]
    const first = changes(100_000)
    const [row] = await net.database.sql.query<{ readonly counts: ReadonlyArray<number> }>(
      "select to_jsonb(rows_read($1::text[])) as counts",
      [[...first, ...fill, ...changes(200_000)]]
    )
    const { counts } = row!
    const grown = first.flatMap((statement, at) => {
      const [few, many] = [counts[at]!, counts[first.length + fill.length + at]!]
      return many > 2 * few + 20 ? [`${statement}: ${few} rows, then ${many}`] : []
    })
    expect(grown).toEqual([])
    // Each cable of a statement costs the same as well.
    expect(counts[first.length + fill.length - 1]).toBeLessThan(most * 100)
  })

  it("compiles no statement whose plans are forbidden but for one", async () => {
    const forbidding = "select proname from pg_proc where proconfig::text like '%enable_%=off%'"
    expect((await sql(forbidding)).length).toBeGreaterThan(5)
    expect(await sql(`${forbidding} and not proconfig @> '{jit=off}'`)).toEqual([])
  })
})
