/** Background tasks as in the specification: a queue per webhook, and the processes that work on the queues. */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import { capturedState, depths, failedCount } from "../../history/tasks/Pipeline.ts"
import { deliverers, processes } from "../../history/tasks/Processes.ts"
import { queuesOf } from "../../history/tasks/Queues.ts"
import { Counts } from "../../inventory/read/Count.ts"
import { list } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import { everything } from "../../inventory/derive/filter/Where.ts"
import { mayWatch } from "./MetricsAccess.ts"
import { pageBounds, pageLinks } from "../wire/Paging.ts"
import type { Handler, Route } from "../Route.ts"

const webhookType = objectType("extras.webhook")

/** `GET /api/core/background-queues/`: the lengths of the queues as the sweeper found them seconds ago. */
const queues: Handler = ({ url, base }) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    const workers = deliverers(yield* processes).filter(({ lost }) => !lost).length
    const bounds = pageBounds(url.searchParams, { usual: settings.pageSize, max: settings.pageSizeMax })
    const total = yield* (yield* Counts).count(webhookType, everything)
    const page = yield* list(webhookType, { where: everything, ordering: [], ...bounds })
    const results = (yield* queuesOf(page.map(({ id }) => id))).map((queue) => ({
      ...{ name: queue.name, webhook: `${base}${webhookType.path}${queue.id}/`, workers },
      ...{ enabled: queue.enabled, paused: queue.paused },
      ...{ jobs: queue.queued, started_jobs: queue.sending, scheduled_jobs: queue.waiting, failed_jobs: queue.failed },
      ...{ oldest: queue.oldest, looked: queue.looked }
    }))
    const address = new URL(url.pathname + url.search, base)
    return { status: 200, json: { count: total, ...pageLinks(address, bounds, total), results } }
  })

/** `GET /api/core/pipeline/`: the way of a change in numbers. How far capture is needs access to the service's state. */
const pipeline: Handler = (request) =>
  Effect.gen(function* () {
    const captured = (yield* mayWatch(request)) ? yield* capturedState : {}
    const json = { ...captured, ...(yield* depths), failed: yield* failedCount }
    return { status: 200, json }
  })

/** `GET /api/core/background-workers/`: the processes that deliver, also those that were lost lately. */
const workers: Handler = () =>
  Effect.map(processes, (all) => {
    const results = deliverers(all).map(({ name, state, quiet, started, seen, roles, parts }) => ({
      ...{ name, state, quiet, roles, birth_date: started, last_heartbeat: seen },
      ...parts["process"],
      ...parts["deliver"]
    }))
    return { status: 200, json: { count: results.length, next: null, previous: null, results } }
  })

export const backgroundRoutes: ReadonlyArray<Route> = [
  { path: "/api/core/pipeline/", access: webhookType, methods: { GET: pipeline } },
  { path: "/api/core/background-queues/", access: webhookType, methods: { GET: queues } },
  { path: "/api/core/background-workers/", access: webhookType, methods: { GET: workers } }
]
