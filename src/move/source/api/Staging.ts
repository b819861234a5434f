/**
 * The tables of NetBox's database, filled with the objects of its API: temporary tables of one connection to the target,
 * which end with it. A move then reads them as it reads a database.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { holdsTypes } from "../../../inventory/Grammar.ts"
import { registry } from "../../../inventory/Registry.ts"
import { identifier, literal } from "../Catalogue.ts"
import type { Endpoint } from "./Endpoints.ts"
import type { ApiObject } from "./Pages.ts"
import { scopeStatements } from "./Scopes.ts"
import {
  type CustomTypes,
  type PairTable,
  type Translated,
  Untranslatable,
  declaredColumns,
  numberOf,
  pairsOf,
  translate,
  typePairsOf
} from "./Translate.ts"

/** A temporary table: without the schema a lost connection would lead to the inventory's table of the name. */
const temporary = (name: string): string => `pg_temp.${identifier(name)}`

const taggedTable = temporary("extras_taggeditem")

/** Columns that mappings read of a table, whether or not there are objects. */
const needed: Readonly<Record<string, ReadonlyArray<readonly [table: string, column: string, type: string]>>> = {
  dcim_macaddress: [
    ["dcim_interface", "primary_mac_address_id", "bigint"],
    ["virtualization_vminterface", "primary_mac_address_id", "bigint"]
  ],
  dcim_cabletermination: [
    ["dcim_cabletermination", "cable_id", "bigint"],
    ["dcim_cabletermination", "cable_end", "text"],
    ["dcim_cabletermination", "termination_type_id", "bigint"],
    ["dcim_cabletermination", "termination_id", "bigint"]
  ],
  extras_eventrule: [
    ["extras_eventrule", "action_type", "text"],
    ["extras_eventrule", "action_object_id", "bigint"]
  ]
}

/** From the release with event rules on, webhooks say no more what fires. */
const isOfRules = (column: string): boolean => /^type_(?:create|update|delete)$/.test(column)

export class Staging {
  private readonly sql: SqlClient.SqlClient
  /** Types of the columns, by table. */
  private readonly tables = new Map<string, Map<string, string>>()
  private readonly pairTables = new Map<string, PairTable>()
  private readonly types = new Set<string>(registry.keys())
  private readonly customTypes = new Map<string, string>()
  private readonly filled = new Set<string>()

  constructor(sql: SqlClient.SqlClient) {
    this.sql = sql
  }

  /** Makes the tables that several endpoints fill. */
  readonly begin = Effect.suspend(() =>
    this.sql.unsafe(`create table ${taggedTable} (content_type_id integer, object_id bigint, tag_id bigint)`)
  )

  /** Makes the tables of an endpoint. */
  readonly open = Effect.fnUntraced({ self: this }, function* (this: Staging, { table, type }: Endpoint) {
    yield* this.sql.unsafe(`create table ${temporary(table)} (id bigint primary key)`)
    this.tables.set(table, new Map())
    for (const [name, field] of Object.entries(type?.fields ?? {})) {
      if (holdsTypes(field)) {
        if (field.type === "text[]") yield* this.openPairs(typePairsOf(table))
      } else if (field.reference?.many === true && field.reference.ends === undefined) {
        if (name !== "tags" || field.reference.shownBy !== undefined)
          yield* this.openPairs(pairsOf(table, type!, name, field))
      }
    }
  })

  private readonly openPairs = Effect.fnUntraced({ self: this }, function* (this: Staging, pairs: PairTable) {
    if (this.pairTables.has(pairs.name)) return
    this.pairTables.set(pairs.name, pairs)
    const shown = pairs.shownBy === undefined ? "" : ", shown text"
    yield* this.sql.unsafe(
      `create table ${temporary(pairs.name)} (${identifier(pairs.own)} bigint, ${identifier(pairs.other)} bigint${shown})`
    )
  })

  /** Adds objects of an endpoint. Fails with `Untranslatable` if one is not as NetBox shows it. */
  readonly add = Effect.fnUntraced(
    { self: this },
    function* (this: Staging, endpoint: Endpoint, objects: ReadonlyArray<ApiObject>) {
      if (objects.length === 0) return
      this.filled.add(endpoint.table)
      const rows = yield* Effect.forEach(objects, (object) => translated(endpoint, object, this.customTypes))
      if (endpoint.path === "extras/custom-fields") this.keepCustomTypes(rows)
      yield* this.insert(endpoint.table, rows)
      yield* this.insertPairs(rows)
      const tagged = rows.flatMap(({ id, tags }) => tags.map((tag) => [id, tag] as const))
      if (tagged.length === 0 || endpoint.type === undefined) return
      yield* this.sql.unsafe(
        `insert into ${taggedTable} select ${numberOf(endpoint.type.id)}, * from unnest($1::text[]::bigint[], $2::text[]::bigint[])`,
        [tagged.map(([id]) => `${id}`), tagged.map(([, tag]) => `${tag}`)]
      )
    }
  )

  private keepCustomTypes(rows: ReadonlyArray<Translated>): void {
    for (const { columns } of rows) {
      const valueOf = (name: string) => columns.find((column) => column.name === name)?.value
      this.customTypes.set(String(valueOf("name")), String(valueOf("type")))
    }
  }

