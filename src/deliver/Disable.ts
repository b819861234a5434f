/** Disabling a webhook by the service itself, with a note that says why. */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { withReason } from "./Reason.ts"

/** A transaction like any other: listeners are notified, and from its position on no event matches the webhook. */
export const disable = Effect.fnUntraced(function* (webhook: number, why: string) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 19)
  const note = `Disabled at ${now}Z: ${why}.`
  yield* withReason(
    note,
    sql`update extras_webhook set enabled = false, disabled_note = ${note} where id = ${webhook}::bigint and enabled`
  )
  yield* Effect.logWarning(`deliver: webhook ${webhook}: ${note}`)
})
