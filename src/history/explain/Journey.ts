/** One transaction from its changes to the answers of the receivers. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { everyAttempt } from "../../inventory/AttemptLog.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { allOf, isNothing } from "../../inventory/derive/filter/Where.ts"
import { type Change, changes } from "../../inventory/read/Changes.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { type ExplainScope, type Reckoned, askedFor, explainChange } from "./Explain.ts"
import { iso } from "./Fate.ts"
import { type Transaction, transactionsOf } from "./Transactions.ts"

/** Most changes of one page, deliveries and attempts. */
export const pageMax = 10
const deliveriesMax = 200
const attemptsMax = 500

/** Queries at once: one journey leaves connections to others. */
const atOnce = 3

export interface JourneyAttempt {
  readonly delivery_id: string
  readonly number: number
  readonly started: string
  readonly duration_ms: number
  readonly response_status: number | null
  readonly reason: string
}

export interface JourneyDelivery {
  readonly id: number
  readonly delivery_id: string
  readonly webhook: number
  /** The number of its change within the transaction. */
  readonly idx: number
  readonly status: string
  readonly next_attempt: string | null
  readonly response_status: number | null
  readonly message: string
  readonly attempts: ReadonlyArray<JourneyAttempt>
}

interface JourneyChange {
  readonly change: Change
  /** Webhooks that listen to its type: fired ones first, then the closest; empty for readers who may view none. */
  readonly webhooks: ReadonlyArray<Reckoned>
  /** How many listen to its type, and how many of them fired. */
  readonly asked: number
  readonly fired: number
}

export interface Journey {
  readonly transaction: Transaction
  /** A page of the changes that the reader may view, in their order. */
  readonly changes: ReadonlyArray<JourneyChange>
  /** Deliveries that were attempted, replays and tests included; undefined for readers who may view no deliveries. */
  readonly deliveries: ReadonlyArray<JourneyDelivery> | undefined
  readonly isPartial: boolean
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/** The journey of the transaction at a position; undefined if the reader may view none of its changes. */
export const journeyAt = Effect.fnUntraced(function* (position: bigint, { limit, offset }: Page) {
  const [transaction] = yield* transactionsOf({ kind: "position", position })
  if (transaction === undefined) return undefined
  const page = yield* changes({
    where: { sql: "t.position = $1::bigint", parameters: [`${position}`] },
    order: "oldest first",
    limit: Math.min(limit, pageMax),
    offset
  })
  const { explained, isPartial } = yield* explainAll(page, position)
  const deliveries = yield* deliveriesOf(transaction)
  return {
    transaction,
    changes: explained,
    deliveries,
    isPartial: isPartial || deliveries?.length === deliveriesMax
  } satisfies Journey
})

/** Most webhooks of a change that a journey shows. */
const webhooksMax = 20

const explainAll = Effect.fnUntraced(function* (page: ReadonlyArray<Change>, position: bigint) {
  const sql = yield* SqlClient.SqlClient
  const own = yield* sql`
    select from extras_objectchange
     where position = ${`${position}`}::text::bigint and changed_object_type = 'extras.webhook' limit 1`
  const known = new Map<string, ExplainScope>()
  if (own.length === 0) {
    for (const [type, [change]] of Map.groupBy(page, (each) => each.changed_object_type)) {
      known.set(type, yield* askedFor(change!))
    }
  }
  const explained = yield* Effect.forEach(
    page,
    (change) => explainChange(change, known.get(change.changed_object_type)),
    { concurrency: atOnce }
  )
  const changes = page.map((change, at): JourneyChange => {
    const listening = explained[at]!.webhooks.filter(({ gate }) => gate !== "type")
    const fired = listening.filter(({ outcome }) => outcome === "fired").length
    return { change, webhooks: listening.slice(0, webhooksMax), asked: listening.length, fired }
  })
  return { explained: changes, isPartial: explained.some((each) => each.isPartial) }
})

const deliveriesOf = Effect.fnUntraced(function* ({ position, time }: Transaction) {
  const visible = yield* cleared(deliveryType, "view")
  if (isNothing(visible)) return undefined
  const sql = yield* SqlClient.SqlClient
  // All rows of a transaction have the time of its commit, which finds them by an index.
  const where = allOf(
    { sql: "t.time = $1::timestamptz and t.position = $2::bigint", parameters: [time, position] },
    visible
  )
  const rows = yield* sql.unsafe<{ readonly row: Omit<JourneyDelivery, "attempts"> }>(
    `select json_build_object('id', t.id, 'delivery_id', t.delivery_id, 'webhook', t.webhook_id, 'idx', t.idx,
              'status', t.status, 'next_attempt', ${iso("t.next_attempt")}, 'response_status', t.response_status,
              'message', left(t.message, 500)) as row
       from ${deliveryType.table} t where ${where.sql} order by t.idx, t.webhook_id, t.id limit ${deliveriesMax}`,
    where.parameters
  )
  const ids = rows.map(({ row }) => row.delivery_id)
  const attempts = yield* sql.unsafe<{ readonly attempt: JourneyAttempt }>(
    `select json_build_object('delivery_id', a.delivery_id, 'number', a.number, 'started', ${iso("a.started")},
              'duration_ms', a.duration_ms, 'response_status', a.response_status, 'reason', a.reason) as attempt
       from ${everyAttempt} a where a.delivery_id = any ($1::text[]) and a.time = $2::timestamptz
      order by a.started, a.number limit ${attemptsMax}`,
    [ids, time]
  )
  const byDelivery = Map.groupBy(attempts, ({ attempt }) => attempt.delivery_id)
  return rows.map(({ row }): JourneyDelivery => ({
    ...row,
    attempts: (byDelivery.get(row.delivery_id) ?? []).map(({ attempt }) => attempt)
  }))
})
