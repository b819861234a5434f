/**
 * `replay`: sends past events to a webhook again and shows the progress, or queues the changes of a gap that rows show.
 * The running service does the work.
 */
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { database } from "../pipeline/Foundation.ts"
import { refill } from "../changelog/Refill.ts"
import { askForReplay, momentOf } from "../requests/Replay.ts"
import { requireKey } from "../inventory/Reseal.ts"
import { ofService } from "./service/OfService.ts"
import { CommandFailed, entry } from "./service/Entry.ts"

const moment = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.mapTryCatch(
      (text) => {
        const parsed = momentOf(text)
        if ("errors" in parsed) throw new Error(parsed.errors.join(" "))
        return parsed.value
      },
      (error) => (error as Error).message
    )
  )

/** Pause between two reads of the progress. */
const lookPause = "300 millis"

interface Progress {
  readonly status: string
  readonly message: string
  readonly total: number
  readonly seen: number
  readonly matched: number
}

const follow = Effect.fnUntraced(function* (id: number, dryRun: boolean) {
  const sql = yield* SqlClient.SqlClient
  let shown = ""
  while (true) {
    const [row] = yield* sql<{ readonly progress: Progress }>`
      select json_build_object('status', status, 'message', message, 'total', total, 'seen', seen, 'matched', matched)
             as progress from extras_replay where id = ${id}`
    const { status, message, total, seen, matched } = row!.progress
    const line = `${status}: ${seen} of ${total} events, ${matched} ${dryRun ? "would be sent" : "queued"}`
    if (line !== shown) yield* Console.log(line)
    shown = line
    if (status === "done") return
    if (status === "failed") return yield* new CommandFailed({ message })
    yield* Effect.sleep(lookPause)
  }
})

export default Command.make(
  "replay",
  {
    webhook: Flag.String("webhook").pipe(Flag.withDescription("Name or id of the webhook"), Flag.optional),
    since: moment("since", "Events from this time on, e.g. 2026-11-20 or 2026-11-20T08:00Z").pipe(Flag.optional),
    until: moment("until", "Events before this time (default: now)").pipe(Flag.optional),
    gap: Flag.Int("gap").pipe(
      Flag.withDescription("Instead: number of a gap; the changes that rows still show are queued for every webhook"),
      Flag.optional
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Only count what would be sent (default: send)"),
      Flag.withDefault(false)
    )
  },
  ({ webhook, since, until, gap, dryRun }) =>
    Effect.gen(function* () {
      if (Option.isSome(gap)) return yield* replayGap(gap.value, dryRun)
      if (Option.isNone(webhook) || Option.isNone(since)) {
        return yield* new CommandFailed({ message: "replay needs --webhook and --since, or --gap." })
      }
      yield* replayEvents(webhook.value, since.value, Option.getOrUndefined(until), dryRun)
    }).pipe(ofService(database))
).pipe(
  Command.withDescription("Send past events to a webhook again; the running service does it."),
  entry({
    "replay --webhook NAME --since TIME [--until TIME] [--dry-run]":
      "Sends past events to a webhook again, as far as its current condition accepts them.",
    "replay --gap ID [--dry-run]":
      "Queues the changes of a gap for every webhook, as far as rows still show them: objects that were created or updated in it."
  })
)

const replayEvents = Effect.fnUntraced(function* (
  webhook: string,
  since: string,
  until: string | undefined,
  dryRun: boolean
) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly id: string }>`
    select id::text as id from extras_webhook where name = ${webhook} or id::text = ${webhook}`
  if (found === undefined) return yield* new CommandFailed({ message: `There is no webhook ${webhook}.` })
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const id = yield* askForReplay({ webhook: Number(found.id), since, until: until ?? now, dryRun })
  yield* follow(id, dryRun)
})

const replayGap = Effect.fnUntraced(function* (id: number, dryRun: boolean) {
  // Capture could not open the messages.
  yield* requireKey
  const found = yield* refill(id, dryRun)
  if (found === undefined) return yield* new CommandFailed({ message: `There is no gap ${id}.` })
  for (const { type, rows, tooLarge } of found) {
    yield* Console.log(
      `${type}: ${rows} rows ${dryRun ? "would be queued" : "queued"}${tooLarge > 0 ? `, but ${tooLarge} too large` : ""}`
    )
  }
  if (found.length === 0) yield* Console.log("No row was changed in the gap that the change log does not have.")
  yield* Console.log("Deletions and previous values cannot be recovered.")
})
