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
import { isDictionary, notDictionary, printed } from "../../inventory/Field.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { type Query, filter } from "../../inventory/derive/filter/Filter.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { accepted, bodyFields, refused } from "./ActionRequest.ts"
import { HttpRefused, notFound } from "../HttpRefused.ts"
import { selectedBy, showPlan } from "../deliveries/Selection.ts"
import { statisticsRoutes } from "../deliveries/Statistics.ts"
import { type Details, rowOf } from "../objects/Objects.ts"
import type { Handler, Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { inspected, showRequest } from "./SentRequests.ts"

export const deliveryDetails: Details = {
  [deliveryType.id]: (row) =>
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
}

const show = (request: Request) =>
  Effect.gen(function* () {
    const row = yield* rowOf(deliveryType, request, "change")
    return { status: 200, json: representation(deliveryType, row, yield* viewFor(deliveryType, [row], request.base)) }
  })

/** `{"again": true}` sends what has succeeded again; `{"attempts": 3}` asks that it had no further attempt meanwhile. */
const retry: Handler = (request) =>
  Effect.gen(function* () {
    const { id } = yield* rowOf(deliveryType, request, "change")
    const { again = false, attempts } = yield* bodyFields(request)
    if (typeof again !== "boolean") return yield* refused({ again: ["Must be a valid boolean."] })
    if (attempts !== undefined && !Number.isSafeInteger(attempts)) {
      return yield* refused({ attempts: ["A valid integer is required."] })
    }
    yield* Effect.catchTag(retryOne(id, { again, attempts: attempts as number | undefined }), "ActionRefused", conflict)
    return yield* show(request)
  })

const discard: Handler = (request) =>
  Effect.gen(function* () {
    const { id } = yield* rowOf(deliveryType, request, "change")
    yield* Effect.catchTag(discardOne(id), "ActionRefused", conflict)
    return yield* show(request)
  })

const conflict = ({ reason, message }: ActionRefused) => {
  if (reason === "Deleted") return refused({ webhook: [message] })
  if (reason === "Gone") return Effect.fail(notFound())
  return Effect.fail(new HttpRefused({ reason: "Conflict", body: { detail: message } }))
}

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
      if (typeof dryRun !== "boolean") return yield* refused({ dry_run: ["Must be a valid boolean."] })
      if (typeof all !== "boolean") return yield* refused({ all: ["Must be a valid boolean."] })
      const where = yield* selectedBy(query, all)
      const id = yield* askForOperation({ action, query, where, dryRun })
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
  {
    path: `${deliveryType.path}retry/`,
    access: deliveryType,
    action: "change",
    methods: { GET: showPlan("retry"), POST: many("retry") }
  },
  {
    path: `${deliveryType.path}discard/`,
    access: deliveryType,
    action: "change",
    methods: { GET: showPlan("discard"), POST: many("discard") }
  },
  ...statisticsRoutes,
  { path: `${deliveryType.path}failures/`, access: deliveryType, methods: { GET: failures } },
  { path: `${deliveryType.path}:id/request/`, access: deliveryType, methods: { GET: showRequest } },
  { path: `${deliveryType.path}:id/retry/`, access: deliveryType, action: "change", methods: { POST: retry } },
  { path: `${deliveryType.path}:id/discard/`, access: deliveryType, action: "change", methods: { POST: discard } }
]
