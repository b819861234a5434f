/**
 * Another world for the same user: everything that a user may not see becomes different, and nothing else.
 *
 * Hidden objects get other values and other references, and twins that were not there. Triggers are off, so that no
 * visible object follows a hidden one.
 */
import type { Field } from "../../src/inventory/Field.ts"
import { literal } from "../../src/postgres/Literal.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { kindOf } from "../../src/inventory/derive/filter/Lookup.ts"
import { genericTargets, uniquesOf } from "../../src/inventory/derive/table/TableOf.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"
import type { TestDatabase } from "../support/Database.ts"

export interface HiddenRow {
  readonly type: ObjectType
  readonly id: number
}

/** The id of the twin that a hidden object will get in a round. */
export const twinOf = (id: number, round: number): number => id + 1_000_000 * (round + 1)

/** Tries statements, each on its own: what a constraint refuses is passed over. Triggers and foreign keys are off. */
const tryStatement = `
  create or replace function test_try(statement text) returns boolean language plpgsql
    set session_replication_role = replica as $$
  begin
    execute statement;
    return true;
  exception when integrity_constraint_violation or data_exception then
    return false;
  end $$`

/** Answers how many of the statements changed something. */
export const changeHidden = async (
  { superuser: sql }: TestDatabase,
  hidden: ReadonlyArray<HiddenRow>,
  round: number
): Promise<number> => {
  await sql.query(tryStatement)
  const statements = hidden.flatMap((row, at) => [
    ...changesOf(row.type, at + round).map(({ set }) => `update ${row.type.table} t set ${set} where t.id = ${row.id}`),
    twin(row, round)
  ])
  const [done] = await sql.query<{ readonly count: number }>(
    "select count(*) filter (where test_try(statement))::int as count from unnest($1::text[]) statement",
    [statements]
  )
  return done!.count
}

let made = 0
const word = (): string => literal(`h${(made++).toString(36)}`)

interface Change {
  readonly set: string
}

/** Changes that can be made to an object of the type: each column by itself. */
const changesOf = (type: ObjectType, seed: number): ReadonlyArray<Change> =>
  Object.entries(type.fields).flatMap(([name, field]): ReadonlyArray<Change> => {
    const column = type.columns[name]!
    if (field.generic !== undefined) {
      const targets = genericTargets(field.generic)
      const target = targets[seed % targets.length]!
      const id = `(select id from ${target.table} order by id limit 1 offset ${seed % 3})`
      return [{ set: `${column} = ${literal(target.id)}, ${type.columns[field.generic.id]} = ${id}` }]
    }
    if (field.reference !== undefined) {
      const ids = `select id from ${objectType(field.reference.type).table} order by md5(id::text || ${literal(String(seed))})`
      return [{ set: `${column} = ${field.reference.many ? `array(${ids} limit 2)` : `(${ids} limit 1)`}` }]
    }
    if (field.grammar !== undefined) return []
    const value = changed(kindOf(field), column, field.choices, seed)
    return value === undefined ? [] : [{ set: `${column} = ${value}` }]
  })

const changed = (
  kind: ReturnType<typeof kindOf>,
  column: string,
  choices: Readonly<Record<string, string>> | undefined,
  seed: number
): string | undefined => {
  const names = Object.keys(choices ?? {})
  switch (kind) {
    case "text":
      return word()
    case "choice":
      return literal(names[seed % names.length]!)
    case "flag":
      return `not ${column}`
    case "number":
      return `${column} + 1`
    case "mac":
      return `trunc(${column})`
    case "time":
    case "date":
      return `${column} + interval '1 day'`
    default:
      return undefined
  }
}

const twin = ({ type, id }: HiddenRow, round: number): string => {
  const names = new Set(uniquesOf(type).flatMap(({ fields }) => fields))
  const isPlain = ({ generic, ...field }: Field) => generic === undefined && kindOf(field) === "text"
  const texts = [...names].filter((name) => isPlain(type.fields[name]!))
  const own = texts.map((name) => `, ${literal(type.columns[name]!)}, ${word()}`).join("")
  return `insert into ${type.table} overriding system value
    select (jsonb_populate_record(t, jsonb_build_object('id', ${twinOf(id, round)}${own}))).* from ${type.table} t where t.id = ${id}`
}

/** Every object of every type, as its table has it. */
export const everyRow = async ({ sql }: TestDatabase): Promise<ReadonlyMap<string, ReadonlyArray<TableRow>>> => {
  const rows = new Map<string, ReadonlyArray<TableRow>>()
  for (const { id, table } of registry.values()) {
    const found = await sql.query<{ readonly row: TableRow }>(
      `select row_to_json(t) as row from ${table} t order by id limit 60`
    )
    rows.set(
      id,
      found.map(({ row }) => row)
    )
  }
  return rows
}

export type TableRow = Readonly<Record<string, unknown>> & { readonly id: number }
