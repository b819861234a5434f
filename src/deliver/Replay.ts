/**
 * Past events sent to a webhook again.
 *
 * The API or the command line asks with a row (`askForReplay`); a process that delivers works it off, a page of the
 * change log at a time: what the webhook's condition of today accepts becomes a row in the delivery log, `queued` under
 * an id of this replay, and goes out as a retry by hand does. Every page is one transaction that also moves the replay
 * on, so it can be interrupted anywhere and goes on where it was, by whichever process.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mapInSlices } from "../Slices.ts"
import type { Clearance } from "../inventory/Clearance.ts"
import { announceChannel } from "../inventory/Functions.ts"
import { byIds } from "../inventory/Read.ts"
import { objectType } from "../inventory/Registry.ts"
import { WebhookIndex } from "../match/WebhookIndex.ts"
import { deliveryDays, insertUnattempted } from "./DeliveryRows.ts"
import { type LoggedEvent, deliveryOf, loggedEvent, pageOf, subjectOf } from "./LoggedEvent.ts"
import { workOffAll } from "./Work.ts"

export const replayType = objectType("extras.replay")
const webhookType = objectType("extras.webhook")

/** Events read at once. */
const pageSize = 500

export interface ReplayRequest {
  readonly webhook: number
  /** ISO 8601. */
  readonly since: string
  readonly until: string
  /** Only count what would be sent. */
  readonly dryRun: boolean
}

/** Asks for a replay; answers its id. */
export const askForReplay = Effect.fnUntraced(function* ({ webhook, since, until, dryRun }: ReplayRequest) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: string }>`
    insert into extras_replay (webhook_id, since, until, dry_run, total, seen, matched)
    select ${webhook}::bigint, ${since}::timestamptz, ${until}::timestamptz, ${dryRun},
           (select count(*) from extras_objectchange where time >= ${since}::timestamptz and time < ${until}::timestamptz), 0, 0
    returning id::text as id`
  yield* sql`select pg_notify(${announceChannel}, ${`${replayType.id} ${row!.id}`})::text`
  return Number(row!.id)
})

interface Claimed {
  readonly id: string
  readonly webhook_id: string
  readonly since: string
  readonly until: string
  readonly dry_run: boolean
  readonly position: string
  readonly idx: string
}

/** Works off every replay that waits. */
export const workOffReplays = workOffAll<Claimed, unknown, SqlClient.SqlClient | Clearance>(
  replayType.table,
  `webhook_id::text as webhook_id, since::text as since, until::text as until, dry_run,
   coalesce(position, -1)::text as position, coalesce(idx, -1)::text as idx`,
  (replay) => workOff(replay)
)

const workOff = Effect.fnUntraced(function* (replay: Claimed) {
  const [webhook] = yield* byIds(webhookType, [Number(replay.webhook_id)])
  if (webhook === undefined) return yield* Effect.fail(new Error("The webhook is gone."))
  const index = new WebhookIndex()
  // Whether it takes new events now is not the question.
  index.set(webhook.id, { ...webhook, enabled: true })
  let last = { position: replay.position, idx: replay.idx }
  while (true) {
    const page = yield* nextEvents(replay, last)
    if (page.length === 0) break
    last = page.at(-1)!
    const webhooks = yield* mapInSlices(page, (event) => index.match(subjectOf(event)))
    const matched = page.filter((_, at) => webhooks[at]!.length > 0)
    yield* keepPage(replay, webhook.id, page.length, matched, last)
  }
})

const nextEvents = ({ since, until }: Claimed, last: { readonly position: string; readonly idx: string }) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<LoggedEvent>(
      pageOf(
        `select ${loggedEvent} from extras_objectchange c
        where c.time >= $1::timestamptz and c.time < $2::timestamptz
          and (c.position, c.idx) > ($3::text::bigint, $4::text::bigint)
        order by c.position, c.idx limit ${pageSize}`,
        "position::bigint, idx::bigint"
      ),
      [since, until, last.position, last.idx]
    )
  )

/** One page, as one transaction: the deliveries it gives, and how far the replay is. */
const keepPage = Effect.fnUntraced(function* (
  replay: Claimed,
  webhook: number,
  seen: number,
  matched: ReadonlyArray<LoggedEvent>,
  last: { readonly position: string; readonly idx: string }
) {
  const sql = yield* SqlClient.SqlClient
  const owed = matched.map((event) => {
    const delivery = deliveryOf(event, webhook)
    return { ...delivery, id: `${delivery.id}-r${replay.id}` }
  })
  const keep = replay.dry_run ? Effect.void : insertUnattempted(owed)
  const advance = sql`
    update extras_replay set seen = seen + ${seen}::int, matched = matched + ${matched.length}::int, heard = now(),
           position = ${last.position}::text::bigint, idx = ${last.idx}::text::bigint
     where id = ${replay.id}::bigint`
  const told = sql`select pg_notify(${announceChannel}, 'extras.delivery 0')::text`
  // Days are added before the transaction: one that is rolled back must not take them with it.
  yield* deliveryDays.write(
    matched.map((event) => event.event_time),
    sql.withTransaction(Effect.andThen(Effect.andThen(keep, advance), told))
  )
})
