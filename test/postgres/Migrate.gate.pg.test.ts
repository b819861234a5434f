/** Migration of a real database: what it makes, and what it refuses to lose. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCommand } from "../support/Command.ts"
import { environmentOf } from "../support/Api.ts"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { thorough } from "../support/Seed.ts"
import { openSql } from "../support/Sql.ts"

let database: TestDatabase

afterEach(() => database.drop())

const migrate = async () => (await runCommand(["migrate"], { env: environmentOf(database) })).output

describe("migration of an empty database", () => {
  beforeEach(async () => {
    database = await makeEmptyDatabase()
  })

  it("creates everything the first time, and nothing the second time", async () => {
    expect(await migrate()).toMatch(/^The inventory was created in an empty database \(\d+ statements\)\.\n$/)
    expect(await migrate()).toBe("Nothing to migrate.\n")
    const [table] = await database.sql.query(
      "select relreplident::text as identity from pg_class where relname = 'dcim_site'"
    )
    expect(table).toEqual({ identity: "f" })
  })
})

describe("migration of a database that was migrated before", () => {
  beforeEach(async () => {
    database = await makeDatabase()
  })

  it("adds missing columns and widens narrow ones, and keeps the rows", async () => {
    await database.sql.query("insert into dcim_site (name, slug) values ('Kept', 'kept')")
    await database.sql.query("alter table dcim_site drop column facility")
    await database.sql.query("alter table dcim_site drop constraint dcim_site_status_check")
    await database.sql.query("alter table dcim_site add constraint dcim_site_status_check check (status in ('active'))")
    await database.sql.query("comment on constraint dcim_site_status_check on dcim_site is 'an earlier version'")
    const output = await migrate()
    expect(output).toContain("alter table dcim_site add column facility text not null default ''")
    expect(output).toContain("alter table dcim_site drop constraint dcim_site_status_check")
    expect(await database.sql.query("select facility, status from dcim_site")).toEqual([
      { facility: "", status: "active" }
    ])
  })

  it("drops an index that an earlier version made, and none of others", async () => {
    const indexes = async () => {
      const found = await database.sql.query<{ name: string }>(
        `select relname::text as name from pg_class where relkind = 'i' and relname ~ '^dcim_site_(former|facility|unique|twice)'
          order by 1`
      )
      return found.map(({ name }) => name)
    }
    await database.sql.query("create index dcim_site_former_idx on dcim_site (created, name)")
    await database.sql.query("comment on index dcim_site_former_idx is '(created, name)'")
    // An operator's own indexes: without a comment, or with another text.
    await database.sql.query("create index dcim_site_facility_idx on dcim_site (facility)")
    await database.sql.query("create index dcim_site_twice_idx on dcim_site (facility, name)")
    await database.sql.query("comment on index dcim_site_twice_idx is 'for reports (weekly)'")
    await database.sql.query("create unique index dcim_site_unique_idx on dcim_site (name, slug)")
    await database.sql.query("comment on index dcim_site_unique_idx is '(name, slug)'")
    expect(await migrate()).toBe("drop index concurrently if exists dcim_site_former_idx;\n1 statements.\n")
    expect(await indexes()).toEqual(["dcim_site_facility_idx", "dcim_site_twice_idx", "dcim_site_unique_idx"])
    expect(await migrate()).toBe("Nothing to migrate.\n")
  })

  thorough("leaves such an index while somebody locks its table, and drops it the next time", async () => {
    await database.sql.query("create index dcim_site_former_idx on dcim_site (created, name)")
    await database.sql.query("comment on index dcim_site_former_idx is '(created, name)'")
    const reader = openSql(database.databaseUrl)
    await reader.query("begin")
    await reader.query("select count(*)::int from dcim_site")
    expect(await migrate()).toContain("The index dcim_site_former_idx is not needed and stays")
    await database.sql.query("insert into dcim_site (name, slug) values ('Still', 'still')")
    await reader.query("rollback")
    await reader.close()
    expect(await migrate()).toContain("drop index concurrently if exists dcim_site_former_idx")
    expect(await migrate()).toBe("Nothing to migrate.\n")
  })

  it("sorts the indexes of names anew if another version of ICU made them", async () => {
    await database.superuser.query("update pg_collation set collversion = '0' where collname = 'rackwire_natural'")
    const output = await migrate()
    expect(output).toContain("reindex index dcim_site_order_idx")
    expect(output).toContain("alter collation rackwire_natural refresh version")
    expect(await migrate()).toBe("Nothing to migrate.\n")
  })

  thorough("gives a database of an earlier version the natural order", async () => {
    await database.sql.query("drop index dcim_device_order_idx")
    await database.sql.query("create index dcim_device_order_idx on dcim_device (name)")
    await database.sql.query("comment on index dcim_device_order_idx is '(name)'")
    const output = await migrate()
    expect(output).toContain("create index dcim_device_order_idx on dcim_device (name collate rackwire_natural)")
  })

  thorough("makes the functions anew if one differs, and writes none of them otherwise", async () => {
    const functions = async () => {
      const found = await database.sql.query<{ name: string; written: string; digest: string }>(
        `select oid::regprocedure::text as name, xmin::text as written, md5(pg_get_functiondef(oid)) as digest
           from pg_proc where pronamespace = 'public'::regnamespace and proname like 'rackwire\\_%' order by 1`
      )
      return new Map(found.map(({ name, written, digest }) => [name, { written, digest }]))
    }
    const versions = () =>
      database.sql.query<{ written: string; functions: string }>(
        "select xmin::text as written, functions from rackwire_database_version"
      )
    const declared = await functions()
    /** The functions that are as declared, and those of them that were not written since. */
    const compared = async () => {
      const found = [...(await functions())].filter(([name, { digest }]) => digest === declared.get(name)?.digest)
      const kept = found.filter(([name, { written }]) => written === declared.get(name)!.written)
      return [found.length, kept.length]
    }
    const noted = await versions()
    await migrate()
    expect(await compared()).toEqual([declared.size, declared.size])
    expect(await versions()).toEqual(noted)
    await database.sql.query("alter function rackwire_days_before volatile")
    expect(await compared()).toEqual([declared.size - 1, declared.size - 1])
    await migrate()
    expect(await compared()).toEqual([declared.size, 0])
    await database.sql.query("update rackwire_database_version set functions = 'of other declarations'")
    await migrate()
    expect((await versions())[0]!.functions).toBe(noted[0]!.functions)
  })

  it("takes a database whose functions an earlier version did not note", async () => {
    await database.sql.query("alter table rackwire_database_version drop column functions")
    expect(await migrate()).toContain("alter table rackwire_database_version add column functions text")
    expect(await migrate()).toBe("Nothing to migrate.\n")
  })

  it("stops at a database of a newer version, without any change", async () => {
    await database.sql.query("alter table dcim_site drop column facility")
    await database.sql.query("insert into rackwire_database_version (version) values ('999.2.0'), ('0.0.1')")
    expect(await migrate()).toMatch(
      /^rackwire: The database was migrated by Rackwire 999\.2\.0, and this is \d+\.\d+\.\d+, which .* Nothing was changed\.\n$/
    )
    const columns = "select 1 from pg_attribute where attrelid = 'dcim_site'::regclass and attname = 'facility'"
    expect(await database.sql.query(columns)).toEqual([])
    await database.sql.query("delete from rackwire_database_version where version = '999.2.0'")
    expect(await migrate()).toContain("add column facility")
    const [{ versions } = { versions: 0 }] = await database.sql.query<{ versions: number }>(
      "select count(*)::int as versions from rackwire_database_version"
    )
    expect(versions).toBe(2)
  })

  it("goes on with one of an earlier version, which noted none, and with one that differs in its last number", async () => {
    await database.sql.query("drop table rackwire_database_version")
    expect(await migrate()).toContain("create table rackwire_database_version")
    await database.sql.query("update rackwire_database_version set version = regexp_replace(version, '\\d+$', '999')")
    expect(await migrate()).toBe("Nothing to migrate.\n")
  })

  thorough("leaves no sequence to an unlogged table, and keeps its rows; check names those that are left", async () => {
    const unlogged = ["rackwire_backlog", "rackwire_breaker", "rackwire_process"]
    const owned = () =>
      database.sql.query<{ name: string }>(
        `select t.relname::text as name from pg_class t
          where t.relpersistence = 'u' and t.relkind = 'r' and exists (
            select from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' where d.refobjid = t.oid)
          order by 1`
      )
    expect(await owned()).toEqual([])
    await database.sql.query("insert into rackwire_process (name, seen, parts) values ('kept', now(), '{}')")
    for (const table of unlogged) {
      await database.sql.query(`alter table ${table} add column id bigint generated by default as identity primary key`)
    }
    expect(await owned()).toEqual(unlogged.map((name) => ({ name })))
    const { code, output } = await runCommand(["check"], { env: environmentOf(database) })
    expect(code).toBe(1)
    for (const table of unlogged) {
      expect(output).toContain(`CHANGE unlogged table: ${table} owns the sequence ${table}_id_seq`)
    }
    const migrated = await migrate()
    for (const table of unlogged) expect(migrated).toContain(`alter table ${table} drop column id`)
    expect(await owned()).toEqual([])
    expect(await database.sql.query("select name from rackwire_process")).toEqual([{ name: "kept" }])
    expect(await migrate()).toBe("Nothing to migrate.\n")
    expect((await runCommand(["check"], { env: environmentOf(database) })).output).not.toContain("unlogged table")
  })

  it("stops at a column of another type, without any change", async () => {
    await database.sql.query("alter table dcim_region alter column description type varchar(7)")
    await database.sql.query("alter table dcim_site drop column facility")
    expect(await migrate()).toContain(
      "dcim_region.description is character varying(7) in the database and text in the declaration"
    )
    const columns = await database.sql.query(
      "select 1 as one from pg_attribute where attname = 'facility' and not attisdropped"
    )
    expect(columns).toEqual([])
  })

  thorough("stops if existing rows violate a new rule, and names the rule", async () => {
    await database.sql.query("alter table extras_tag drop constraint extras_tag_slug_key")
    await database.sql.query("insert into extras_tag (name, slug) values ('A', 'same'), ('B', 'same')")
    expect(await migrate()).toMatch(/extras_tag_slug_key unique \(slug\).*same/s)
  })

  it("keeps lists of references valid, as a foreign key would", async () => {
    await database.sql.query("insert into extras_tag (id, name, slug) values (1, 'A', 'a'), (2, 'B', 'b')")
    await database.sql.query("insert into dcim_site (name, slug, tags) values ('S', 's', '{2,1,2}')")
    expect(await database.sql.query("select tags::text as tags from dcim_site")).toEqual([{ tags: "{1,2}" }])
    await expect(database.sql.query("update dcim_site set tags = '{3}'")).rejects.toThrow(
      "names rows of extras_tag that do not exist"
    )
    await database.sql.query("delete from extras_tag where id = 1")
    expect(await database.sql.query("select tags::text as tags from dcim_site")).toEqual([{ tags: "{2}" }])
  })

  thorough("keeps references to one of several types valid, as a foreign key would", async () => {
    await database.sql.query("insert into dcim_site (id, name, slug) values (1, 'S', 's')")
    const group = (scope: string) =>
      database.sql.query(`insert into ipam_vlangroup (name, slug, scope_type, scope_id) values ('G', 'g', ${scope})`)
    for (const wrong of ["'dcim.site', 2", "'dcim.device', 1", "'dcim.nothing', 1", "null, 1", "'dcim.site', null"]) {
      await expect(group(wrong)).rejects.toThrow("that does not exist")
    }
    await group("'dcim.site', 1")
    await database.sql.query("delete from dcim_site")
    expect(await database.sql.query("select 1 as one from ipam_vlangroup")).toEqual([])
  })
})
