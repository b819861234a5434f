/** `GET /api/extras/object-changes/<id>/explain/`: which webhooks fired for a change, which did not, and why. */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import { type Reckoned, explainChange, lsnOfChange } from "../../history/explain/Explain.ts"
import { whereIds } from "../../inventory/derive/filter/Where.ts"
import { changeType, changes } from "../../inventory/read/Changes.ts"
import { objectType } from "../../inventory/Registry.ts"
import { notFound } from "../HttpRefused.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { flag, orNull, page, pageOf, string } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import { type Request, publicUrl } from "../wire/Request.ts"
import { pageBounds, pageLinks } from "../wire/Paging.ts"
import { reckoned } from "./Explained.ts"

const webhookType = objectType("extras.webhook")

/** The change of the id in the path. Fails with 404 if there is none that the sender may view. */
const changeOf = Effect.fnUntraced(function* ({ params: { id = "" } }: Request) {
  const where = whereIds(/^\d{1,15}$/.test(id) ? [Number(id)] : [])
  const [change] = yield* changes({ where, order: "oldest first", limit: 1 })
  return change ?? (yield* notFound())
})

/** As `Reckoned`, with the webhook as a nested object. */
export const shownReckoned = ({ webhook, name, exists, fate, ...verdict }: Reckoned, base: string) => ({
  webhook: { id: webhook, url: `${base}${webhookType.path}${webhook}/`, display: name, name },
  ...(!exists && { deleted: true }),
  gate: null,
  explanation: null,
  ...verdict,
  delivery: fate ?? null
})

const explain = endpoint(
  {
    summary: "Which webhooks fired for a change, which did not, and why, as of its commit",
    query: page,
    reply: pageOf(reckoned, { lsn: orNull(string), position: string, partial: flag })
  },
  (request) =>
    Effect.gen(function* () {
      const { url, base } = request
      const change = yield* changeOf(request)
      const { pageSize, pageSizeMax } = yield* Settings
      const bounds = pageBounds(url.searchParams, { usual: pageSize, max: pageSizeMax })
      const { webhooks, isPartial } = yield* explainChange(change)
      const { offset, limit = webhooks.length } = bounds
      const json = {
        count: webhooks.length,
        ...pageLinks(publicUrl(request), bounds, webhooks.length),
        lsn: lsnOfChange(change) ?? null,
        position: change.place,
        partial: isPartial,
        results: webhooks.slice(offset, offset + limit).map((each) => shownReckoned(each, base))
      }
      return { status: 200, json }
    })
)

export default [
  { path: `${changeType.path}:id/explain/`, access: changeType, methods: { GET: explain } }
] satisfies ReadonlyArray<Route>
