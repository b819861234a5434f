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
import { inWords } from "../Telemetry.ts"
import { announceChannel } from "../inventory/Functions.ts"
import { byIds } from "../inventory/Read.ts"
import { objectType } from "../inventory/Registry.ts"
import { WebhookIndex } from "../match/WebhookIndex.ts"
import { deliveryId } from "../stream/Entry.ts"
import { Days } from "../inventory/Days.ts"
import { type LoggedEvent, kinds, loggedEvent, subjectOf } from "./LoggedEvent.ts"

export const replayType = objectType("extras.replay")
const webhookType = objectType("extras.webhook")

/** Events read at once. */
const pageSize = 500

/** A replay that no process has worked on for this long is taken up by another. */
const abandonedAfter = "30 seconds"

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

/** Takes a replay that nobody works on. */
const claim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Claimed>`
    update extras_replay set status = 'running', heard = now()
     where id = (select id from extras_replay
                  where status = 'queued' or (status = 'running' and heard < now() - ${abandonedAfter}::interval)
                  order by id limit 1 for update skip locked)
    returning id::text as id, webhook_id::text as webhook_id, since::text as since, until::text as until, dry_run,
              coalesce(position, -1)::text as position, coalesce(idx, -1)::text as idx`
  return row
})

/** Works off every replay that waits. */
export const workOffReplays = Effect.gen(function* () {
  for (let replay = yield* claim; replay !== undefined; replay = yield* claim) {
    const { id } = replay
    yield* workOff(replay).pipe(Effect.catch((error) => setStatus(id, "failed", inWords(error))))
  }
}).pipe(Effect.catch((error) => Effect.logWarning(`deliver: a replay stopped: ${inWords(error)}`)))

const setStatus = (id: string, status: string, message: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update extras_replay set status = ${status}, message = ${message} where id = ${id}::bigint`
  )

const workOff = Effect.fnUntraced(function* (replay: Claimed) {
  const [webhook] = yield* byIds(webhookType, [Number(replay.webhook_id)])
  if (webhook === undefined) return yield* setStatus(replay.id, "failed", "The webhook is gone.")
  const index = new WebhookIndex()
  // Whether it takes new events now is not the question.
  index.set(webhook.id, { ...webhook, enabled: true })
  let last = { position: replay.position, idx: replay.idx }
  while (true) {
    const page = yield* nextEvents(replay, last)
    if (page.length === 0) break
    last = page.at(-1)!
    const matched = page.filter((event) => index.match(subjectOf(event)).length > 0)
    yield* keepPage(replay, webhook.id, page.length, matched, last)
  }
  yield* setStatus(replay.id, "done", "")
})

const nextEvents = ({ since, until }: Claimed, last: { readonly position: string; readonly idx: string }) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<LoggedEvent>(
      `select ${loggedEvent} from extras_objectchange c
        where c.time >= $1::timestamptz and c.time < $2::timestamptz
          and (c.position, c.idx) > ($3::text::bigint, $4::text::bigint)
        order by c.position, c.idx limit ${pageSize}`,
      [since, until, last.position, last.idx]
    )
  )

const deliveryDays = new Days("extras_delivery")

/** One page, as one transaction: the deliveries it gives, and how far the replay is. */
const keepPage = Effect.fnUntraced(function* (
  replay: Claimed,
  webhook: number,
  seen: number,
  matched: ReadonlyArray<LoggedEvent>,
  last: { readonly position: string; readonly idx: string }
) {
  const sql = yield* SqlClient.SqlClient
  const insert = sql.unsafe(
    `insert into extras_delivery (delivery_id, webhook_id, status, event, object_type, object_id, request_id, time,
                                  position, idx, attempts)
     select i, $2::bigint, 'queued', e, t, o::bigint, r::uuid, c::timestamptz, p::bigint, x::bigint, 0
       from unnest($1::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
         as u (i, e, t, o, r, c, p, x)
     on conflict (delivery_id, time) do nothing`,
    [
      matched.map((event) => `${deliveryId(webhook, event.position, Number(event.idx))}-r${replay.id}`),
      webhook,
      matched.map((event) => kinds[event.action]),
      matched.map((event) => event.object_type),
      matched.map((event) => event.object_id),
      matched.map((event) => event.request_id),
      matched.map((event) => event.event_time),
      matched.map((event) => event.position),
      matched.map((event) => event.idx)
    ]
  )
  const keep = matched.length === 0 || replay.dry_run ? Effect.void : Effect.asVoid(insert)
  const advance = sql`
    update extras_replay set seen = seen + ${seen}::int, matched = matched + ${matched.length}::int, heard = now(),
           position = ${last.position}::text::bigint, idx = ${last.idx}::text::bigint
     where id = ${replay.id}::bigint`
  const told = sql`select pg_notify(${announceChannel}, 'extras.delivery 0')::text`
  yield* deliveryDays.write(
    matched.map((event) => event.event_time),
    sql.withTransaction(Effect.andThen(Effect.andThen(keep, advance), told))
  )
})
