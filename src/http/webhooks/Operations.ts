/** `POST /api/extras/operations/<id>/cancel/`: stops an operation; what it has done stays done. */
import { Effect } from "effect"
import { operationType } from "../../requests/Operations.ts"
import { reportOf } from "../../requests/Report.ts"
import { cancelWork } from "../../requests/Work.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, integer, objectOf, orNull, record } from "../declare/Parts.ts"
import { type Detail, detail } from "../objects/Detail.ts"
import { rowOf } from "../objects/Objects.ts"
import type { Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"

/** Cancels the operation of the path; returns its row. Fails with 404, or with 409 if the operation has ended. */
export const cancelOperation = Effect.fnUntraced(function* (request: Request) {
  const { id } = yield* rowOf(operationType, request, "change")
  const isCancelled = yield* cancelWork(operationType.table, id)
  const row = yield* rowOf(operationType, request, "change")
  if (isCancelled) return row
  const detail = `The operation has ended: it is ${String(row["status"])}.`
  return yield* new HttpRefused({ reason: "Conflict", body: { detail } })
})

const report = record({
  sent: described(integer, "Attempted since the operation was requested."),
  accepted: described(integer, "Of these, accepted by the receiver."),
  held: described(integer, "Waiting for a circuit breaker or the end of a pause."),
  waiting: described(integer, "About to be attempted."),
  gone: described(integer, "Their webhook or their event was deleted."),
  changed: described(integer, "Attempted or changed by others before their turn.")
})

export const details: ReadonlyArray<Detail> = [
  detail(
    operationType,
    {
      summary: "One operation, with what became of its deliveries",
      more: record({
        report: described(orNull(report), "What became of the deliveries of a retry; null for other actions.")
      })
    },
    ({ id }) => Effect.map(reportOf(id), (report) => ({ report: report ?? null }))
  )
]

const cancel = endpoint(
  { summary: "Stop an operation; what it has done stays done", reply: objectOf(operationType) },
  (request) =>
    Effect.gen(function* () {
      const row = yield* cancelOperation(request)
      const view = yield* viewFor(operationType, [row], request.base)
      return { status: 200, json: representation(operationType, row, view) }
    })
)

export default [
  { path: `${operationType.path}:id/cancel/`, access: operationType, action: "change", methods: { POST: cancel } }
] satisfies ReadonlyArray<Route>
