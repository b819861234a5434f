/** Endpoints of deliveries beside the usual ones: attempts, failures by cause, and retry and discard of one or many. */
import { Effect } from "effect"
import { journeyOf, originOf } from "../../history/inspect/Journey.ts"
import { neighboursOf } from "../../history/inspect/Neighbours.ts"
import { failureGroups } from "../../history/log/Failures.ts"
import { attemptsInSight } from "../../history/inspect/AttemptsInSight.ts"
import { askForOperation, operationType } from "../../requests/Operations.ts"
import { type ActionRefused, deliveryState, discardOne, heldNow, retryOne } from "../../requests/OneDelivery.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { cleared, visibleToSender } from "../../inventory/Clearance.ts"
import { type Row, isDictionary, notDictionary, printed } from "../../inventory/Field.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { type Query, filter } from "../../inventory/derive/filter/Filter.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { accepted, bodyFields, refused } from "./ActionRequest.ts"
import { HttpRefused, notFound } from "../HttpRefused.ts"
import { deliveryDetail } from "../deliveries/DeliveryDetail.ts"
import { selectedBy, showPlan } from "../deliveries/Selection.ts"
import { endpoint } from "../declare/Endpoint.ts"
import {
  described,
  flag,
  integer,
  listOf,
  object,
  objectOf,
  optional,
  orNull,
  pageOf,
  record,
  string,
  time,
  words
} from "../declare/Parts.ts"
import { type Detail, detail } from "../objects/Detail.ts"
import { rowOf } from "../objects/Objects.ts"
import type { Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { inspected, showRequest } from "./SentRequests.ts"

/** The properties of one delivery beside its fields. */
const detailOf = (row: Row) =>
  Effect.gen(function* () {
    const attempts = yield* attemptsInSight(inspected(row))
    const state = yield* deliveryState(row.id)
    const origin = yield* originOf(inspected(row))
    return {
      attempt_log: attempts,
      held: (state && heldNow(state)) ?? null,
      change: origin.change,
      journey: journeyOf(inspected(row), origin, attempts),
      beside: {
        webhook: yield* neighboursOf(inspected(row), "webhook"),
        object: yield* neighboursOf(inspected(row), "object")
      }
    }
  })

export const details: ReadonlyArray<Detail> = [
  detail(deliveryType, { summary: "One delivery, with its attempts and its journey", more: deliveryDetail }, detailOf)
]

const show = (request: Request) =>
  Effect.gen(function* () {
    const row = yield* rowOf(deliveryType, request, "change")
    return { status: 200, json: representation(deliveryType, row, yield* viewFor(deliveryType, [row], request.base)) }
  })

/** `{"again": true}` sends what has succeeded again; `{"attempts": 3}` requires that it had no further attempt meanwhile. */
const retry = endpoint(
  {
    summary: "Retry a delivery now, in place of the attempt that is scheduled; 409 says why that makes no sense",
    body: record({
      again: optional(described(flag, "Send again what the receiver has accepted.")),
      attempts: optional(described(integer, "Refuse it if there are not so many attempts."))
    }),
    isBodyOptional: true,
    reply: objectOf(deliveryType)
  },
  (request) =>
    Effect.gen(function* () {
      const { id } = yield* rowOf(deliveryType, request, "change")
      const { again = false, attempts } = yield* bodyFields(request)
      if (typeof again !== "boolean") return yield* refused({ again: ["Must be a valid boolean."] })
      if (attempts !== undefined && !Number.isSafeInteger(attempts)) {
        return yield* refused({ attempts: ["A valid integer is required."] })
      }
      yield* Effect.catchTag(
        retryOne(id, { again, attempts: attempts as number | undefined }),
        "ActionRefused",
        conflict
      )
      return yield* show(request)
    })
)

const discard = endpoint(
  { summary: "Give a delivery up; 409 says why that makes no sense", reply: objectOf(deliveryType) },
  (request) =>
    Effect.gen(function* () {
      const { id } = yield* rowOf(deliveryType, request, "change")
      yield* Effect.catchTag(discardOne(id), "ActionRefused", conflict)
      return yield* show(request)
    })
)

const conflict = ({ reason, message }: ActionRefused) => {
  if (reason === "Deleted") return refused({ webhook: [message] })
  if (reason === "Gone") return Effect.fail(notFound())
  return Effect.fail(new HttpRefused({ reason: "Conflict", body: { detail: message } }))
}

const selection = record({
  filter: optional(described(object, "Filters of the list of deliveries, by name.")),
  all: optional(described(flag, "Act on all deliveries; without it a filter that matches every delivery is refused.")),
  dry_run: optional(described(flag, "Count only."))
})

/**
 * Acts on many deliveries: `{"filter": {"status": "failed"}, "dry_run": true}`, or on all of them: `{"all": true}`.
 * Without `all` a filter that matches every delivery, because it is empty or has no condition, is refused.
 */
const many = (summary: string, action: "retry" | "discard") =>
  endpoint({ summary, body: selection, status: 202, reply: objectOf(operationType) }, (request) =>
    Effect.gen(function* () {
      const { filter: wanted = {}, all = false, dry_run: dryRun = false } = yield* bodyFields(request)
      const query = yield* queryOf(wanted)
      if (typeof dryRun !== "boolean") return yield* refused({ dry_run: ["Must be a valid boolean."] })
      if (typeof all !== "boolean") return yield* refused({ all: ["Must be a valid boolean."] })
      const where = yield* selectedBy(query, all)
      const id = yield* askForOperation({ action, query, where, dryRun })
      return yield* accepted(operationType, id, request)
    })
  )

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

const failure = record({
  ...{ webhook: integer, webhook_name: orNull(string), status: words("failed", "retrying") },
  ...{ reason: string, response_status: orNull(integer), count: integer, first: time, last: time, host: string },
  example: described(integer, "The id of the latest delivery."),
  message: string,
  changed_before: described(
    orNull(
      record({
        ...{ id: integer, time, user_name: string, action: string },
        fields: described(listOf(string), "The fields that an update changed."),
        seconds: described(integer, "From the change to the first failure.")
      })
    ),
    "The last change of the webhook on the day before the first failure."
  )
})

const failures = endpoint(
  {
    summary: "Deliveries that failed or are retried, by cause, with the filters of their list",
    hasFilters: true,
    reply: pageOf(failure)
  },
  ({ url }) =>
    Effect.gen(function* () {
      const filtered = filter(deliveryType, [...url.searchParams], yield* visibleToSender)
      if ("errors" in filtered) return yield* new HttpRefused({ reason: "InvalidQuery", body: filtered.errors })
      const results = yield* failureGroups(allOf(filtered.where, yield* cleared(deliveryType, "view")))
      return { status: 200, json: { count: results.length, next: null, previous: null, results } }
    })
)

export default [
  {
    path: `${deliveryType.path}retry/`,
    access: deliveryType,
    action: "change",
    methods: { GET: showPlan("retry"), POST: many("Retry many deliveries", "retry") }
  },
  {
    path: `${deliveryType.path}discard/`,
    access: deliveryType,
    action: "change",
    methods: { GET: showPlan("discard"), POST: many("Give many deliveries up", "discard") }
  },
  { path: `${deliveryType.path}failures/`, access: deliveryType, methods: { GET: failures } },
  { path: `${deliveryType.path}:id/request/`, access: deliveryType, methods: { GET: showRequest } },
  { path: `${deliveryType.path}:id/retry/`, access: deliveryType, action: "change", methods: { POST: retry } },
  { path: `${deliveryType.path}:id/discard/`, access: deliveryType, action: "change", methods: { POST: discard } }
] satisfies ReadonlyArray<Route>
