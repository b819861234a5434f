/** The findings of `check` about the settings of Postgres and the rights of the role. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { replicationRefusal } from "../../capture/ReplicationTrial.ts"
import { Settings } from "../../Config.ts"
import { connectionsDefault, directConnections } from "../../postgres/Connections.ts"
import { isAlive } from "../../postgres/Presence.ts"
import type { Finding } from "./Findings.ts"

export interface PostgresFacts {
  /** As `server_version_num`: 180004. */
  readonly version: number
  /** The encoding of the database, as Postgres names it. */
  readonly encoding: string
  readonly walLevel: string
  readonly slotsMax: number
  readonly slotsUsed: number
  readonly sendersMax: number
  readonly sendersUsed: number
  /** Whether the slot of this service exists. */
  readonly slotExists: boolean
  /** Connections that the server allows the role in this database. */
  readonly connectionsMax: number
  /** Connections that all processes together may open. */
  readonly connectionsNeeded: number
  readonly mayReplicate: boolean
  readonly mayCreate: boolean
  /** The schema of the tables, quoted if that is needed. */
  readonly schema: string
  readonly user: string
  readonly database: string
}

const postgresVersionMin = 140_000

/** Checks a Postgres. */
export const judgePostgres = (facts: PostgresFacts): ReadonlyArray<Finding> => {
  const { user, database } = facts
  const need = facts.slotExists ? 0 : 1
  const finding = (what: string, is: string, well: boolean, change: string): Finding => ({
    what,
    is,
    change: well ? undefined : change
  })
  return [
    finding(
      "Postgres version",
      `${Math.floor(facts.version / 10_000)}.${facts.version % 10_000}`,
      facts.version >= postgresVersionMin,
      "Use Postgres 14 or later."
    ),
    finding(
      "encoding",
      facts.encoding,
      facts.encoding === "UTF8",
      "Create another database:  create database rackwire encoding 'UTF8' template template0;"
    ),
    finding(
      "wal_level",
      facts.walLevel,
      facts.walLevel === "logical",
      "alter system set wal_level = 'logical';  then restart Postgres."
    ),
    finding(
      "replication slots",
      `${facts.slotsUsed} of ${facts.slotsMax} used${facts.slotExists ? ", ours among them" : ""}`,
      facts.slotsMax - facts.slotsUsed >= need,
      `alter system set max_replication_slots = ${facts.slotsUsed + need + 4};  then restart Postgres, or drop a slot that nobody uses.`
    ),
    finding(
      "WAL senders",
      `${facts.sendersUsed} of ${facts.sendersMax} used`,
      facts.sendersMax - facts.sendersUsed >= need,
      `alter system set max_wal_senders = ${facts.sendersUsed + need + 4};  then restart Postgres.`
    ),
    finding(
      "connections",
      `the processes may open ${facts.connectionsNeeded} of ${facts.connectionsMax}`,
      facts.connectionsNeeded <= facts.connectionsMax,
      `Raise max_connections, or the limit of the role or the database, to ${facts.connectionsNeeded + 10}, or set DATABASE_CONNECTIONS lower for each process.`
    ),
    finding(
      "right to replicate",
      facts.mayReplicate ? "yes" : "no",
      facts.mayReplicate,
      `alter role "${user}" replication;  as a superuser (on RDS: grant rds_replication to "${user}";).`
    ),
    finding(
      "right to create tables and publications",
      facts.mayCreate ? "yes" : "no",
      facts.mayCreate,
      `grant create on database "${database}" to "${user}"; grant create on schema ${facts.schema} to "${user}";  as its owner.`
    )
  ]
}

/** SQLSTATE of a role that may not replicate. */
const insufficientPrivilege = "42501"

/** `DATABASE_CONNECTIONS` of each running process; none before the first start. */
const connectionsOfProcesses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly connections: number }>`
    select coalesce((options ->> 'DATABASE_CONNECTIONS')::int, ${connectionsDefault}::int) as connections
      from rackwire_process where ${sql.literal(yield* isAlive)}`
  return rows.map(({ connections }) => connections)
}).pipe(Effect.catch(() => Effect.succeed([])))

export const postgresFacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { slot, databaseConnections, databaseDirectUrl } = yield* Settings
  const running = yield* connectionsOfProcesses
  const opened = (running.length === 0 ? [databaseConnections] : running).map((connections) =>
    databaseDirectUrl === undefined ? connections : directConnections(connections)
  )
  const refusal = yield* replicationRefusal
  const [facts] = yield* sql<{ readonly facts: PostgresFacts }>`
    select json_build_object(
      'connectionsMax', least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())),
      'connectionsNeeded', ${opened.reduce((sum, connections) => sum + connections, 0)}::int,
      'version', current_setting('server_version_num')::int, 'encoding', current_setting('server_encoding'), 'walLevel', current_setting('wal_level'),
      'slotsMax', current_setting('max_replication_slots')::int,
      'slotsUsed', (select count(*) from pg_replication_slots),
      'sendersMax', current_setting('max_wal_senders')::int,
      'sendersUsed', (select count(*) from pg_stat_replication),
      'slotExists', exists (select 1 from pg_replication_slots where slot_name = ${slot}),
      'mayReplicate', ${refusal?.sqlState !== insufficientPrivilege}::boolean,
      'mayCreate', has_database_privilege(current_database(), 'create')
                   and coalesce(has_schema_privilege(current_schema(), 'create'), false),
      'schema', quote_ident(coalesce(current_schema(), 'public')),
      'user', current_user, 'database', current_database()) as facts`
  return facts!.facts
})
