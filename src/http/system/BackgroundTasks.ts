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
import { endpoint } from "../declare/Endpoint.ts"
import {
  described,
  flag,
  integer,
  listOf,
  number,
  optional,
  orNull,
  page as pageParameters,
  pageOf,
  record,
  string,
  time,
  words
} from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import { publicUrl } from "../wire/Request.ts"

const webhookType = objectType("extras.webhook")

const queue = record({
  ...{ name: string, webhook: string, workers: integer, enabled: flag, paused: flag },
  jobs: described(integer, "Queued."),
  started_jobs: described(integer, "In flight in a process."),
  scheduled_jobs: described(integer, "Waiting for their next attempt."),
  failed_jobs: described(integer, "They used up their retries. Counted up to 100,000."),
  oldest: described(orNull(time), "When the oldest change that is queued or sent was committed."),
  looked: described(orNull(time), "When the queue was inspected last.")
})

/** The lengths of the queues as the sweeper found them seconds ago. */
const queues = endpoint(
  { summary: "Deliveries that wait, by webhook", query: pageParameters, reply: pageOf(queue) },
  ({ url, base }) =>
    Effect.gen(function* () {
      const settings = yield* Settings
      const workers = deliverers(yield* processes).filter(({ lost }) => !lost).length
      const bounds = pageBounds(url.searchParams, { usual: settings.pageSize, max: settings.pageSizeMax })
      const total = yield* (yield* Counts).count(webhookType, everything)
      const page = yield* list(webhookType, { where: everything, ordering: [], ...bounds })
      const results = (yield* queuesOf(page.map(({ id }) => id))).map((queue) => ({
        ...{ name: queue.name, webhook: `${base}${webhookType.path}${queue.id}/`, workers },
        ...{ enabled: queue.enabled, paused: queue.paused },
        ...{
          jobs: queue.queued,
          started_jobs: queue.sending,
          scheduled_jobs: queue.waiting,
          failed_jobs: queue.failed
        },
        ...{ oldest: queue.oldest, looked: queue.looked }
      }))
      const address = publicUrl({ url, base })
      return { status: 200, json: { count: total, ...pageLinks(address, bounds, total), results } }
    })
)

const numbers = record({
  ...{ queued: integer, sending: integer, waiting: integer, looked: orNull(time) },
  failed: described(integer, "Counted up to 10,000."),
  lagMillis: optional(
    described(orNull(number), "From a commit until its events are stored; null while no process captures.")
  ),
  lagBytes: optional(orNull(integer)),
  confirmed: optional(orNull(string)),
  captured_last_minute: optional(integer)
})

/** How far capture is needs access to the service's state. */
const pipeline = endpoint({ summary: "How far capture is, and what waits in all", reply: numbers }, (request) =>
  Effect.gen(function* () {
    const captured = (yield* mayWatch(request)) ? yield* capturedState : {}
    const json = { ...captured, ...(yield* depths), failed: yield* failedCount }
    return { status: 200, json }
  })
)

const worker = record({
  ...{ name: string, quiet: flag, roles: listOf(string), birth_date: time, last_heartbeat: time },
  state: words("busy", "idle", "paused", "quiet", "lost"),
  ...{ inFlight: optional(integer), webhooks: optional(integer), breakersOpen: optional(integer) },
  ...{ isStopped: optional(flag), version: optional(string), node: optional(string) },
  lookups: optional(described(integer, "Lookups of receivers' names under way.")),
  lookupsWaiting: optional(described(integer, "Names of receivers that wait to be looked up.")),
  rssBytes: optional(described(integer, "Memory.")),
  loopDelayMillis: optional(described(integer, "The longest delay of the event loop since the heartbeat before."))
})

/** Also those that were lost lately. */
const workers = endpoint({ summary: "The processes that deliver", reply: pageOf(worker) }, () =>
  Effect.map(processes, (all) => {
    const results = deliverers(all).map(({ name, state, quiet, started, seen, roles, parts }) => ({
      ...{ name, state, quiet, roles, birth_date: started, last_heartbeat: seen },
      ...parts["process"],
      ...parts["deliver"]
    }))
    return { status: 200, json: { count: results.length, next: null, previous: null, results } }
  })
)

export default [
  { path: "/api/core/pipeline/", access: webhookType, methods: { GET: pipeline } },
  { path: "/api/core/background-queues/", access: webhookType, methods: { GET: queues } },
  { path: "/api/core/background-workers/", access: webhookType, methods: { GET: workers } }
] satisfies ReadonlyArray<Route>
