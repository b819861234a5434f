/** `POST /api/extras/operations/<id>/cancel/`: stops an operation; what it has done stays done. */
import { Effect } from "effect"
import { operationType } from "../../requests/Operations.ts"
import { reportOf } from "../../requests/Report.ts"
import { cancelWork } from "../../requests/Work.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { type Details, rowOf } from "../objects/Objects.ts"
import type { Handler, Route } from "../Route.ts"
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

/** The outcomes of the deliveries of a retry; null for other actions. */
export const operationDetails: Details = {
  [operationType.id]: ({ id }) => Effect.map(reportOf(id), (report) => ({ report: report ?? null }))
}

const cancel: Handler = (request) =>
  Effect.gen(function* () {
    const row = yield* cancelOperation(request)
    const view = yield* viewFor(operationType, [row], request.base)
    return { status: 200, json: representation(operationType, row, view) }
  })

export const operationRoutes: ReadonlyArray<Route> = [
  { path: `${operationType.path}:id/cancel/`, access: operationType, action: "change", methods: { POST: cancel } }
]
