/**
 * Seals texts of earlier keys with the current key, and texts that are not sealed yet; and records the key that sealed
 * the secrets of a database, by the prefix of its texts. A process with another SECRET_KEY does not start; one that
 * still runs with a replaced key is not ready, because others could not read the secrets that it would seal.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Table } from "../postgres/migrate/Table.ts"
import { OptionRefused } from "../Setting.ts"
import { Vault, prefixChars, sealedMark } from "./Vault.ts"
import { hideLogged, sealHidden } from "./write/Hidden.ts"
import { columnOf } from "./ObjectType.ts"
import { registry } from "./Registry.ts"

interface SealedColumn {
  readonly table: string
  readonly column: string
}

/**
 * The sealed columns of tables without an object type: the secrets of authenticator apps (auth/factor/Factors.ts), and
 * the addresses of sources, of which one that was deleted has a slot to drop (source/state/SourceState.ts).
 */
const furtherColumns: ReadonlyArray<SealedColumn> = [
  { table: "rackwire_totp", column: "secret" },
  { table: "rackwire_source", column: "database_url" }
]

/** The columns of sealed texts. */
const sealedColumns = (): ReadonlyArray<SealedColumn> => [
  ...furtherColumns,
  ...Array.from(registry.values()).flatMap((type) =>
    Object.entries(type.fields).flatMap(([name, field]) =>
      field.sealed === true ? [{ table: type.table, column: columnOf(type, name) }] : []
    )
  )
]

/** Returns how many texts were sealed, and how many no known key opens. */
const reseal = Effect.gen(function* () {
  const found = { resealed: 0, unreadable: 0 }
  for (const type of registry.values()) {
    found.resealed += yield* sealHidden(type)
    yield* hideLogged(type)
  }
  for (const { table, column } of sealedColumns()) {
    const { resealed, unreadable } = yield* resealColumn(table, column)
    found.resealed += resealed
    found.unreadable += unreadable
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

// --- the record of the key

export const keyTable: Table = {
  name: "rackwire_secret_key",
  daily: false,
  columns: [
    // One row at most.
    { name: "current", type: "boolean", nullable: false, default: "true" },
    // Empty after an operator has lost the key: the next start records its own.
    { name: "prefix", type: "text", nullable: false }
  ],
  constraints: [
    { name: "rackwire_secret_key_key", sql: "unique (current)" },
    { name: "rackwire_secret_key_check", sql: "check (current)" }
  ],
  indexes: [],
  triggers: [],
  published: false
}

const { name: table } = keyTable

/** The recorded prefix; undefined before the first start. */
const recordedPrefix = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly prefix: string }>(`select prefix from ${table}`)
  return row?.prefix
})

/** The prefixes in a database of a version that recorded none. */
const prefixesInUse = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const parts = sealedColumns().map(
    ({ table, column }) =>
      `select left(${column}, ${prefixChars}) as prefix from ${table} where starts_with(${column}, '${sealedMark}')`
  )
  const rows = yield* sql.unsafe<{ readonly prefix: string }>(parts.join(" union "))
  return rows.map(({ prefix }) => prefix)
})

/** The step to take when the key is another one. */
export const keyAdvice = `Set the former key, or add it to SECRET_KEY_FALLBACKS. If it is lost:  update ${table} set prefix = '';  then start the service, and enter the secrets of webhooks anew.`

const isKnown = (vault: Vault["Service"], prefix: string | undefined): boolean =>
  prefix === undefined || prefix === "" || vault.prefixes.includes(prefix)

/** A sentence if neither SECRET_KEY nor a fallback is the recorded key. */
export const keyProblems = Effect.gen(function* () {
  return isKnown(yield* Vault, yield* recordedPrefix)
    ? []
    : ["SECRET_KEY is not the key that sealed the secrets of this database"]
})

/** Fails with `OptionRefused` if neither SECRET_KEY nor a fallback is the recorded key. */
export const requireKey = Effect.gen(function* () {
  if ((yield* keyProblems).length === 0) return
  const message = `SECRET_KEY: not the key that sealed the secrets of this database. ${keyAdvice}`
  return yield* new OptionRefused({ message })
})

/** Seals all secrets with SECRET_KEY and records it. Fails with `OptionRefused` if the recorded key is not known. */
export const sealWithKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  if ((yield* recordedPrefix) === undefined) {
    const used = yield* prefixesInUse
    const prefix = used.some((each) => vault.prefixes.includes(each)) ? vault.prefix : (used[0] ?? vault.prefix)
    yield* sql.unsafe(`insert into ${table} (prefix) values ($1) on conflict (current) do nothing`, [prefix])
  }
  yield* requireKey
  const counts = yield* reseal
  // Last, so that an interrupted start still requires the former key. Keeps what another process has recorded meanwhile.
  yield* sql.unsafe(`update ${table} set prefix = $1 where prefix = any ($2::text[]) and prefix <> $1`, [
    vault.prefix,
    ["", ...vault.prefixes]
  ])
  return counts
})
