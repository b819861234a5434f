/** Whether the service sends at all: one switch for every webhook and every process. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { announceChannel } from "../postgres/Messages.ts"
import type { Table } from "../postgres/migrate/Table.ts"

/** Its row says that sending is paused; there is none otherwise. */
export const sendingTable: Table = {
  name: "rackwire_sending",
  daily: false,
  columns: [
    // One row at most.
    { name: "paused", type: "boolean", nullable: false, default: "true" },
    { name: "since", type: "timestamp with time zone", nullable: false, default: "now()" },
    { name: "by_user", type: "text", nullable: false }
  ],
  constraints: [
    { name: "rackwire_sending_key", sql: "unique (paused)" },
    { name: "rackwire_sending_check", sql: "check (paused)" }
  ],
  indexes: [],
  triggers: [],
  published: false
}

const { name: table } = sendingTable

/** Announced when sending is paused or resumed. */
export const sendingNews = table

export interface Sending {
  readonly paused: boolean
  /** ISO 8601; null while sending is not paused. */
  readonly since: string | null
  /** Name of the user who paused it. */
  readonly by: string | null
}

/** Whether sending is paused, since when and by whom. */
export const sendingState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly state: Sending }>(
    `select json_build_object('paused', true, 'since', since, 'by', by_user) as state from ${table}`
  )
  return row?.state ?? { paused: false, since: null, by: null }
})

/** Pauses sending in every process. Returns false if it was paused already. */
export const pauseSending = Effect.fnUntraced(function* (username: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe(
    `insert into ${table} (by_user) values ($1) on conflict (paused) do nothing
     returning pg_notify('${announceChannel}', '${sendingNews} 0')::text as told`,
    [username]
  )
  if (rows.length > 0) yield* Effect.logWarning(`deliver: all sending was paused by ${username}`)
  return rows.length > 0
})

/** Resumes sending. Returns false if it was not paused. */
export const resumeSending = Effect.fnUntraced(function* (username: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe(
    `delete from ${table} returning pg_notify('${announceChannel}', '${sendingNews} 0')::text as told`
  )
  if (rows.length > 0) yield* Effect.logInfo(`deliver: all sending was resumed by ${username}`)
  return rows.length > 0
})
