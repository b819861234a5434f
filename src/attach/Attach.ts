/** Adds a NetBox as a source, follows what the running service makes of it, and takes it away again. */
import { Clock, Effect, type Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { reveal } from "../Config.ts"
import { asTexts } from "../inventory/derive/filter/Where.ts"
import { objectType } from "../inventory/Registry.ts"
import type Source from "../inventory/types/extras/Source.ts"
import { create } from "../inventory/write/Write.ts"
import { openDatabase, urlOf } from "../source/OpenSource.ts"
import { dropSlot } from "../source/slot/SourceSlot.ts"

const sourceType = objectType<typeof Source>("extras.source")

interface NewSource {
  readonly name: string
  readonly databaseUrl: Redacted.Redacted
  readonly apiUrl: string | undefined
  readonly apiToken: Redacted.Redacted | undefined
  readonly webUrl: string | undefined
  readonly slot: string
  readonly publication: string
  readonly mode: "stream" | "poll"
  /** Megabytes. */
  readonly walLimit: number
  readonly release: string
}

/** Makes the source; returns its id. A running service reads it from then on. */
export const addSource = Effect.fnUntraced(function* (source: NewSource, requestId: string) {
  const { name, databaseUrl, apiUrl, apiToken, webUrl, slot, publication, mode, walLimit, release } = source
  const body = {
    ...{ name, slot, publication, mode, database_url: reveal(databaseUrl), wal_limit: walLimit },
    ...(apiUrl !== undefined && { api_url: apiUrl }),
    ...(webUrl !== undefined && { web_url: webUrl }),
    ...(apiToken !== undefined && { api_token: reveal(apiToken) })
  }
  const [made] = yield* create(sourceType, [body], { username: "", requestId })
  const sql = yield* SqlClient.SqlClient
  yield* sql`update extras_source set release = ${release} where id = ${`${made!.row.id}`}::text::bigint`
  return made!.row.id
})

/** The source of this name; undefined if there is none. */
export const sourceNamed = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly id: string }>`select id::text as id from extras_source where name = ${name}`,
      ([row]) => row && Number(row.id)
    )
  )

interface FoundStatus {
  readonly status: string
  readonly note: string
}

const every = Schedule.spaced("200 millis")

/** Waits until the running service reads the source; returns why not if it does not within the time. */
export const untilRead = Effect.fnUntraced(function* (source: number, millis: number) {
  const sql = yield* SqlClient.SqlClient
  const status = Effect.map(
    sql<FoundStatus>`
      select status, status_note as note from extras_source where id = ${`${source}`}::text::bigint`,
    ([row]) => row
  )
  const until = (yield* Clock.currentTimeMillis) + millis
  const ended = (row: FoundStatus | undefined) => row === undefined || row.status === "reading"
  const row = yield* Effect.repeat(status, {
    schedule: every,
    until: (found) => Effect.map(Clock.currentTimeMillis, (now) => ended(found) || now > until)
  })
  if (row?.status === "reading") return undefined
  return row?.note === "" ? "no service reads it: start one with the role capture" : (row?.note ?? "it was deleted")
})

interface FirstChange {
  readonly action: string
  readonly type: string
  readonly display: string
  readonly user: string
  readonly time: string
  readonly data: string
}

/** The first event of the source within the time; undefined if there is none. */
export const firstChange = Effect.fnUntraced(function* (source: number, millis: number) {
  const sql = yield* SqlClient.SqlClient
  const first = Effect.map(
    sql<{ readonly change: FirstChange }>`
      select json_build_object('action', action || 'd', 'type', split_part(changed_object_type, ':', 2), 'display', object_repr,
               'user', user_name, 'time', source ->> 'time', 'data', source ->> 'data') as change
        from extras_objectchange where changed_object_type like ${`${source}:%`} order by position, idx limit 1`,
    ([row]) => row?.change
  )
  const until = (yield* Clock.currentTimeMillis) + millis
  return yield* Effect.repeat(first, {
    schedule: every,
    until: (found) => Effect.map(Clock.currentTimeMillis, (now) => found !== undefined || now > until)
  })
})

/** Waits until these webhooks are enabled; returns how many are, at the latest after the time. */
export const untilEnabled = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>, millis: number) {
  const sql = yield* SqlClient.SqlClient
  const count = Effect.map(
    sql<{ readonly count: number }>`
      select count(*)::int as count from extras_webhook where enabled and id = any (${asTexts(webhooks)}::text[]::bigint[])`,
    ([row]) => row!.count
  )
  const until = (yield* Clock.currentTimeMillis) + millis
  return yield* Effect.repeat(count, {
    schedule: every,
    until: (found) => Effect.map(Clock.currentTimeMillis, (now) => found === webhooks.length || now > until)
  })
})

interface DetachedSource {
  /** Webhooks of the source: as long as there are any, it stays, disabled. */
  readonly webhooks: number
}

/** Ends reading of a source, and drops its slot and publication. The source is deleted if no webhook is of it. */
export const detachSource = Effect.fnUntraced(function* (source: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly database_url: string
    readonly slot: string
    readonly publication: string
    readonly webhooks: number
  }>`
    update extras_source s set enabled = false where s.id = ${`${source}`}::text::bigint
    returning s.database_url, s.slot, s.publication,
              (select count(*)::int from extras_webhook w where w.source_id = s.id) as webhooks`
  if (row === undefined) return { webhooks: 0 } satisfies DetachedSource
  const there = yield* openDatabase(yield* urlOf(row))
  yield* dropSlot(there, row.slot)
  yield* there.unsafe(`drop publication if exists "${row.publication}"`)
  if (row.webhooks === 0) {
    yield* sql`delete from extras_source where id = ${`${source}`}::text::bigint`
    yield* sql`delete from rackwire_source_change where source_id = ${`${source}`}::text::bigint`
  }
  yield* sql`delete from rackwire_source where source_id = ${`${source}`}::text::bigint`
  return { webhooks: row.webhooks } satisfies DetachedSource
})
