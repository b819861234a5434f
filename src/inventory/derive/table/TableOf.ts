/**
 * Declaration -> table: columns, constraints, indexes and triggers, as statements that `Migrate.ts` may have to run.
 */
import type { Generic } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import { type ObjectType, type Unique, columnOf } from "../../ObjectType.ts"
import { objectType, registry } from "../../Registry.ts"
import { bounds } from "../../Unreadable.ts"
import { bondTriggers } from "./BondTriggers.ts"
import { indexesOf } from "./Index.ts"
import { storedName } from "./StoredName.ts"
import type { Definition, Table } from "../../../postgres/migrate/Table.ts"

export const tableOf = (type: ObjectType): Table => {
  const published = type.kind === "object"
  return {
    name: type.table,
    daily: type.daily,
    columns: Object.entries(type.fields).map(([name, field]) => ({
      name: columnOf(type, name),
      type: spelling[field.type] ?? field.type,
      nullable: field.nullable,
      default: field.sqlDefault
    })),
    constraints: [...checks(type), ...uniques(type).filter((unique) => !unique.index), ...references(type)],
    indexes: [
      ...uniques(type)
        .filter((unique) => unique.index)
        .map(({ name, sql }) => ({ name, sql, unique: true })),
      ...indexesOf(type, uniquesOf(type)).map((index) => ({ ...index, unique: false }))
    ],
    triggers: [...triggers(type, published), ...bondTriggers(type), ...type.triggers],
    published,
    fill: type.fill
  }
}

/** Postgres' own names of types for which we use the short ones. */
const spelling: Readonly<Record<string, string>> = { timestamptz: "timestamp with time zone" }

const checks = (type: ObjectType): ReadonlyArray<Definition> => [
  // JavaScript cannot distinguish larger ids, so two objects would be one.
  ...(type.kind === "object"
    ? [{ name: storedName([type.table, "id"], "check"), sql: check(bounds.integer, "id"), sparesOldRows: true }]
    : []),
  ...Object.entries(type.fields).flatMap(([name, { constraint, sparesOldRows = false }]) =>
    constraint === undefined
      ? []
      : [{ name: nameOf(type, [name], "check"), sql: check(constraint, columnOf(type, name)), sparesOldRows }]
  )
]

/** Replaces `$` with the column, except in a path into JSON. */
const check = (constraint: string, column: string): string => `check (${constraint.replaceAll(/\$(?!\.)/g, column)})`

/** All uniqueness rules of a type, including those of single fields. */
export const uniquesOf = (type: ObjectType): ReadonlyArray<Unique> => [
  ...Object.entries(type.fields)
    .filter(([, field]) => field.unique)
    .map(([name]) => ({ fields: [name] })),
  ...type.unique
]

/** Name of the constraint or index that holds a uniqueness; errors of Postgres name it. */
export const uniqueName = (type: ObjectType, unique: Unique): string =>
  nameOf(type, unique.fields, unique.whereNull === undefined ? "key" : "top_key")

const nameOf = (type: ObjectType, fields: ReadonlyArray<string>, kind: string): string =>
  storedName([type.table, ...fields.map((field) => columnOf(type, field))], kind)

const uniques = (type: ObjectType): ReadonlyArray<Definition & { readonly index: boolean }> =>
  uniquesOf(type).map((unique) => {
    // A partitioned table can only be unique with the column that it is partitioned by.
    const fields = type.daily ? [...unique.fields, "time"] : unique.fields
    const keys = fields.map((field) => uniqueKey(type, unique, field, ""))
    const name = uniqueName(type, unique)
    if (unique.whereNull !== undefined) {
      return { name, sql: `(${keys.join(", ")}) where ${type.columns[unique.whereNull]} is null`, index: true }
    }
    // A constraint can name columns only, no expressions.
    const index = unique.ignoreCase !== undefined
    return { name, sql: `${index ? "" : "unique "}(${keys.join(", ")})`, index }
  })

/** SQL of the expression that a uniqueness compares; `alias` includes its dot. */
export const uniqueKey = (type: ObjectType, unique: Unique, field: string, alias: string): string => {
  const column = `${alias}${type.columns[field]}`
  return unique.ignoreCase?.includes(field) === true ? `lower(${column})` : column
}

/** The `on delete` clause of a foreign key. */
const onDelete = { cascade: "cascade", "set null": "set null", protect: "restrict" } as const

const references = (type: ObjectType): ReadonlyArray<Definition> =>
  Object.entries(type.fields).flatMap(([name, { reference }]) => {
    if (reference === undefined || reference.many || reference.onDelete === "keep") return []
    const column = type.columns[name]
    return [
      {
        name: nameOf(type, [name], "fkey"),
        sql: `foreign key (${column}) references ${objectType(reference.type).table} (id) on delete ${onDelete[reference.onDelete]}`
      }
    ]
  })

const triggers = (type: ObjectType, published: boolean): ReadonlyArray<Definition> => {
  const { table } = type
  const touched = Object.hasOwn(type.fields, "last_updated")
  return [
    ...(touched
      ? [{ name: `${table}_touch`, sql: `before update on ${table} for each row execute function rackwire_touch()` }]
      : []),
    ...(type.announced
      ? [
          {
            name: `${table}_announce`,
            sql: `after insert or update or delete on ${table} for each row execute function rackwire_announce(${literal(type.id)})`
          }
        ]
      : []),
    ...(published
      ? [
          {
            name: `${table}_no_truncate`,
            sql: `before truncate on ${table} for each statement execute function rackwire_refuse_truncate()`,
            always: true
          }
        ]
      : []),
    ...Object.entries(type.fields).flatMap(([name, { generic, reference }]) => {
      const column = columnOf(type, name)
      const call = (function_: string, ...args: ReadonlyArray<string>) =>
        `execute function ${function_}(${args.map(literal).join(", ")})`
      if (generic !== undefined) return genericTriggers(type, column, generic)
      if (reference === undefined || !reference.many || reference.ends !== undefined) return []
      const target = objectType(reference.type).table
      return [
        {
          name: `${table}_${column}_exist`,
          sql: `before insert or update of ${column} on ${table} for each row when (new.${column} <> '{}') ${call("rackwire_check_list", target, column)}`
        },
        {
          name: `${table}_${column}_forget`,
          sql: `after delete on ${target} for each row ${call("rackwire_forget", table, column)}`
        }
      ]
    })
  ]
}

/** The object types that a generic reference may name. */
export const genericTargets = ({ types }: Generic): ReadonlyArray<ObjectType> =>
  [...registry.values()].filter((target) => types?.includes(target.id) ?? target.kind === "object")

/** The name of the function that checks the object of a generic reference (DatabaseFunctions.ts). */
export const genericCheckName = (type: ObjectType, column: string): string =>
  storedName(["rackwire", type.table, column], "check")

/** The triggers that keep a generic reference valid: it has no foreign key. */
const genericTriggers = (type: ObjectType, column: string, generic: Generic): ReadonlyArray<Definition> => {
  const { table } = type
  const id = columnOf(type, generic.id)
  return [
    {
      name: `${table}_${column}_exist`,
      sql: `before insert or update of ${column}, ${id} on ${table} for each row when (num_nonnulls(new.${column}, new.${id}) > 0) execute function ${genericCheckName(type, column)}()`
    },
    ...genericTargets(generic).map((target) => ({
      name: `${target.table}_gone_${table}`,
      sql: `after delete on ${target.table} referencing old table as gone for each statement execute function rackwire_forget_generic('${table}', '${column}', '${id}', '${target.id}', '${generic.onDelete}')`
    }))
  ]
}
