/**
 * NetBox's configuration of a user: a dictionary of anything that programs keep about their user. The preferences of the
 * console are apart from it: each request reads those with the user's row.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dictionary, emptyRecord, isDictionary } from "../../inventory/Field.ts"
import { json } from "../../inventory/ObjectType.ts"
import { isDeeper } from "../../inventory/Unreadable.ts"
import type { Table } from "../../postgres/migrate/Table.ts"

export const userConfigTable: Table = {
  name: "rackwire_user_config",
  daily: false,
  columns: [
    { name: "user_id", type: "bigint", nullable: false },
    { name: "data", type: "jsonb", nullable: false }
  ],
  constraints: [
    { name: "rackwire_user_config_user_id_key", sql: "unique (user_id)" },
    {
      name: "rackwire_user_config_user_id_fkey",
      sql: "foreign key (user_id) references users_user (id) on delete cascade"
    }
  ],
  indexes: [],
  triggers: [],
  published: false
}

/** Most levels of a configuration, and characters of its JSON. */
const levelsMax = 16
const charsMax = 65_536

/** The configuration of a user; empty where none was stored. */
export const userConfig = Effect.fnUntraced(function* (user: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Stored>`select data from rackwire_user_config where user_id = ${`${user}`}::bigint`
  return row?.data ?? {}
})

interface Stored {
  readonly data: Dictionary
}

/**
 * Merges a change into the configuration of a user, and returns the result; or the reason why it cannot be stored.
 * Changes of one user wait for each other.
 */
export const changeUserConfig = (user: number, change: Dictionary) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const id = `${user}`
        yield* sql`
          insert into rackwire_user_config (user_id, data) values (${id}::bigint, '{}') on conflict (user_id) do nothing`
        const [row] = yield* sql<Stored>`
          select data from rackwire_user_config where user_id = ${id}::bigint for update`
        const data = merged(row?.data ?? {}, change)
        const text = JSON.stringify(data)
        const problem = problemOf(data, text)
        if (problem !== undefined) return { problem }
        yield* sql`update rackwire_user_config set data = ${text}::jsonb where user_id = ${id}::bigint`
        return { data }
      })
    )
  )

/** Dictionaries are merged at every level; any other value takes the place of the one before. */
export const merged = (before: Dictionary, change: Dictionary): Dictionary => {
  const result = emptyRecord<unknown>()
  for (const [key, value] of Object.entries(before)) result[key] = value
  for (const [key, value] of Object.entries(change)) {
    const known = result[key]
    result[key] = isDictionary(value) ? merged(isDictionary(known) ? known : {}, value) : value
  }
  return result
}

const stored = json()

const problemOf = (data: Dictionary, text: string): string | undefined => {
  if (isDeeper(data, levelsMax)) return `Value must not be nested more than ${levelsMax} levels deep.`
  if (text.length > charsMax) return `Ensure that the configuration has no more than ${charsMax} characters of JSON.`
  const parsed = stored.parse(data)
  return "errors" in parsed ? String(parsed.errors) : undefined
}
