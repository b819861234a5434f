/**
 * Past events sent to a webhook again.
 *
 * The API or the command line inserts a row (`askForReplay`). A process that delivers works it off, a page of the
 * change log at a time. Each event that the webhook's current condition accepts becomes a row of the delivery log,
 * `queued` under an id of this replay, and is sent like a retry by hand. Each page is one transaction, which also
 * writes the replay's progress: any process can continue after an interruption.
 *
 * A replay sends and counts only events of the webhook's object types that the requesting user may view. This is checked
 * when it is requested, when it is worked off, and when its deliveries are taken up.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mapInSlices } from "../eventloop/Slices.ts"
import { eventsSeen } from "../auth/Permission.ts"
import { clearancesOf } from "../auth/Sight.ts"
import { isEvent } from "../event/Position.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { announceChannel } from "../postgres/Messages.ts"
import { byIds } from "../inventory/read/Read.ts"
import { type Where, allOf } from "../inventory/derive/filter/Where.ts"
import { time } from "../inventory/ObjectType.ts"
import { textsIn } from "../inventory/Field.ts"
import { objectType } from "../inventory/Registry.ts"
import type Webhook from "../inventory/types/extras/Webhook.ts"
import { WebhookIndex, listenedTypesSql } from "../match/WebhookIndex.ts"
import { deliveryDays, insertUnattempted } from "../log/DeliveryRows.ts"
import { type Place, eventsAfter } from "../changelog/EventsAfter.ts"
import { type LoggedEvent, loggedDelivery, subjectOf } from "../changelog/LoggedEvent.ts"
import { eventsAsSeen, viewersAmong } from "../changelog/SeenEvents.ts"
import { WorkRefused, workOffAll } from "./Work.ts"

export const replayType = objectType("extras.replay")
const webhookType = objectType<typeof Webhook>("extras.webhook")

/** Events read at once. */
const pageSize = 500

interface ReplayRequest {
  readonly webhook: number
  /** ISO 8601. */
  readonly since: string
  readonly until: string
  /** Count what would be sent, and send nothing. */
  readonly dryRun: boolean
  /** Id of the requesting user; absent for the command line, which may send all events. */
  readonly askedBy?: number | undefined
}

/** Events of the webhook `w` and of a time, over the change log `c`. */
const ofWebhook = (webhook: number, since: string, until: string): Where => ({
  sql: `${isEvent("c")} and c.time >= $2::timestamptz and c.time < $3::timestamptz and c.changed_object_type = any (array(
          select unnest(${listenedTypesSql}) from extras_webhook w where w.id = $1::bigint))`,
  parameters: [webhook, since, until]
})

const point = time()

/** Reads a time of a replay: a point in time, or a day, which begins at midnight UTC. Returns ISO 8601, or the errors. */
export const momentOf = (input: unknown): { readonly value: string } | { readonly errors: ReadonlyArray<string> } => {
  const isDay = typeof input === "string" && /^\d{4}-\d\d-\d\d$/.test(input)
  const parsed = point.parse(isDay ? `${input}T00:00Z` : input)
  if ("errors" in parsed) return { errors: textsIn(parsed.errors) }
  return typeof parsed.value === "string" ? { value: parsed.value } : { errors: ["This field may not be null."] }
}

/** Requests a replay; returns its id. */
export const askForReplay = Effect.fnUntraced(function* ({ webhook, since, until, dryRun, askedBy }: ReplayRequest) {
  const sql = yield* SqlClient.SqlClient
  const { where } = yield* Clearance
  const events = allOf(ofWebhook(webhook, since, until), eventsSeen(where))
  const at = events.parameters.length
  const [row] = yield* sql.unsafe<{ readonly id: string }>(
    `insert into extras_replay (webhook_id, since, until, dry_run, asked_by, total, seen, matched)
     select $${at + 1}::bigint, $${at + 2}::timestamptz, $${at + 3}::timestamptz, $${at + 4}, $${at + 5}::text::bigint,
            (select count(*) from extras_objectchange c where ${events.sql}), 0, 0
     returning id::text as id`,
    [...events.parameters, webhook, since, until, dryRun, askedBy === undefined ? null : `${askedBy}`]
  )
  yield* sql`select pg_notify(${announceChannel}, ${`${replayType.id} ${row!.id}`})::text`
  return Number(row!.id)
})

interface ClaimedReplay {
  readonly id: string
  readonly webhook_id: string
  readonly since: string
  readonly until: string
  readonly dry_run: boolean
  readonly asked_by: string | null
  readonly position: string
  readonly idx: string
}

const workOff = Effect.fnUntraced(function* (replay: ClaimedReplay) {
  const [webhook] = yield* byIds(webhookType, [Number(replay.webhook_id)])
  if (webhook === undefined) return yield* new WorkRefused({ message: "The webhook was deleted." })
  const index = new WebhookIndex()
  // It may be disabled now, and the scope is checked for each event below.
  index.set(webhook.id, { ...webhook, enabled: true, scope_user: null })
  const asker =
    replay.asked_by === null
      ? Clearance.all
      : (yield* clearancesOf(new Set([Number(replay.asked_by)])))(Number(replay.asked_by))
  const events = allOf(ofWebhook(webhook.id, replay.since, replay.until), eventsSeen(asker.where))
  let last: Place = replay
  while (true) {
    const page = yield* eventsAfter(last, events, pageSize)
    if (page.length === 0) break
    last = page.at(-1)!
    const shown = yield* eventsAsSeen(page, () => viewersAmong(replay.asked_by, webhook.scope_user))
    const webhooks = yield* mapInSlices(shown, (event) => index.match(subjectOf(event)))
    const matched = shown.filter((_, at) => webhooks[at]!.length > 0)
    yield* keepPage(replay, webhook.id, page.length, matched, last)
  }
})

/** Writes one page as one transaction: its deliveries, and how far the replay is. */
const keepPage = Effect.fnUntraced(function* (
  replay: ClaimedReplay,
  webhook: number,
  seen: number,
  matched: ReadonlyArray<LoggedEvent>,
  last: Place
) {
  const sql = yield* SqlClient.SqlClient
  const owed = matched.map((event) => {
    const delivery = loggedDelivery(event, webhook)
    return { ...delivery, id: `${delivery.id}-r${replay.id}` }
  })
  const askedBy = viewersAmong(replay.asked_by)[0]
  const keep = replay.dry_run ? Effect.void : insertUnattempted(owed, { askedBy })
  const advance = sql`
    update extras_replay set seen = seen + ${seen}::int, matched = matched + ${matched.length}::int, heard = now(),
           position = ${last.position}::text::bigint, idx = ${last.idx}::text::bigint
     where id = ${replay.id}::bigint`
  const told = sql`select pg_notify(${announceChannel}, 'extras.delivery 0')::text`
  // Partitions are made before the transaction: a rollback must not take them with it.
  yield* deliveryDays.write(
    matched.map((event) => event.event_time),
    sql.withTransaction(Effect.andThen(Effect.andThen(keep, advance), told))
  )
})

/** Works off every replay that waits. */
export const workOffReplays = workOffAll(
  replayType.table,
  `webhook_id::text as webhook_id, since::text as since, until::text as until, dry_run, asked_by::text as asked_by,
   coalesce(position, -1)::text as position, coalesce(idx, -1)::text as idx`,
  workOff
)
