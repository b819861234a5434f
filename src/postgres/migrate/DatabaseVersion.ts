/**
 * The versions of Rackwire that migrated the database. An older one refuses it: its migration would undo constraints of
 * the newer, and it would not know what the newer one wrote. Versions that differ in their last number only share a
 * database, so a release that changes declarations raises one of the others.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Table } from "./Table.ts"

export const databaseVersionTable: Table = {
  name: "rackwire_database_version",
  daily: false,
  columns: [
    { name: "version", type: "text", nullable: false },
    { name: "migrated", type: "timestamp with time zone", nullable: false, default: "now()" }
  ],
  constraints: [{ name: "rackwire_database_version_key", sql: "unique (version)" }],
  indexes: [],
  triggers: [],
  published: false
}

const table = databaseVersionTable.name

/** Returns why this version must not work on the database, or undefined. */
export const newerProblem = Effect.fnUntraced(function* (own: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql.unsafe<{ readonly name: string | null }>("select to_regclass($1)::text as name", [table])
  // A new database, or one from before versions were noted.
  if (found === undefined || found.name === null) return undefined
  const rows = yield* sql.unsafe<{ readonly version: string }>(`select version from ${table} order by migrated desc`)
  const newer = rows.find(({ version }) => isNewer(version, own))
  if (newer === undefined) return undefined
  return `The database was migrated by Rackwire ${newer.version}, and this is ${own}, which does not know what has changed since. Start ${newer.version} or later, or restore a backup from before the upgrade. Nothing was changed.`
})

/** Notes that this version has migrated the database. */
export const noteVersion = Effect.fnUntraced(function* (own: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`insert into ${table} (version) values ($1) on conflict (version) do nothing`, [own])
})

/** Whether the first two numbers of a version are higher than those of another. */
export const isNewer = (version: string, than: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [thanMajor = 0, thanMinor = 0] = than.split(".").map(Number)
  return major > thanMajor || (major === thanMajor && minor > thanMinor)
}