  private readonly insert = Effect.fnUntraced(
    { self: this },
    function* (this: Staging, table: string, rows: ReadonlyArray<Translated & { readonly id: number }>) {
      for (const { types } of rows) for (const name of types) this.types.add(name)
      yield* this.addColumns(
        table,
        rows.flatMap(({ columns }) => columns)
      )
      const names = ["id", ...this.tables.get(table)!.keys()].map(identifier).join(", ")
      const values = rows.map(({ id, columns }) => ({
        ...Object.fromEntries(columns.map(({ name, value }) => [name, value])),
        id
      }))
      yield* this.sql.unsafe(
        `insert into ${temporary(table)} (${names})
       select ${names} from jsonb_populate_recordset(null::${temporary(table)}, $1::jsonb) on conflict do nothing`,
        [JSON.stringify(values)]
      )
    }
  )

  private readonly addColumns = Effect.fnUntraced(
    { self: this },
    function* (this: Staging, table: string, columns: ReadonlyArray<{ readonly name: string; readonly type: string }>) {
      const known = this.tables.get(table)
      if (known === undefined) return
      for (const { name, type } of columns) {
        if (known.has(name)) continue
        known.set(name, type)
        yield* this.sql.unsafe(`alter table ${temporary(table)} add column ${identifier(name)} ${type}`)
      }
    }
  )

  private readonly insertPairs = Effect.fnUntraced(
    { self: this },
    function* (this: Staging, rows: ReadonlyArray<Translated & { readonly id: number }>) {
      const all = rows.flatMap(({ id, pairs }) => pairs.map(({ table, others }) => ({ id, table, others })))
      for (const each of Map.groupBy(all, ({ table }) => table.name).values()) {
        const { table } = each[0]!
        yield* this.openPairs(table)
        const pairs = each.flatMap(({ id, others }) => others.map((other) => [id, other] as const))
        const [column, type] = table.shownBy === undefined ? [table.other, "bigint"] : ["shown", "text"]
        yield* this.sql.unsafe(
          `insert into ${temporary(table.name)} (${identifier(table.own)}, ${identifier(column)})
         select * from unnest($1::text[]::bigint[], $2::text[]::${type}[])`,
          [pairs.map(([id]) => `${id}`), pairs.map(([, other]) => `${other}`)]
        )
      }
    }
  )

  /** Takes away a table that is not whole. */
  readonly drop = (table: string) =>
    Effect.suspend(() => {
      this.tables.delete(table)
      return this.sql.unsafe(`drop table ${temporary(table)}`)
    })

  /** Completes the tables when all endpoints are read. */
  readonly end = Effect.fnUntraced({ self: this }, function* (this: Staging, endpoints: ReadonlyArray<Endpoint>) {
    const hasRules = this.tables.has("extras_eventrule")
    for (const { table, type } of endpoints) {
      if (type === undefined || this.filled.has(table)) continue
      const declared = declaredColumns(table, type)
      yield* this.addColumns(
        table,
        table === "extras_webhook" && hasRules ? declared.filter(({ name }) => !isOfRules(name)) : declared
      )
    }
    for (const [table, columns] of Object.entries(needed)) {
      if (!this.tables.has(table)) continue
      for (const [of, name, type] of columns) yield* this.addColumns(of, [{ name, type }])
    }
    for (const statement of scopeStatements(this.tables)) yield* this.sql.unsafe(statement)
    for (const { name, other, shownBy } of this.pairTables.values()) {
      if (shownBy === undefined || !this.tables.get(shownBy.table)?.has(shownBy.column)) continue
      yield* this.sql.unsafe(
        `update ${temporary(name)} p set ${identifier(other)} = o.id from ${temporary(shownBy.table)} o where o.${shownBy.column} #>> '{}' = p.shown`
      )
    }
    yield* this.nameTypes()
    yield* this.index()
  })

  private readonly nameTypes = Effect.fnUntraced({ self: this }, function* (this: Staging) {
    const rows = [...this.types].map((name) => {
      const [app, model] = name.split(".")
      return `(${numberOf(name)}, ${literal(app!)}, ${literal(model!)})`
    })
    yield* this.sql.unsafe("create table pg_temp.django_content_type (id integer, app_label text, model text)")
    yield* this.sql.unsafe(`insert into pg_temp.django_content_type values ${rows.join(", ")}`)
  })

  private readonly index = Effect.fnUntraced({ self: this }, function* (this: Staging) {
    yield* this.sql.unsafe(`create index on ${taggedTable} (object_id, content_type_id)`)
    for (const { name, own } of this.pairTables.values()) {
      yield* this.sql.unsafe(`create index on ${temporary(name)} (${identifier(own)})`)
    }
    if (this.tables.get("dcim_cabletermination")?.has("cable_id") === true) {
      yield* this.sql.unsafe("create index on pg_temp.dcim_cabletermination (cable_id)")
    }
    for (const name of ["extras_taggeditem", ...this.tables.keys(), ...this.pairTables.keys()]) {
      yield* this.sql.unsafe(`analyze ${temporary(name)}`)
    }
  })
}

const translated = (endpoint: Endpoint, object: ApiObject, types: CustomTypes) =>
  Effect.try({
    try: () => ({ id: object.id, ...translate(endpoint, object, types) }),
    catch: (error) => {
      if (!(error instanceof Untranslatable)) throw error
      return new Untranslatable(`${endpoint.path} ${object.id} is not as NetBox shows it: ${error.message}.`)
    }
  })
