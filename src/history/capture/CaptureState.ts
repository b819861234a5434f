/** The state of capture, as the database has it: the slot, the publication, who leads, the epochs, the gaps. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isAlive } from "../../postgres/Presence.ts"
import { Settings } from "../../Config.ts"
import {
  type FoundPublication,
  findPublication,
  publication,
  publishedTables
} from "../../inventory/derive/table/PublicationState.ts"

export interface SlotState {
  readonly name: string
  /** Whether there is such a slot. */
  readonly exists: boolean
  readonly plugin: string | null
  readonly active: boolean
  /** `reserved`, `extended`, `unreserved` or `lost`; null without a slot. */
  readonly walStatus: string | null
  readonly restartLsn: string | null
  readonly confirmedLsn: string | null
  /** The end of the WAL. */
  readonly currentLsn: string
  /** WAL that is written and not confirmed, and WAL that the server keeps for the slot, bytes. */
  readonly lagBytes: number
  readonly retainedBytes: number
  /** `max_slot_wal_keep_size`; null for no limit. */
  readonly retainedBytesMax: number | null
}

export const slotState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { slot } = yield* Settings
  const [row] = yield* sql<{ readonly state: SlotState }>`
    select json_build_object('name', ${slot}::text, 'exists', s.slot_name is not null, 'plugin', s.plugin,
             'active', coalesce(s.active, false), 'walStatus', s.wal_status, 'restartLsn', s.restart_lsn::text,
             'confirmedLsn', s.confirmed_flush_lsn::text, 'currentLsn', pg_current_wal_insert_lsn()::text,
             'lagBytes', coalesce(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), s.confirmed_flush_lsn), 0),
             'retainedBytes', coalesce(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), s.restart_lsn), 0),
             'retainedBytesMax', (select case when setting::bigint >= 0 then setting::bigint * 1048576 end
                                    from pg_settings where name = 'max_slot_wal_keep_size')) as state
      from (select 1) one left join pg_replication_slots s on s.slot_name = ${slot}`
  return row!.state
})

export interface PublicationState {
  readonly name: string
  readonly exists: boolean
  /** How many tables it has to list. */
  readonly tables: number
  /** A sentence for each difference from what it should be. */
  readonly differences: ReadonlyArray<string>
}

export const publicationState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly found: FoundPublication }>(findPublication, [publication, publishedTables])
  const { fingerprint, ...found } = row!.found
  return {
    name: publication,
    exists: fingerprint !== null,
    tables: publishedTables.length,
    differences: fingerprint === null ? ["There is no publication."] : differencesOf(found)
  } satisfies PublicationState
})

const differencesOf = ({
  operations,
  missing,
  limited,
  unidentified
}: Omit<FoundPublication, "fingerprint">): ReadonlyArray<string> => [
  ...(operations ? [] : ["It leaves out inserts, updates, deletions or truncations."]),
  ...(missing.length === 0 ? [] : [`It does not list ${missing.join(", ")}.`]),
  ...(limited.length === 0 ? [] : [`It leaves out rows or columns of ${limited.join(", ")}.`]),
  ...(unidentified.length === 0 ? [] : [`Without replica identity full: ${unidentified.join(", ")}.`])
]

interface Captor {
  /** Host and process number. */
  readonly process: string
  readonly state: string
  /** From a commit until its events are stored, milliseconds. */
  readonly lagMillis: number
  readonly problem: string
}

export interface Leadership {
  /** The process that reads the slot; null while none does. */
  readonly leader: (Captor & { readonly generation: number; readonly since: string | null }) | null
  readonly standbys: ReadonlyArray<Captor>
}

export const leadership = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    readonly captor: Captor & { readonly leads: boolean; readonly generation: number; readonly since: string | null }
  }>`
    select json_build_object('process', p.name, 'state', p.parts #>> '{capture,state}',
             'lagMillis', (p.parts #>> '{capture,lagMillis}')::float8, 'problem', p.parts #>> '{capture,problem}',
             'leads', p.parts #>> '{capture,leads}' = 'true',
             'generation', (p.parts #>> '{capture,generation}')::float8,
             'since', (select l.began from rackwire_leader l where l.process = p.name order by l.id desc limit 1)) as captor
      from rackwire_process p where ${sql.literal(yield* isAlive)} and p.parts ? 'capture' order by p.name`
  const captors = rows.map(({ captor: { leads, generation, since, ...captor } }) => ({
    leads,
    captor,
    led: { ...captor, generation, since }
  }))
  return {
    leader: captors.find(({ leads }) => leads)?.led ?? null,
    standbys: captors.filter(({ leads }) => !leads).map(({ captor }) => captor)
  } satisfies Leadership
})

export interface EpochState {
  readonly number: number
  readonly slot: string
  readonly began: string
  /** Whether the slot continues from the epoch before. */
  readonly continues: boolean
  /** Up to when, and up to where in the WAL, all changes were captured. */
  readonly captured: string | null
  readonly capturedLsn: string | null
}

/** Most epochs, gaps and changes that are listed. */
const listedMax = 20

/** The latest epochs. */
export const epochs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly epoch: EpochState }>`
    select json_build_object('number', number, 'slot', slot, 'began', began, 'continues', continues,
             'captured', captured, 'capturedLsn', captured_lsn::text) as epoch
      from rackwire_epoch order by number desc limit ${listedMax}`
  return rows.map(({ epoch }) => epoch)
})

export interface Gap {
  readonly id: number
  readonly cause: string
  readonly reason: string
  /** Ids of the object types; null for all. */
  readonly objectTypes: ReadonlyArray<string> | null
  readonly since: string
  /** Null as long as it is open. */
  readonly until: string | null
  readonly acknowledged: string | null
}

/** The gaps, those first that nobody has acknowledged. */
export const gaps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly gap: Gap }>`
    select json_build_object('id', id, 'cause', cause, 'reason', reason, 'objectTypes', object_types, 'since', since,
             'until', until, 'acknowledged', acknowledged) as gap
      from rackwire_gap order by acknowledged is not null, id desc limit ${listedMax}`
  return rows.map(({ gap }) => gap)
})

/** Acknowledges a gap; returns whether there was one to acknowledge. */
export const acknowledgeGap = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    update rackwire_gap set acknowledged = now() where id = ${id}::bigint and acknowledged is null returning 1 as one`
  return rows.length > 0
})

export interface SetAsideState {
  readonly count: number
  /** The latest ones. */
  readonly changes: ReadonlyArray<{
    readonly objectType: string
    readonly objectId: string
    readonly kind: string
    readonly reason: string
    readonly committed: string
  }>
}

/** The changes of which no event could be made. */
export const setAsideState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly state: SetAsideState }>`
    select json_build_object('count', (select count(*) from rackwire_set_aside), 'changes', coalesce((
             select json_agg(json_build_object('objectType', object_type, 'objectId', object_id, 'kind', kind,
                               'reason', reason, 'committed', committed))
               from (select * from rackwire_set_aside order by position desc, idx desc limit ${listedMax}) latest), '[]')) as state`
  return row!.state
})
