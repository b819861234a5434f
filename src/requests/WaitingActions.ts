/**
 * Retry and discard of deliveries that wait. One without an attempt has no row in the delivery log: it gets one, made of
 * the change log, and is then treated like any other.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { parsePosition } from "../event/Position.ts"
import { announceChannel } from "../postgres/Messages.ts"
import { placeOf } from "../queue/Ordered.ts"
import { Waiting } from "../history/inspect/Waiting.ts"
import { insertUnattempted } from "../log/DeliveryRows.ts"
import { type LoggedEvent, loggedDelivery, loggedEvent } from "../changelog/LoggedEvent.ts"
import { discardOne, retryOne } from "./OneDelivery.ts"

/** Most deliveries of one request. */
export const actedOnMax = 500

/** Why a delivery without an attempt was discarded. */
export const unwanted = { reason: "Unwanted", message: "A user discarded it before its first attempt." } as const

interface WaitingKey {
  readonly id: string
  readonly webhook: number
  readonly position: string
  readonly idx: number
}

/** `5-46077376-16`: the webhook, and the position of the change. Undefined for ids of tests and replays. */
const named = (id: string): WaitingKey | undefined => {
  const [, webhook, place] = /^(\d{1,15})-(\d{1,20}-\d{1,10})$/.exec(id) ?? []
  if (webhook === undefined || place === undefined) return undefined
  const { position, idx } = parsePosition(place)
  return { id, webhook: Number(webhook), position: `${position}`, idx }
}

const rowIds = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly delivery_id: string }>`
    select id::text as id, delivery_id from extras_delivery where delivery_id = any (${ids}::text[])`
  return new Map(rows.map((row) => [row.delivery_id, Number(row.id)]))
})

/** The given deliveries that wait without an attempt, as they were queued. */
const unattempted = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const waiting = yield* Waiting
  const sql = yield* SqlClient.SqlClient
  const known = ids.flatMap((id) => named(id) ?? [])
  const found: Array<WaitingKey> = []
  for (const [webhook, each] of Map.groupBy(known, (one) => one.webhook)) {
    const sought = each.map((one) => ({
      id: one.id,
      place: placeOf(one),
      entryId: `${one.position}-${one.idx}`
    }))
    const here = new Set((yield* waiting.among(webhook, sought)).map(({ id }) => id))
    found.push(...each.filter(({ id }) => here.has(id)))
  }
  const events = yield* sql.unsafe<LoggedEvent & { readonly webhook: string }>(
    `select ${loggedEvent}, p.webhook
       from unnest($1::text[], $2::text[]::bigint[], $3::text[]::bigint[]) as p (webhook, position, idx)
       join extras_objectchange c using (position, idx)`,
    [found.map(({ webhook }) => `${webhook}`), found.map(({ position }) => position), found.map(({ idx }) => `${idx}`)]
  )
  return events.map((event) => loggedDelivery(event, Number(event.webhook)))
})

/** Retries or discards deliveries that wait; returns the ids of those that it acted on. */
export const actOnWaiting = Effect.fnUntraced(function* (action: "retry" | "discard", ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* rowIds(ids)
  const acted: Array<string> = []
  for (const [id, row] of rows) {
    const act = action === "retry" ? retryOne(row) : discardOne(row)
    const isDone = yield* act.pipe(
      Effect.as(true),
      Effect.catchTag("ActionRefused", () => Effect.succeed(false))
    )
    if (isDone) acted.push(id)
  }
  const fresh = yield* unattempted(ids.filter((id) => !rows.has(id)))
  // A row that exists by now is of an attempt that has ended meanwhile.
  const inserted = yield* insertUnattempted(fresh, {
    ...(action === "retry" ? { isUrgent: true } : { dropped: unwanted, isInRedis: true }),
    keepsRows: true
  })
  yield* sql`select pg_notify(${announceChannel}, 'extras.delivery 0')::text`
  return [...acted, ...inserted]
})
