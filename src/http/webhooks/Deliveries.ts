/** Endpoints of deliveries beside the usual ones: attempts, failures by cause, and retry and discard of one or many. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { askForDiscard } from "../../deliver/request/Discard.ts"
import { failureGroups } from "../../deliver/log/Failures.ts"
import { headersOf } from "../../deliver/attempt/HeaderText.ts"
import { askForOperation, operationType } from "../../deliver/request/Operations.ts"
import { askForRetry, deliveryType } from "../../deliver/request/RetryByHand.ts"
import { Denied } from "../../auth/Denied.ts"
import { cleared, visibleToSender } from "../../inventory/Clearance.ts"
import { isDictionary, notDictionary, printed } from "../../inventory/Field.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { type Query, filter } from "../../inventory/derive/filter/Filter.ts"
import { allOf, isEverything } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { accepted, bodyFields, refused } from "./ActionRequest.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { type Details, rowOf } from "../objects/Objects.ts"
import type { Handler, Request, Route } from "../Route.ts"

interface Attempted {
  readonly attempt: object
  readonly request_headers: string
  readonly response_headers: string
}

export const deliveryDetails: Details = {
  [deliveryType.id]: (row) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const attempts = yield* sql<Attempted>`
        select json_build_object('number', number, 'started', started, 'duration_ms', duration_ms, 'phases', phases,
                 'url', url,
                 'response_status', response_status, 'response_body', response_body, 'reason', reason,
                 'message', message) as attempt, request_headers, response_headers
          from rackwire_attempt where delivery_id = ${row["delivery_id"]} order by number`
      return {
        attempt_log: attempts.map(({ attempt, request_headers, response_headers }) => ({
          ...attempt,
          request_headers: headersOf(request_headers),
          response_headers: headersOf(response_headers)
        }))
      }
    })
}

const show = (request: Request) =>
  Effect.gen(function* () {
    const row = yield* rowOf(deliveryType, request, "change")
    return { status: 200, json: representation(deliveryType, row, yield* viewFor(deliveryType, [row], request.base)) }
  })

const one =
  (act: typeof askForRetry): Handler =>
  (request) =>
    Effect.gen(function* () {
      const changed = yield* act([(yield* rowOf(deliveryType, request, "change")).id])
      if (act === askForRetry && changed.length === 0) {
        return yield* refused({ webhook: ["The webhook of this delivery was deleted."] })
      }
      return yield* show(request)
    })

/**
 * Acts on many deliveries: `{"filter": {"status": "failed"}, "dry_run": true}`, or on all of them: `{"all": true}`.
 * Without `all` a filter that matches every delivery, because it is empty or asks nothing, is refused.
 */
const many =
  (action: "retry" | "discard"): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { filter: wanted = {}, all = false, dry_run: dryRun = false } = yield* bodyFields(request)
      const query = yield* queryOf(wanted)
      // The operation runs later and knows the filter only, not the sender's permissions.
      if (!isEverything(yield* cleared(deliveryType, "change"))) {
        return yield* new Denied({
          reason: "NoPermission",
          missing: { action: "change", objectType: deliveryType.id }
        })
      }
      // Ignoring a misspelled name would widen the filter.
      const filtered = filter(deliveryType, query, yield* visibleToSender, { strict: true })
      if ("errors" in filtered) return yield* refused({ filter: filtered.errors })
      if (typeof dryRun !== "boolean") return yield* refused({ dry_run: ["Must be a valid boolean."] })
      if (typeof all !== "boolean") return yield* refused({ all: ["Must be a valid boolean."] })
      if (all && query.length > 0) return yield* refused({ all: ['Send either a filter or "all": true, not both.'] })
      if (!all && isEverything(filtered.where)) {
        return yield* refused({ filter: ['Name at least one filter, or send "all": true to mean every delivery.'] })
      }
      const id = yield* askForOperation({ action, query, where: filtered.where, dryRun })
      return yield* accepted(operationType, id, request)
    })

const queryOf = (wanted: unknown): Effect.Effect<Query, HttpRefused> => {
  if (!isDictionary(wanted)) return refused({ filter: [notDictionary(wanted)] })
  const pairs = Object.entries(wanted).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const))
  const odd = pairs.find(([, value]) => typeof value === "object" && value !== null)
  if (odd !== undefined) {
    const message = `Expected a text, a number or a boolean, or a list of them, but got ${printed(odd[1])}.`
    return refused({ filter: Object.fromEntries([[odd[0], [message]]]) })
  }
  return Effect.succeed(pairs.map(([name, value]) => [name, String(value)]))
}

const failures: Handler = ({ url }) =>
  Effect.gen(function* () {
    const filtered = filter(deliveryType, [...url.searchParams], yield* visibleToSender)
    if ("errors" in filtered) return yield* new HttpRefused({ reason: "InvalidQuery", body: filtered.errors })
    const results = yield* failureGroups(allOf(filtered.where, yield* cleared(deliveryType, "view")))
    return { status: 200, json: { count: results.length, next: null, previous: null, results } }
  })

export const deliveryRoutes: ReadonlyArray<Route> = [
  { path: `${deliveryType.path}retry/`, access: deliveryType, action: "change", methods: { POST: many("retry") } },
  { path: `${deliveryType.path}discard/`, access: deliveryType, action: "change", methods: { POST: many("discard") } },
  { path: `${deliveryType.path}failures/`, access: deliveryType, methods: { GET: failures } },
  {
    path: `${deliveryType.path}:id/retry/`,
    access: deliveryType,
    action: "change",
    methods: { POST: one(askForRetry) }
  },
  {
    path: `${deliveryType.path}:id/discard/`,
    access: deliveryType,
    action: "change",
    methods: { POST: one(askForDiscard) }
  }
]
