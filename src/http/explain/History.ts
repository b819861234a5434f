/**
 * Past changes and one webhook: `GET /api/extras/webhooks/<id>/skipped/` and `POST /api/extras/webhooks/history/`.
 * Writes nothing and sends nothing.
 */
import { Effect } from "effect"
import { historyOf } from "../../history/explain/History.ts"
import { askedMax, askedUsually, skippedBy } from "../../history/explain/Skipped.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import { type Dictionary, isDictionary } from "../../inventory/Field.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { isEmpty, parse } from "../../match/Condition.ts"
import type { MatchFields } from "../../match/WebhookIndex.ts"
import { rowOf } from "../objects/Objects.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, flag, integer, listOf, object, optional, orNull, record, string } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import { pageBounds } from "../wire/Paging.ts"
import { bodyFields, refused } from "../webhooks/ActionRequest.ts"
import { TryOutLimits } from "../webhooks/TryOutLimits.ts"
import { past, skips } from "./Explained.ts"

const webhookType = objectType<typeof Webhook>("extras.webhook")

/** `?limit=`: how many of the latest changes are evaluated. */
const skipped = endpoint(
  {
    summary: "The latest changes for which a webhook did not fire, by what failed, and the closest miss",
    query: { limit: described(integer, "Most changes that are evaluated.") },
    reply: skips
  },
  (request) =>
    Effect.gen(function* () {
      const { limited } = yield* TryOutLimits
      yield* limited(request)
      const webhook = yield* rowOf(webhookType, request)
      const { limit = askedMax } = pageBounds(request.url.searchParams, { usual: askedUsually, max: askedMax })
      return { status: 200, json: yield* skippedBy(webhook, limit) }
    })
)

const flagNames = ["type_create", "type_update", "type_delete"] as const

/**
 * `{conditions, content_types, type_create, type_update, type_delete, webhook?}` -> how often it would have fired in the
 * last 24 hours. With the id of a webhook absent fields are as it has them, and the answer has the differences.
 */
const history = endpoint(
  {
    summary: "How often a webhook would have fired in the last 24 hours with other conditions, types or kinds",
    body: record({
      webhook: optional(described(integer, "The webhook to compare with; absent fields are as it has them.")),
      conditions: optional(described(orNull(object), "A condition document; null or {} for every event.")),
      content_types: optional(listOf(string)),
      ...{ type_create: optional(flag), type_update: optional(flag), type_delete: optional(flag) }
    }),
    reply: past
  },
  (request) =>
    Effect.gen(function* () {
      const { limited } = yield* TryOutLimits
      yield* limited(request)
      const fields = yield* bodyFields(request)
      const saved = yield* savedIn(fields["webhook"])
      return {
        status: 200,
        json: yield* historyOf(yield* wantedIn(fields, saved), saved && { ...saved, enabled: true })
      }
    })
)

const savedIn = Effect.fnUntraced(function* (id: unknown) {
  if (id === undefined || id === null) return undefined
  if (typeof id !== "number" || !Number.isSafeInteger(id))
    return yield* refused({ webhook: ["A valid integer is required."] })
  const [row] = yield* byIds(webhookType, [id])
  return row ?? (yield* refused({ webhook: ["There is no such webhook."] }))
})

/** The definition to evaluate. Fails with 400 where a field is wrong. */
const wantedIn = Effect.fnUntraced(function* (fields: Dictionary, saved: MatchFields | undefined) {
  const { content_types: types = saved?.content_types, conditions = saved?.conditions } = fields
  if (types === undefined) return yield* refused({ content_types: ["This field is required."] })
  if (!Array.isArray(types)) return yield* refused({ content_types: ["Expected a list of object types."] })
  const unknown = types.find((each) => typeof each !== "string" || !registry.has(each))
  if (unknown !== undefined) return yield* refused({ content_types: [`There is no object type ${String(unknown)}.`] })
  const odd = flagNames.find((name) => fields[name] !== undefined && typeof fields[name] !== "boolean")
  if (odd !== undefined) return yield* refused({ [odd]: ["Must be a valid boolean."] })
  if (!isEmpty(conditions)) {
    yield* Effect.try({
      try: () => parse(conditions),
      catch: (error) => new HttpRefused({ reason: "InvalidBody", body: { conditions: [inWords(error)] } })
    })
  }
  const kind = (name: (typeof flagNames)[number]) => (fields[name] ?? saved?.[name] ?? true) === true
  return {
    enabled: true,
    content_types: types as ReadonlyArray<string>,
    ...{ type_create: kind("type_create"), type_update: kind("type_update"), type_delete: kind("type_delete") },
    conditions: isDictionary(conditions) ? conditions : null,
    scope_user: saved?.scope_user ?? null
  } satisfies MatchFields
})

export default [
  { path: `${webhookType.path}history/`, access: webhookType, methods: { POST: history } },
  { path: `${webhookType.path}:id/skipped/`, access: webhookType, methods: { GET: skipped } }
] satisfies ReadonlyArray<Route>
