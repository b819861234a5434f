/** What deliveries have beside the usual endpoints: their attempts, and a retry by hand. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { askForRetry, deliveryType } from "../deliver/RetryByHand.ts"
import { viewFor } from "../inventory/Read.ts"
import { representation } from "../inventory/derive/Representation.ts"
import { type Details, rowOf } from "./Objects.ts"
import type { Handler, Route } from "./Route.ts"

export const deliveryDetails: Details = {
  [deliveryType.id]: (row) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const attempts = yield* sql<{ readonly attempt: object }>`
        select json_build_object('number', number, 'started', started, 'duration_ms', duration_ms, 'phases', phases,
                 'url', url,
                 'response_status', response_status, 'response_body', response_body, 'reason', reason,
                 'message', message) as attempt
          from rackwire_attempt where delivery_id = ${row["delivery_id"]} order by number`
      return { attempt_log: attempts.map(({ attempt }) => attempt) }
    })
}

const retry: Handler = (request) =>
  Effect.gen(function* () {
    yield* askForRetry([(yield* rowOf(deliveryType, request)).id])
    const row = yield* rowOf(deliveryType, request)
    return { status: 200, json: representation(deliveryType, row, yield* viewFor(deliveryType, [row], request.base)) }
  })

export const deliveryRoutes: ReadonlyArray<Route> = [
  { path: `${deliveryType.path}:id/retry/`, access: deliveryType, methods: { POST: retry } }
]
