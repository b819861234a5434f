/** The facts about a NetBox' database that decide whether its changes can be read. */
import { Effect, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { CaptureError } from "../capture/CaptureError.ts"
import { replicationRefusal } from "../capture/ReplicationTrial.ts"
import { Servers } from "../embedded/Servers.ts"
import { releaseOfAtLeast, telltaleTables } from "../move/source/Catalogue.ts"
import type { AttachError } from "./AttachError.ts"
import { type Platform, platformRoles } from "./Platform.ts"
import { onSource } from "./SourceDatabase.ts"

interface AttachNames {
  readonly slot: string
  readonly publication: string
}

interface FoundPublication {
  /** Whether the role may alter it. */
  readonly isOwned: boolean
  readonly hasTable: boolean
  /** Whether it has all rows and columns of the table. */
  readonly isWhole: boolean
  /** As `insert`, `update`, `delete`, `truncate`. */
  readonly operations: ReadonlyArray<string>
}

interface FoundSlot {
  readonly database: string | null
  readonly plugin: string | null
  readonly isActive: boolean
  readonly isLost: boolean
}

interface ChangeTable {
  readonly name: string
  readonly owner: string
  /** Whether the role has the rights of its owner. */
  readonly isOwned: boolean
}

/**
 * The answer to a replication connection. `forbidden`: the role lacks the right. `host`: pg_hba.conf has no line for it.
 * `busy`: no walsender is free. `pooled`: a pooler answers. `refused`: another reason.
 */
type ReplicationAnswer = "accepted" | "forbidden" | "host" | "busy" | "pooled" | "refused"

interface ServerFacts {
  /** As `server_version_num`: 180004. */
  readonly version: number
  readonly platform: Platform
  readonly database: string
  readonly user: string
  readonly isStandby: boolean
  /** The schema of NetBox' tables; null if it was not found. */
  readonly schema: string | null
  readonly mayUseSchema: boolean
  /** Tables by which a NetBox and its release are recognized, as far as they exist. */
  readonly tables: ReadonlyArray<string>
  readonly changeTable: ChangeTable | null
  /** Tables that the role may not read. */
  readonly unreadable: ReadonlyArray<string>
  readonly webhookTables: ReadonlyArray<string>
  readonly walLevel: string
  readonly slotsMax: number
  readonly slotsUsed: number
  readonly sendersMax: number
  readonly sendersUsed: number
  /** Whether the role may create publications in the database, of tables that it owns. */
  readonly mayCreate: boolean
  readonly foundPublication: FoundPublication | null
  readonly foundSlot: FoundSlot | null
  /** As Postgres shows it: `1h`, `0` for never; null before version 18. */
  readonly idleSlotTimeout: string | null
  /** Most megabytes of WAL that the server keeps for a slot; null for no limit. */
  readonly slotWalMegabytes: number | null
}

export interface AttachFacts extends AttachNames, ServerFacts {
  /** The release that the database is of at least; undefined for one before 3.1. */
  readonly release: string | undefined
  readonly replication: ReplicationAnswer
  /** The refusal of a replication connection in the words of the server; "" for none. */
  readonly replicationRefusal: string
}

const changeTables = ["core_objectchange", "extras_objectchange"]

const webhookTables = [
  ...["extras_webhook", "extras_webhook_content_types", "extras_eventrule"],
  ...["extras_eventrule_content_types", "extras_eventrule_object_types"]
]

/** Tables without which no change can be read. */
const neededTables = [...changeTables, "django_content_type"]

/** $1: tables of interest, $2: change tables, $3: webhook tables, $4: tables that must be readable, $5: slot, $6: publication. */
const statement = `
  with home as (
    select c.relnamespace as schema from pg_class c
     where c.relname = 'django_content_type' and c.relkind in ('r', 'p')
     order by pg_table_is_visible(c.oid) desc, c.relnamespace limit 1),
  tables as (
    select c.oid, c.relname::text as name, c.relowner as owner, has_table_privilege(c.oid, 'select') as readable
      from pg_class c join home h on h.schema = c.relnamespace
     where c.relkind in ('r', 'p') and c.relname = any ($1::text[])),
  change as (select * from tables where name = any ($2::text[]) order by name limit 1),
  published as (
    select p.pubowner, p.pubinsert, p.pubupdate, p.pubdelete, p.pubtruncate, t.attributes
      from pg_publication p
      left join lateral (
        select to_jsonb(pt) as attributes from pg_publication_tables pt, change, home
          join pg_namespace n on n.oid = home.schema
         where pt.pubname = p.pubname and pt.tablename = change.name and pt.schemaname = n.nspname) t on true
     where p.pubname = $6::text)
  select json_build_object(
    'version', current_setting('server_version_num')::int,
    'platform', coalesce((select case rolname
        when '${platformRoles.rds}' then 'rds' when '${platformRoles.cloudsql}' then 'cloudsql' else 'azure' end
      from pg_roles where rolname in ('${platformRoles.rds}', '${platformRoles.cloudsql}', '${platformRoles.azure}')
      order by rolname limit 1), 'plain'),
    'database', current_database(), 'user', current_user, 'isStandby', pg_is_in_recovery(),
    'schema', (select nspname from pg_namespace join home on schema = oid),
    'mayUseSchema', coalesce((select has_schema_privilege(schema, 'usage') from home), false),
    'tables', array(select name from tables order by name),
    'changeTable', (select json_build_object('name', name, 'owner', pg_get_userbyid(owner),
        'isOwned', pg_has_role(owner, 'usage')) from change),
    'unreadable', array(select name from tables where not readable and name = any ($4::text[]) order by name),
    'webhookTables', array(select name from tables where name = any ($3::text[]) order by name),
    'walLevel', current_setting('wal_level'),
    'slotsMax', current_setting('max_replication_slots')::int, 'slotsUsed', (select count(*) from pg_replication_slots),
    'sendersMax', current_setting('max_wal_senders')::int, 'sendersUsed', (select count(*) from pg_stat_replication),
    'mayCreate', has_database_privilege(current_database(), 'create'),
    'foundPublication', (select json_build_object('isOwned', pg_has_role(pubowner, 'usage'),
        'hasTable', attributes is not null,
        'isWhole', coalesce(attributes ->> 'rowfilter' is null and not exists (
            select from pg_attribute a, change
             where a.attrelid = change.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
               and attributes -> 'attnames' is not null and not attributes -> 'attnames' ? a.attname::text), true),
        'operations', array_remove(array[case when pubinsert then 'insert' end, case when pubupdate then 'update' end,
            case when pubdelete then 'delete' end, case when pubtruncate then 'truncate' end], null)) from published),
    'foundSlot', (select json_build_object('database', database, 'plugin', plugin, 'isActive', active,
        'isLost', coalesce(wal_status = 'lost', false)) from pg_replication_slots where slot_name = $5::text),
    'idleSlotTimeout', current_setting('idle_replication_slot_timeout', true),
    'slotWalMegabytes', (select nullif(setting::float8, -1) from pg_settings where name = 'max_slot_wal_keep_size')
  ) as facts`

/** Reads the facts on one connection, which it closes. Changes nothing. */
export const readFacts = (
  databaseUrl: Redacted.Redacted,
  names: AttachNames,
  takesWebhooks: boolean
): Effect.Effect<AttachFacts, AttachError, Servers> =>
  Effect.gen(function* () {
    const facts = yield* onSource(databaseUrl, (sql) => serverFacts(sql, names, takesWebhooks))
    const own = yield* Servers
    const there = Servers.of({ ...own, databaseUrl, poolerUrl: undefined })
    const refusal = yield* replicationRefusal.pipe(Effect.provideService(Servers, there))
    return {
      ...names,
      ...facts,
      release: releaseOfAtLeast(new Set(facts.tables)),
      replication: answerOf(refusal),
      replicationRefusal: refusal?.message ?? ""
    }
  })

const serverFacts = (sql: SqlClient.SqlClient, names: AttachNames, takesWebhooks: boolean) =>
  Effect.map(
    sql.unsafe<{ readonly facts: ServerFacts }>(statement, [
      [...new Set([...telltaleTables, ...changeTables, ...webhookTables])],
      changeTables,
      webhookTables,
      takesWebhooks ? [...neededTables, ...webhookTables] : neededTables,
      names.slot,
      names.publication
    ]),
    ([row]) => row!.facts
  )

/** The meaning of a refused replication connection. Pure. */
export const answerOf = (refusal: Pick<CaptureError, "reason" | "sqlState"> | undefined): ReplicationAnswer => {
  if (refusal === undefined) return "accepted"
  const { sqlState } = refusal
  if (sqlState === "42501") return "forbidden"
  if (sqlState === "28000") return "host"
  if (sqlState === "53300") return "busy"
  return sqlState === "08P01" || refusal.reason === "Protocol" ? "pooled" : "refused"
}
