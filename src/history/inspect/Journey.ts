/**
 * The journey of a delivery, from the commit to the receiver's answer, as far as the change log and the delivery log
 * know it. They have no time for capture, matching and the queue; together these end when the first attempt begins.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../../inventory/Clearance.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import { after } from "../../inventory/derive/filter/Where.ts"
import { lsnOf } from "../../event/Position.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import type { DeliveryKey, LoggedAttempt } from "./Attempts.ts"

export interface Stage {
  readonly stage: "committed" | "captured" | "matched" | "queued" | "attempted" | "next" | "ended"
  readonly state: "done" | "failed" | "waiting"
  /** ISO 8601; null where no log has it. */
  readonly time: string | null
  /** Milliseconds since the commit. */
  readonly after_ms: number | null
  readonly text: string
  /** The number of the attempt; null for other stages. */
  readonly attempt: number | null
}

export interface Traced extends DeliveryKey {
  readonly id: number
  readonly webhook: number | null
  readonly status: string
  readonly next_attempt: string | null
  readonly message: string | null
}

/** The origin of a delivery, as the current user may see it. */
export interface Origin {
  readonly lsn: string
  /** The id of its change; null if the log no longer has it, or the user may not view it. */
  readonly change: number | null
  /** Changes of the same transaction that the user may view; counted up to `countedMax`. */
  readonly changes: number
  /** Webhooks with a delivery of the change. */
  readonly webhooks: number
}

export const countedMax = 1000

interface FoundOrigin {
  readonly position: string
  readonly change: string | null
  readonly changes: string
}

/** Returns the origin of the delivery. */
export const originOf = Effect.fnUntraced(function* ({ delivery_id: id, time }: DeliveryKey) {
  const sql = yield* SqlClient.SqlClient
  const own = "d.delivery_id = $1 and d.time = $2::text::timestamptz"
  const [seen, told] = [yield* cleared(changeType, "view"), yield* cleared(deliveryType, "view")]
  const [place] = yield* sql.unsafe<FoundOrigin>(
    `select d.position::text as position,
            (select t.id::text from extras_objectchange t
              where t.position = d.position and t.idx = d.idx and t.time = d.time and (${after(2, seen)})) as change,
            (select count(*)::text from (select 1 from extras_objectchange t
              where t.position = d.position and t.time = d.time and (${after(2, seen)}) limit ${countedMax}) c) as changes
       from extras_delivery d where ${own}`,
    [id, time, ...seen.parameters]
  )
  const [beside] = yield* sql.unsafe<{ readonly webhooks: string }>(
    // The object finds the rows by an index.
    `select count(distinct t.webhook_id)::text as webhooks from extras_delivery d join extras_delivery t
         on t.object_type = d.object_type and t.object_id = d.object_id and t.time = d.time
        and t.position = d.position and t.idx = d.idx
      where ${own} and (${after(2, told)})`,
    [id, time, ...told.parameters]
  )
  return {
    lsn: place === undefined ? "" : lsnOf(BigInt(place.position)),
    change: place === undefined || place.change === null ? null : Number(place.change),
    changes: Number(place?.changes ?? 0),
    webhooks: Number(beside?.webhooks ?? 0)
  } satisfies Origin
})

/** The stages in their order. Pure. */
export const journeyOf = (
  delivery: Traced,
  origin: Origin,
  attempts: ReadonlyArray<LoggedAttempt>
): ReadonlyArray<Stage> => {
  const committed = Date.parse(delivery.time)
  const at = (time: string | null): Pick<Stage, "time" | "after_ms"> => ({
    time,
    // Clocks differ: a process' may be behind that of Postgres.
    after_ms: time === null ? null : Math.max(Date.parse(time) - committed, 0)
  })
  const stage = (name: Stage["stage"], text: string, more: Partial<Stage> = {}): Stage => ({
    ...{ stage: name, state: "done", time: null, after_ms: null, text, attempt: null },
    ...more
  })
  return [
    stage("committed", `LSN ${origin.lsn}`, at(delivery.time)),
    stage("captured", origin.change === null ? "not in the change log" : transactionText(origin)),
    stage("matched", matchText(delivery.delivery_id, origin)),
    stage("queued", delivery.delivery_id),
    ...attempts.map((attempt) =>
      stage("attempted", answerText(attempt), {
        ...at(attempt.started),
        state: attempt.reason === "" ? "done" : "failed",
        attempt: attempt.number
      })
    ),
    ...endOf(delivery, stage, at)
  ]
}

const transactionText = ({ changes }: Origin): string =>
  `${changes}${changes < countedMax ? "" : "+"} ${changes === 1 ? "change" : "changes"} in its transaction`

/** A test or a replay sends an event again, under an id that says so. */
const repeatedId = /-([rt])([0-9a-f]+)$/

export const isRepeated = (id: string): boolean => repeatedId.test(id)

const matchText = (id: string, { webhooks }: Origin): string => {
  const [, kind, number] = repeatedId.exec(id) ?? []
  if (kind === "r") return `replay ${number}`
  return kind === "t" ? "a test, regardless of the condition" : `${webhooks} ${webhooks === 1 ? "webhook" : "webhooks"}`
}

const answerText = ({ response_status: status, reason }: LoggedAttempt): string =>
  status === null ? reason : `${status}`

const endOf = (
  { status, next_attempt: next, message }: Traced,
  stage: (name: Stage["stage"], text: string, more?: Partial<Stage>) => Stage,
  at: (time: string | null) => Pick<Stage, "time" | "after_ms">
): ReadonlyArray<Stage> => {
  switch (status) {
    case "successful":
      return []
    case "failed":
      return [stage("ended", "no further attempt", { state: "failed" })]
    case "discarded":
      return [stage("ended", message === null || message === "" ? "discarded" : message, { state: "failed" })]
    case "retrying":
      return [stage("next", "", { ...at(next), state: "waiting" })]
    default:
      return [stage("next", "requested", { state: "waiting" })]
  }
}
