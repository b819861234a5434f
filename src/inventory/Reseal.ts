/** Seals texts of earlier keys with the current key, and texts that are not sealed yet. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Vault } from "./Vault.ts"
import { hideLogged, sealHidden } from "./write/Hidden.ts"
import { columnOf } from "./ObjectType.ts"
import { registry } from "./Registry.ts"

/** Returns how many texts were sealed, and how many no known key opens. */
export const reseal = Effect.gen(function* () {
  const found = { resealed: 0, unreadable: 0 }
  for (const type of registry.values()) {
    found.resealed += yield* sealHidden(type)
    yield* hideLogged(type)
    for (const [name, field] of Object.entries(type.fields)) {
      if (field.sealed !== true) continue
      const { resealed, unreadable } = yield* resealColumn(type.table, columnOf(type, name))
      found.resealed += resealed
      found.unreadable += unreadable
    }
  }
  return found
})

const resealColumn = Effect.fnUntraced(function* (table: string, column: string) {
  const sql = yield* SqlClient.SqlClient
  const { open, seal, prefix } = yield* Vault
  const rows = yield* sql.unsafe<{ readonly id: string; readonly sealed: string }>(
    `select id::text as id, ${column} as sealed from ${table} where ${column} <> '' and not starts_with(${column}, $1)`,
    [prefix]
  )
  let resealed = 0
  for (const { id, sealed } of rows) {
    const text = open(sealed)
    if (text === undefined) continue
    // Leaves a value that has changed meanwhile.
    yield* sql.unsafe(`update ${table} set ${column} = $1 where id = $2::bigint and ${column} = $3`, [
      seal(text),
      id,
      sealed
    ])
    resealed += 1
  }
  return { resealed, unreadable: rows.length - resealed }
})
