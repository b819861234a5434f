/** What deliveries have beside the usual endpoints: attempts, failures by cause, and retry and discard, one or many. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { askForDiscard } from "../deliver/Discard.ts"
import { failureGroups } from "../deliver/Failures.ts"
import { headersOf } from "../deliver/HeaderText.ts"
import { askForOperation, operationType } from "../deliver/Operations.ts"
import { askForRetry, deliveryType } from "../deliver/RetryByHand.ts"
import { Denied } from "../auth/Denied.ts"
import { cleared, visibleToSender } from "../inventory/Clearance.ts"
import { isDictionary } from "../inventory/Field.ts"
import { viewFor } from "../inventory/Read.ts"
import { type Query, filter } from "../inventory/derive/Filter.ts"
import { allOf, isEverything } from "../inventory/derive/Where.ts"
import { representation } from "../inventory/derive/Representation.ts"
import { accepted, bodyFields, refused } from "./Asked.ts"
import { HttpRefused } from "./HttpRefused.ts"
import { type Details, rowOf } from "./Objects.ts"
import type { Handler, Request, Route } from "./Route.ts"

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
      yield* act([(yield* rowOf(deliveryType, request, "change")).id])
      return yield* show(request)
    })

/** What many deliveries are asked for with: `{"filter": {"status": "failed"}, "dry_run": true}`. */
const many =
  (action: "retry" | "discard"): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { filter: wanted, dry_run: dryRun } = yield* bodyFields(request)
      const query = yield* queryOf(wanted)
      // It is worked off later, by the filter alone.
      if (!isEverything(yield* cleared(deliveryType, "change"))) return yield* new Denied({ reason: "NoPermission" })
      // A name that is misspelled would be ignored, and everything would be meant.
      const filtered = filter(deliveryType, query, yield* visibleToSender, { strict: true })
      if ("errors" in filtered) return yield* refused({ filter: filtered.errors })
      if (dryRun !== undefined && typeof dryRun !== "boolean")
        return yield* refused({ dry_run: ["Must be a valid boolean."] })
      const id = yield* askForOperation({ action, query, where: filtered.where, dryRun: dryRun === true })
      return yield* accepted(operationType, id, request)
    })

const queryOf = (wanted: unknown): Effect.Effect<Query, HttpRefused> => {
  const pairs = isDictionary(wanted)
    ? Object.entries(wanted).flatMap(([name, value]) =>
        [value]
          .flat()
          .map((each): [string, string] => [name, typeof each === "object" ? JSON.stringify(each) : String(each)])
      )
    : []
  return pairs.length === 0 ? refused({ filter: ["Name at least one filter."] }) : Effect.succeed(pairs)
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
