/**
 * Deliveries that wait or are in flight, as Redis has them now: also those without an attempt, of which the delivery
 * log has no row.
 */
import { Context, Effect, Layer } from "effect"
import { chunksOf } from "effect/Array"
import { SqlClient, type SqlError } from "effect/sql"
import { inWords } from "../../telemetry/Telemetry.ts"
import type { Sought } from "../../queue/Absent.ts"
import { Streams } from "../../queue/Streams.ts"
import type { WaitingDelivery } from "../../queue/WaitingPage.ts"
import { backlogTable } from "../../log/BacklogTable.ts"

/** Redis gave no answer. */
export class WaitingUnknown {
  readonly _tag = "WaitingUnknown"
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

interface WaitingWish {
  /** Ids, in the order of the list. */
  readonly webhooks: ReadonlyArray<number>
  /** Only deliveries about this object. */
  readonly object?: { readonly type: string; readonly id: number } | undefined
  /** Behind which the page begins; "" for the first page. */
  readonly after: string
  readonly count: number
}

export interface WaitingPage {
  readonly deliveries: ReadonlyArray<WaitingDelivery>
  /** Behind which the next page begins; undefined at the end. */
  readonly next: string | undefined
}

/** Most deliveries that a page searches for an object. */
const lookedAtMax = 5000

/** Deliveries read at once, and webhooks inspected at once. */
const readAtOnce = 200
const inspectedAtOnce = 20

export class Waiting extends Context.Service<
  Waiting,
  {
    readonly page: (wish: WaitingWish) => Effect.Effect<WaitingPage, WaitingUnknown>
    /** Webhooks among these for which something waits or is under way. */
    readonly busy: (webhooks: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<number>, WaitingUnknown>
    /** How many wait or are under way, of all these webhooks together. */
    readonly count: (webhooks: ReadonlyArray<number>) => Effect.Effect<number, WaitingUnknown>
    /** The given deliveries of a webhook that wait or are under way. */
    readonly among: (
      webhook: number,
      sought: ReadonlyArray<Sought>
    ) => Effect.Effect<ReadonlyArray<Sought>, WaitingUnknown>
  }
>()("rackwire/history/Waiting") {
  static readonly layer = Layer.effect(
    Waiting,
    Effect.map(Streams, (streams) => {
      const known = Effect.mapError((error: unknown) => new WaitingUnknown(inWords(error)))
      return Waiting.of({
        page: (wish) => known(pageOf(streams, wish)),
        busy: (webhooks) =>
          known(Effect.map(countsOf(streams, webhooks), (counts) => webhooks.filter((_, at) => counts[at]! > 0))),
        count: (webhooks) =>
          known(Effect.map(countsOf(streams, webhooks), (counts) => counts.reduce((sum, count) => sum + count, 0))),
        among: (webhook, sought) =>
          known(
            Effect.map(streams.missing(webhook, sought), (gone = []) => {
              const ids = new Set(gone.map(({ id }) => id))
              return sought.filter(({ id }) => !ids.has(id))
            })
          )
      })
    })
  )
}

const pageOf = Effect.fnUntraced(function* (
  streams: Streams["Service"],
  { webhooks, object, after, count }: WaitingWish
) {
  const [, first = "", cursor = ""] = /^(\d+):(.*)$/s.exec(after) ?? []
  const found: Array<WaitingDelivery> = []
  let lookedAt = 0
  for (const webhook of webhooks.slice(Math.max(webhooks.indexOf(Number(first)), 0))) {
    let from = `${webhook}` === first ? cursor : ""
    while (true) {
      const wanted = object === undefined ? count - found.length : readAtOnce
      const page = yield* streams.waiting(webhook, from, Math.min(wanted, readAtOnce))
      for (const each of page) {
        from = each.cursor
        lookedAt++
        if (isAbout(each, object)) found.push(each)
        if (found.length === count) return { deliveries: found, next: `${webhook}:${from}` }
      }
      if (page.length === 0) break
      if (lookedAt >= lookedAtMax) return { deliveries: found, next: `${webhook}:${from}` }
    }
  }
  return { deliveries: found, next: undefined } satisfies WaitingPage
})

const isAbout = ({ delivery }: WaitingDelivery, object: WaitingWish["object"]): boolean =>
  object === undefined || (delivery.objectType === object.type && delivery.objectId === object.id)

/** In the order of the webhooks. */
const countsOf = Effect.fnUntraced(function* (streams: Streams["Service"], webhooks: ReadonlyArray<number>) {
  const counts: Array<number> = []
  for (const some of chunksOf(webhooks, inspectedAtOnce)) {
    for (const { queued, pending, waiting } of yield* streams.inspect(some)) counts.push(queued + pending + waiting)
  }
  return counts
})

/** The ids of the webhooks that have a backlog, the largest backlog first. */
export const withBacklog: Effect.Effect<ReadonlyArray<number>, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql.unsafe<{ readonly id: number }>(
      `select webhook_id::float8 as id from ${backlogTable.name} order by webhook_id`
    )
    return rows.map(({ id }) => id)
  }
)
