/** Rows of deliveries without an attempt. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Days } from "../postgres/Days.ts"
import type { Delivery } from "../event/Delivery.ts"
import type { DropReason } from "../event/Outcome.ts"
import { objectType } from "../inventory/Registry.ts"

export const deliveryType = objectType("extras.delivery")

export const deliveryDays = new Days("extras_delivery")

/** Why there is a row: the delivery was dropped, cannot be made, or a user requested it. */
interface UnattemptedRow {
  readonly dropped?: DropReason
  readonly failed?: Unmakeable
  readonly askedBy?: number | undefined
  /** Whether it does not wait for an open circuit breaker. */
  readonly isUrgent?: boolean
  /** Id of the operation of which it is a part. */
  readonly operation?: string
  /** Whether it waits in Redis, and stays there unless it was dropped. */
  readonly isInRedis?: boolean
  /** Whether a row that exists stays as it is. */
  readonly keepsRows?: boolean
}

/** `SetAside`: no event can be made of the change (capture/SetAside.ts). */
interface Unmakeable {
  readonly reason: "SetAside"
  readonly message: string
}

/** The change of a row that exists. */
const change = `do update set status = excluded.status, next_attempt = excluded.next_attempt,
  reason = coalesce(nullif(extras_delivery.reason, ''), excluded.reason),
  message = coalesce(nullif(extras_delivery.message, ''), excluded.message)`

/** Adds deliveries as `failed`; a row that exists stays as it is. */
export const insertFailed = (deliveries: ReadonlyArray<Delivery>, failed: Unmakeable) =>
  insertUnattempted(deliveries, { failed, keepsRows: true })

/**
 * Adds the deliveries as `queued`, to be taken up like retries by hand, as `retrying` if Redis has them, or as
 * `discarded` with the reason. An existing row gets the status, and the reason if it had none. Returns the ids of the
 * deliveries whose rows were written.
 */
export const insertUnattempted = Effect.fnUntraced(function* (
  deliveries: ReadonlyArray<Delivery>,
  { dropped, failed, askedBy, isUrgent = false, operation, isInRedis = false, keepsRows = false }: UnattemptedRow = {}
) {
  if (deliveries.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const insert = sql.unsafe<{ readonly id: string }>(
    `insert into extras_delivery (delivery_id, webhook_id, status, event, object_type, object_id, request_id, time,
                                  position, idx, attempts, reason, message, asked_by, is_urgent, operation_id,
                                  next_attempt)
     select i, w::bigint, $1, e, t, o::bigint, r::uuid, c::timestamptz, p::bigint, x::bigint, a::bigint, $12, $13,
            $14::text::bigint, $15::boolean, $16::text::bigint, case when $17::boolean then now() end
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                   $10::text[], $11::text[]) as u (i, w, e, t, o, r, c, p, x, a)
     on conflict (delivery_id, time) ${keepsRows ? "do nothing" : change}
     returning delivery_id as id`,
    [
      failed !== undefined ? "failed" : dropped !== undefined ? "discarded" : isInRedis ? "retrying" : "queued",
      deliveries.map(({ id }) => id),
      deliveries.map(({ webhook }) => `${webhook}`),
      deliveries.map(({ event }) => event),
      deliveries.map(({ objectType }) => objectType),
      deliveries.map(({ objectId }) => `${objectId}`),
      deliveries.map(({ requestId }) => requestId),
      deliveries.map(({ time }) => time),
      deliveries.map(({ position }) => position),
      deliveries.map(({ idx }) => `${idx}`),
      deliveries.map(({ attempts }) => `${attempts}`),
      (failed ?? dropped)?.reason ?? "",
      (failed ?? dropped)?.message ?? "",
      askedBy === undefined ? null : `${askedBy}`,
      isUrgent,
      operation ?? null,
      isInRedis
    ]
  )
  const rows = yield* deliveryDays.write(
    deliveries.map(({ time }) => time),
    insert
  )
  return rows.map(({ id }) => id)
})
