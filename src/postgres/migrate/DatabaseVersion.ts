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
    { name: "migrated", type: "timestamp with time zone", nullable: false, default: "now()" },
    // Digests of the functions that it declared and left in the database (Functions.ts).
    { name: "functions", type: "text", nullable: true }
  ],
  constraints: [{ name: "rackwire_database_version_key", sql: "unique (version)" }],
  indexes: [],
  triggers: [],
  published: false
}

const table = databaseVersionTable.name

interface MigratedVersion {
  readonly version: string
  readonly functions: string | null
}

/** The versions that migrated the database, the newest first: none if it is new, or from before they were noted. */
export const migratedVersions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql.unsafe<{ readonly name: string | null }>("select to_regclass($1)::text as name", [table])
  if (found === undefined || found.name === null) return []
  // A table of an earlier version has no column of functions.
  return yield* sql.unsafe<MigratedVersion>(
    `select version, to_jsonb(v) ->> 'functions' as functions from ${table} v order by migrated desc`
  )
})

/** Why a version must not work on the database, or undefined. Pure. */
export const newerProblem = (migrated: ReadonlyArray<MigratedVersion>, own: string): string | undefined => {
  const newer = migrated.find(({ version }) => isNewer(version, own))
  return newer === undefined
    ? undefined
    : `The database was migrated by Rackwire ${newer.version}, and this is ${own}, which does not know what has changed since. Start ${newer.version} or later, or restore a backup from before the upgrade. Nothing was changed.`
}

/** Notes that a version has migrated the database, and the functions that it left there. */
export const noteVersion = Effect.fnUntraced(function* (own: string, functions: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `insert into ${table} (version, functions) values ($1, $2)
     on conflict (version) do update set functions = excluded.functions`,
    [own, functions]
  )
})

/** Whether the first two numbers of a version are higher than those of another. */
export const isNewer = (version: string, than: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [thanMajor = 0, thanMinor = 0] = than.split(".").map(Number)
  return major > thanMajor || (major === thanMajor && minor > thanMinor)
}
