/** Background tasks as in the specification: a queue per webhook, and the processes that work on the queues. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import { Presence } from "../../inventory/database/Presence.ts"
import { Counts } from "../../inventory/read/Count.ts"
import { list } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import { everything } from "../../inventory/derive/filter/Where.ts"
import { pageBounds, pageLinks } from "../wire/Paging.ts"
import type { Handler, Route } from "../Route.ts"

const webhookType = objectType("extras.webhook")

interface Told {
  readonly queue: object
}

/** `GET /api/core/background-queues/`: the lengths of the queues as the sweeper found them seconds ago. */
const queues: Handler = ({ url, base }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* Settings
    const workers = (yield* deliverers).length
    const bounds = pageBounds(url.searchParams, { usual: settings.pageSize, max: settings.pageSizeMax })
    const total = yield* (yield* Counts).count(webhookType, everything)
    const page = yield* list(webhookType, { where: everything, ordering: [], ...bounds })
    const rows = yield* sql<Told>`
      select json_build_object(
               'name', w.name, 'webhook', ${base + webhookType.path} || w.id || '/', 'workers', ${workers}::int,
               'jobs', coalesce(b.queued, 0), 'started_jobs', coalesce(b.pending, 0),
               'scheduled_jobs', coalesce(b.waiting, 0),
               'failed_jobs', (select count(*) from extras_delivery d where d.webhook_id = w.id and d.status = 'failed'))
             as queue
        from extras_webhook w left join rackwire_backlog b on b.webhook_id = w.id
       where w.id = any (${page.map(({ id }) => id)}::bigint[])
       order by w.name, w.id`
    const address = new URL(url.pathname + url.search, base)
    return {
      status: 200,
      json: { count: total, ...pageLinks(address, bounds, total), results: rows.map(({ queue }) => queue) }
    }
  })

/** `GET /api/core/background-workers/`: the processes that deliver. */
const workers: Handler = () =>
  Effect.map(deliverers, (processes) => {
    const results = processes.map(({ name, started, deliver }) => ({
      name,
      state: Number(deliver["inFlight"]) > 0 ? "busy" : "idle",
      birth_date: started,
      ...deliver
    }))
    return { status: 200, json: { count: results.length, next: null, previous: null, results } }
  })

/** The processes that deliver, with what that part of each says of itself. */
const deliverers = Effect.gen(function* () {
  const { everybody } = yield* Presence
  return (yield* everybody).flatMap(({ name, started, parts: { deliver } }) =>
    deliver === undefined ? [] : [{ name, started, deliver }]
  )
})

export const backgroundRoutes: ReadonlyArray<Route> = [
  { path: "/api/core/background-queues/", access: webhookType, methods: { GET: queues } },
  { path: "/api/core/background-workers/", access: webhookType, methods: { GET: workers } }
]
