/** The round that capture repeats every few seconds while it reads: heartbeat, comparison of the publication, alarms. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { paused } from "../eventloop/Pace.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { isServerStopping, serverStopping } from "./CaptureError.ts"
import type { Report } from "./Status.ts"
import { countSetAside } from "./SetAside.ts"
import { heartbeatPrefix } from "./fold/TransactionWindows.ts"
import { noteCaptured } from "./slot/Epoch.ts"
import { onPool, unacknowledgedGaps } from "./slot/Gaps.ts"
import { ensurePublication } from "./slot/Publication.ts"
import { type SlotStream, now } from "./slot/SlotStream.ts"

/**
 * Sends heartbeats through the WAL: an idle database then has WAL to confirm, and the lag is measured end to end. With
 * each of them the publication is compared, and the alarms are counted. Never succeeds; fails when Postgres stops, also
 * while nothing else of the session reaches it because Redis takes nothing.
 */
export const sendHeartbeats = (stream: SlotStream, epoch: number, report: Report) =>
  Effect.all(
    [
      attempted("a heartbeat", sendHeartbeat(stream)),
      attempted(
        "the comparison of the publication",
        Effect.flatMap(onPool, (run) => ensurePublication(run))
      ),
      attempted("the count of alarms", reportAlarms(report)),
      attempted(
        "the note of captured changes",
        Effect.suspend(() => (stream.captured === undefined ? Effect.void : noteCaptured(epoch, stream.captured)))
      )
    ],
    { discard: true }
  ).pipe(Effect.andThen(paused(({ capture }) => capture.heartbeatMillis)), Effect.forever)

const attempted = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
  Effect.catch(effect, (error) =>
    isServerStopping(error)
      ? serverStopping(error)
      : Effect.logWarning(`capture: ${what} failed, trying again: ${inWords(error)}`)
  )

const sendHeartbeat = Effect.fnUntraced(function* ({ heartbeats }: SlotStream) {
  const sql = yield* SqlClient.SqlClient
  const heartbeat = heartbeats.send(now())
  if (heartbeat === undefined) return
  const { content, sent } = heartbeat
  const [row] = yield* sql<{ readonly time: string }>`
    select now()::text as time, pg_logical_emit_message(true, ${heartbeatPrefix}, ${content})::text`
  sent(row!.time)
})

const reportAlarms = Effect.fnUntraced(function* (report: Report) {
  const setAside = yield* countSetAside
  const gaps = yield* unacknowledgedGaps
  yield* report(() => ({ setAside, gaps: gaps.length, gap: gaps.at(-1)?.sentence ?? "" }))
})
