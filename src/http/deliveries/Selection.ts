/** Many deliveries that a sender selects by a filter, to retry or discard them; and what that would do. */
import { Effect, Schema } from "effect"
import { Denied } from "../../auth/Denied.ts"
import { type BulkAction, planOf, verdicts, withOutcomes } from "../../requests/Plan.ts"
import { renderAgain } from "../../requests/RenderAgain.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { cleared, visibleToSender } from "../../inventory/Clearance.ts"
import { type Query, filter } from "../../inventory/derive/filter/Filter.ts"
import { isSearch } from "../../inventory/derive/filter/AskedFilter.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { refused } from "../webhooks/ActionRequest.ts"
import { isSet } from "../query/Parameter.ts"
import { queryOf } from "../query/SavedFilters.ts"
import { endpoint } from "../declare/Endpoint.ts"
import {
  described,
  each,
  flag,
  integer,
  listOf,
  number,
  orNull,
  record,
  string,
  time,
  words
} from "../declare/Parts.ts"
import type { Request } from "../wire/Request.ts"
import { TryOutLimits } from "../webhooks/TryOutLimits.ts"

/**
 * The condition that the query means. Fails with 403 if the sender may not change every delivery, and with 400 if a
 * filter is not understood, or if all deliveries are meant and `all` does not say so.
 */
export const selectedBy = Effect.fnUntraced(function* (query: Query, all: boolean) {
  // The operation runs later with the filter only, not with the sender's permissions.
  if (!isEverything(yield* cleared(deliveryType, "change"))) {
    return yield* new Denied({ reason: "NoPermission", missing: { action: "change", objectType: deliveryType.id } })
  }
  const search = query.find(([name]) => isSearch(deliveryType, name))?.[0]
  if (search !== undefined) {
    const message = "A search reads the newest deliveries only, so it cannot select deliveries to change."
    return yield* refused({ filter: { [search]: [message] } })
  }
  // Ignoring a misspelled name would widen the filter.
  const filtered = filter(deliveryType, query, yield* visibleToSender, { strict: true })
  if ("errors" in filtered) return yield* refused({ filter: filtered.errors })
  if (all && query.length > 0) return yield* refused({ all: ['Send either a filter or "all": true, not both.'] })
  if (!all && isEverything(filtered.where)) {
    return yield* refused({ filter: ['Name at least one filter, or send "all": true to mean every delivery.'] })
  }
  return filtered.where
})

/** Parameters that are no filters. */
const own: ReadonlySet<string> = new Set(["all", "dry_run", "strict", "format"])

/**
 * The plan of the action for the deliveries that the address of the request selects; and the filter and the condition
 * of the operation that does it. Fails as `selectedBy` does.
 */
export const plannedFor = Effect.fnUntraced(function* (action: BulkAction, request: Request) {
  const query = (yield* queryOf(deliveryType, request)).filter(([name, value]) => !own.has(name) && value !== "")
  const where = yield* selectedBy(query, yield* isSet(request, "all", false))
  const chosen = withOutcomes(action, query)
  const acted = filter(deliveryType, chosen, yield* visibleToSender, { strict: true })
  if ("errors" in acted) return yield* refused({ filter: acted.errors })
  return { query: chosen, where: acted.where, plan: yield* planOf(action, query, where) }
})

/** Renders some of them again, for the sender. Fails with 429 or 503 if there is too much of that. */
export const triedFor = Effect.fnUntraced(function* (
  request: Request,
  { where }: Effect.Success<ReturnType<typeof plannedFor>>
) {
  const { limited, inTurn } = yield* TryOutLimits
  yield* limited(request)
  return yield* inTurn(request, (owner) => renderAgain(where, owner))
})

const summaries = {
  retry: "The effect of a retry of these; with `dry_run=true` it renders the newest 200 again, and sends nothing",
  discard: "The effect of a discard of these"
}

const share = record({
  ...{ webhook: integer, name: orNull(string), count: integer, oldest: time, ordering: orNull(string) },
  ...{ rate_limit: orNull(number), enabled: orNull(flag), paused: orNull(flag) }
})

const trialOutcome = record({
  looked_at: described(integer, "How many were rendered: the newest."),
  ...each(verdicts, integer),
  examples: listOf(record({ delivery: integer, verdict: words(...verdicts), detail: string }))
})

const plan = record({
  filter: described(Schema.Record(string, listOf(string)), "The filter to send with the POST."),
  count: integer,
  unattempted: described(integer, "How many of them wait for their first attempt."),
  count_is_minimum: described(flag, "Whether more of these wait than were counted."),
  oldest: orNull(time),
  webhooks: listOf(share),
  left_out: listOf(record({ status: string, count: integer })),
  dry_run: described(orNull(trialOutcome), "Null where nothing was rendered; always for a discard.")
})

/** `GET …/retry/?status=failed&dry_run=true`: what the action would do; nothing is done. */
export const showPlan = (action: BulkAction) =>
  endpoint({ summary: summaries[action], hasFilters: true, reply: plan }, (request) =>
    Effect.gen(function* () {
      const planned = yield* plannedFor(action, request)
      const { total, unattempted, isMinimum, oldest, webhooks, leftOut } = planned.plan
      const isTried = action === "retry" && (yield* isSet(request, "dry_run", false))
      const trial = isTried ? yield* triedFor(request, planned) : undefined
      return {
        status: 200,
        json: {
          filter: dictionaryOf(planned.query),
          ...{ count: total, unattempted, count_is_minimum: isMinimum, oldest, webhooks, left_out: leftOut },
          dry_run: trial === undefined ? null : { looked_at: trial.lookedAt, ...trial.counts, examples: trial.examples }
        }
      }
    })
  )

/** The filter as the body of a POST has it. */
const dictionaryOf = (query: Query) =>
  Object.fromEntries(
    [...Map.groupBy(query, ([name]) => name)].map(([name, pairs]) => [name, pairs.map(([, value]) => value)])
  )
