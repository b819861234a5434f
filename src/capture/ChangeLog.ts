/** Writes the change log: one statement per batch; a change that is there already stays as it is. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Days } from "../postgres/Days.ts"
import { objectType } from "../inventory/Registry.ts"
import { actionOf } from "../event/Kind.ts"
import type { CapturedEvent } from "./CapturedEvent.ts"

/** Column, its Postgres type, and its value of an event. */
const columns: ReadonlyArray<readonly [string, string, (event: CapturedEvent) => string]> = [
  ["time", "timestamptz", (event) => event.timestamp],
  ["user_name", "text", (event) => event.username],
  ["request_id", "uuid", (event) => event.requestId],
  ["action", "text", (event) => actionOf[event.kind]],
  ["changed_object_type", "text", (event) => event.objectType],
  ["changed_object_id", "bigint", (event) => `${event.objectId}`],
  ["object_repr", "text", (event) => event.display],
  ["position", "bigint", (event) => `${event.position}`],
  ["idx", "bigint", (event) => `${event.idx}`],
  ["xid", "bigint", (event) => `${event.xid}`],
  ["request", "json", ({ request }) => JSON.stringify(request ?? null)],
  ["message", "text", ({ message }) => message ?? ""],
  ["source", "json", ({ source }) => JSON.stringify(source ?? null)],
  ["data", "json", (event) => event.json.data],
  ["prechange_data", "json", (event) => event.json.prechange],
  ["postchange_data", "json", (event) => event.json.postchange]
]

const { table } = objectType("extras.objectchange")

export const changeLogDays = new Days(table)

// In the list of columns, unnest() needs no copy of the rows, and a cast behind it none of the array.
const statement = `
  insert into ${table} (${columns.map(([name]) => name).join(", ")})
  select ${columns.map(([, type], at) => `unnest($${at + 1}::text[])::${type}`).join(", ")}
  on conflict (position, idx, time) do nothing`

export const write = Effect.fnUntraced(function* (events: ReadonlyArray<CapturedEvent>) {
  if (events.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* changeLogDays.write(
    events.map(({ timestamp }) => timestamp),
    sql.unsafe(
      statement,
      columns.map(([, , value]) => events.map(value))
    )
  )
})
