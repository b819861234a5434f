/** What webhooks have beside the usual endpoints: past events sent again. */
import { Clock, Effect } from "effect"
import { openBreakers } from "../deliver/BreakerNote.ts"
import { askForReplay, replayType } from "../deliver/Replay.ts"
import { byIds, viewFor } from "../inventory/Read.ts"
import { objectType } from "../inventory/Registry.ts"
import { representation } from "../inventory/derive/Representation.ts"
import type { Errors } from "../inventory/Field.ts"
import { flag, time } from "../inventory/ObjectType.ts"
import { HttpRefused } from "./HttpRefused.ts"
import { type Details, rowOf } from "./Objects.ts"
import type { Handler, Route } from "./Route.ts"

const webhookType = objectType("extras.webhook")

/** What a replay is asked for with. */
const fields = { since: time(), until: time(), dry_run: flag({ default: false }) }

const replay: Handler = (request) =>
  Effect.gen(function* () {
    const webhook = yield* rowOf(webhookType, request)
    const now = new Date(yield* Clock.currentTimeMillis).toISOString()
    const { since, until, dry_run: dryRun } = yield* asked(yield* request.body, now)
    const id = yield* askForReplay({ webhook: webhook.id, since, until, dryRun })
    const [row] = yield* byIds(replayType, [id])
    return { status: 202, json: representation(replayType, row!, yield* viewFor(replayType, [row!], request.base)) }
  })

const asked = (body: unknown, now: string) => {
  const input = typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {}
  const errors: Record<string, ReadonlyArray<string>> = {}
  const values: Record<string, unknown> = { until: now, dry_run: false }
  if (input["since"] === undefined) errors["since"] = ["This field is required."]
  for (const [name, field] of Object.entries(fields)) {
    if (input[name] === undefined || input[name] === null) continue
    const parsed = field.parse(input[name])
    if ("errors" in parsed) errors[name] = parsed.errors
    else values[name] = parsed.value
  }
  if (Object.keys(errors).length > 0) return new HttpRefused({ reason: "InvalidBody", body: errors satisfies Errors })
  return Effect.succeed(values as { readonly since: string; readonly until: string; readonly dry_run: boolean })
}

export const webhookDetails: Details = {
  [webhookType.id]: ({ id }) => Effect.map(openBreakers(id), (breakers) => ({ breakers }))
}

export const webhookRoutes: ReadonlyArray<Route> = [
  { path: `${webhookType.path}:id/replay/`, access: webhookType, methods: { POST: replay } }
]
