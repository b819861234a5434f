/** `replay`: sends past events to a webhook again and shows the progress. The running service does the work. */
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { database } from "../Service.ts"
import { askForReplay, momentOf } from "../deliver/request/Replay.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { ofService } from "./OfService.ts"

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

export const replay = Command.make(
  "replay",
  {
    webhook: Flag.String("webhook").pipe(Flag.withDescription("Name or id of the webhook")),
    since: moment("since", "Events from this time on, e.g. 2026-11-20 or 2026-11-20T08:00Z"),
    until: moment("until", "Events before this time (default: now)").pipe(Flag.optional),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Only count what would be sent (default: send)"),
      Flag.withDefault(false)
    )
  },
  ({ webhook, since, until, dryRun }) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [found] = yield* sql<{ readonly id: string }>`
        select id::text as id from extras_webhook where name = ${webhook} or id::text = ${webhook}`
      if (found === undefined) return yield* new CommandFailed({ message: `There is no webhook ${webhook}.` })
      const now = new Date(yield* Clock.currentTimeMillis).toISOString()
      const id = yield* askForReplay({
        webhook: Number(found.id),
        since,
        until: Option.getOrElse(until, () => now),
        dryRun
      })
      yield* follow(id, dryRun)
    }).pipe(ofService(database))
).pipe(Command.withDescription("Send past events to a webhook again; the running service does it."))
