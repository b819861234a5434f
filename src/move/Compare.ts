/** Rows of the source against the rows of the target: which of their columns differ. Postgres compares the values. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type ObjectType, columnOf } from "../inventory/ObjectType.ts"
import { Vault, sealedMark } from "../inventory/Vault.ts"
import { type NewRow, asColumns } from "./Load.ts"

/** A time that is equal to every other: the source has none. */
export const anyTime = "infinity"

export interface Difference {
  readonly id: number
  /** The columns that differ; undefined if the target does not have the object. */
  readonly columns: ReadonlyArray<string> | undefined
}

/** SQL over `j`, a row of the source, and `t`, that of the target: whether a column differs. */
const differs = (column: string, type: string, isVerbatim: boolean): string => {
  const [there, here] = [`j.${column}`, `t.${column}`]
  if (type === "json") return `${there}::text::jsonb is distinct from ${here}::text::jsonb`
  if (type === "timestamptz") return `${there} is distinct from ${here} and ${there} is distinct from '${anyTime}'`
  // A login replaces the hash of a password.
  if (isVerbatim) return `${there} is distinct from ${here} and ${here} not like '$argon2id$%'`
  return `${there} is distinct from ${here}`
}

const bothSealed = (column: string): string =>
  `j.${column}::text like '${sealedMark}%' and t.${column}::text like '${sealedMark}%'`

interface Compared extends Difference {
  readonly isMissing: boolean
  readonly columns: ReadonlyArray<string>
  readonly sealed: Readonly<Record<string, readonly [string, string]>>
}

/** The rows that differ. `rows`: fields as they are before they are stored. */
export const differencesOf = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<NewRow>,
  verbatim: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const values = yield* asColumns(type, rows, verbatim)
  if (values.length === 0) return []
  const fields = new Map(Object.entries(type.fields).map(([name, field]) => [columnOf(type, name), { name, field }]))
  const columns = Object.keys(values[0]!).filter((name) => name !== "id")
  const kinds = columns.map((column) => {
    const { name = "", field } = fields.get(column) ?? {}
    const isSealed = field?.type === "text" && (field.store !== undefined || field.wire === "none")
    return { column, isSealed, sql: `(${differs(column, field?.type ?? "", verbatim.includes(name))})` }
  })
  const sealed = kinds.filter(({ isSealed }) => isSealed).map(({ column }) => column)
  const different = kinds.map(({ column, isSealed, sql }) =>
    isSealed ? { column, sql: `(${sql} and not coalesce(${bothSealed(column)}, false))` } : { column, sql }
  )
  const pairs = sealed.map(
    (column) => `'${column}', case when ${bothSealed(column)} then array[j.${column}, t.${column}] end`
  )
  const found = yield* sql.unsafe<Compared>(
    `select j.id::float8 as id, t.id is null as "isMissing",
            array_remove(array[${different.map(({ column, sql }) => `case when ${sql} then '${column}' end`).join(", ")}]::text[], null) as columns,
            jsonb_strip_nulls(jsonb_build_object(${pairs.join(", ")})) as sealed
       from jsonb_populate_recordset(null::${type.table}, $1::jsonb) j left join ${type.table} t on t.id = j.id
      where t.id is null or ${[...different.map(({ sql }) => sql), ...sealed.map((each) => `(${bothSealed(each)})`)].join(" or ")}`,
    [JSON.stringify(values)]
  )
  return found.flatMap(({ id, isMissing, columns, sealed }): ReadonlyArray<Difference> => {
    if (isMissing) return [{ id, columns: undefined }]
    const others = Object.entries(sealed).flatMap(([name, [there, here]]) =>
      vault.open(there) === vault.open(here) ? [] : [name]
    )
    const all = [...columns, ...others]
    return all.length === 0 ? [] : [{ id, columns: all }]
  })
})
