/** Deliveries of the delivery log that are nowhere in Redis. */
import { Effect } from "effect"
import { paused } from "../../eventloop/Pace.ts"
import type { Sought } from "../Absent.ts"
import { placeOf } from "../Ordered.ts"
import { Streams } from "../Streams.ts"

type SoughtOf = ReadonlyMap<number, ReadonlyArray<Sought>>

/**
 * Deliveries that are nowhere in Redis, by webhook; webhooks without any are left out. Searched twice: one that moves
 * meanwhile is seen nowhere. Where too many are due to compare with, none is taken for missing.
 */
export const missing = Effect.fnUntraced(function* (sought: SoughtOf) {
  const absent = yield* searched(sought, () => [])
  if (absent.size === 0) return absent
  yield* paused(({ deliver }) => deliver.searchMillis)
  return yield* searched(absent, () => [])
})

/**
 * Deliveries that may be nowhere in Redis, by webhook. Searched once: one that moves meanwhile may be among them. Where
 * too many are due to compare with, all are.
 */
export const mayBeMissing = (sought: SoughtOf) => searched(sought, (each) => each)

const searched = Effect.fnUntraced(function* (
  sought: SoughtOf,
  ifTooMany: (each: ReadonlyArray<Sought>) => ReadonlyArray<Sought>
) {
  const streams = yield* Streams
  const absent = new Map<number, ReadonlyArray<Sought>>()
  for (const [webhook, each] of sought) {
    const found = (yield* streams.missing(webhook, each)) ?? ifTooMany(each)
    if (found.length > 0) absent.set(webhook, found)
  }
  return absent
})

/** The columns of a delivery's row that say where it may be in Redis. */
export interface DeliveryRow {
  readonly delivery_id: string
  readonly webhook_id: string
  readonly position: string
  readonly idx: string
}

export const soughtOf = ({ delivery_id, webhook_id, position, idx }: DeliveryRow): Sought => {
  const entryId = `${position}-${idx}`
  return {
    id: delivery_id,
    place: placeOf({ id: delivery_id, position, idx: Number(idx) }),
    // The id of a replay differs, and it is never in the queue.
    entryId: delivery_id === `${webhook_id}-${entryId}` ? entryId : ""
  }
}
