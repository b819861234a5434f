/** Health, status and metrics. */
import { Effect } from "effect"
import { version } from "../../Config.ts"
import { sendingState } from "../../requests/Sending.ts"
import { unhealthySentence, unhealthyWebhooks } from "../../history/health/Unhealthy.ts"
import { Health } from "../Health.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import { Presence } from "../../postgres/Presence.ts"
import { limitsInUse } from "../../limit/ProcessLimits.ts"
import { exposition } from "../../telemetry/Exposition.ts"
import { mayWatch, watching } from "./MetricsAccess.ts"
import { apiVersion } from "../Respond.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, flag, integer, listOf, object, optional, record, string, time } from "../declare/Parts.ts"
import type { Handler, Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { sending } from "./Sending.ts"

const live: Handler = () => Effect.succeed({ status: 200, json: { status: "live" } })

/** A sentence for each thing that needs attention while the process works. */
const webhookWarnings = unhealthyWebhooks.pipe(
  Effect.map((unhealthy) => [unhealthySentence(unhealthy) ?? []].flat()),
  Effect.catch(() => Effect.succeed([])),
  Effect.provideService(Clearance, Clearance.all)
)

/** The health of this process; the sentences are for clients that may see the metrics. */
const healthOf = (request: Request) =>
  Effect.gen(function* () {
    const health = yield* Health
    const [problems, alarms] = [yield* health.problems, yield* health.alarms]
    // Without the database no token can be checked.
    const isShown = yield* mayWatch(request).pipe(Effect.catch(() => Effect.succeed(false)))
    const warnings = isShown ? yield* webhookWarnings : []
    const named = Object.entries({ problems, alarms, warnings }).filter(([, sentences]) => sentences.length > 0)
    const shown = isShown ? { ...Object.fromEntries(named), limits: limitsInUse() } : {}
    return { isReady: problems.length === 0, hasAlarm: alarms.length > 0, shown }
  })

/** For probes: 503 while something keeps the process from requests, or from the work of its roles. */
const ready: Handler = (request) =>
  Effect.map(healthOf(request), ({ isReady, shown }) =>
    isReady
      ? { status: 200, json: { status: "ready", ...shown } }
      : { status: 503, json: { status: "not ready", ...shown }, headers: { "retry-after": "2" } }
  )

/** For people and monitoring: alarms too, which are no reason to send requests elsewhere. */
const overall: Handler = (request) =>
  Effect.map(healthOf(request), ({ isReady, hasAlarm, shown }) => ({
    status: 200,
    json: { status: !isReady ? "not ready" : hasAlarm ? "alarm" : "healthy", ...shown }
  }))

const state = record({
  ...{ "netbox-version": string, "rackwire-version": string, plugins: object },
  "rq-workers-running": described(integer, "Processes that deliver."),
  sending: optional(described(sending, "For clients that may see the metrics, as `processes`.")),
  processes: optional(
    listOf(
      record({
        ...{ name: string, started: time, seen: time, lost: flag, quiet: flag },
        parts: described(object, "The status of each part of the process.")
      })
    )
  )
})

/** NetBox's keys as far as they apply, and more for clients that may see the metrics. */
const status = endpoint({ summary: "The version, and the processes with their states", reply: state }, (request) =>
  Effect.gen(function* () {
    const { everybody } = yield* Presence
    const processes = yield* everybody
    const watches = yield* mayWatch(request)
    const workers = processes.filter(({ parts }) => parts["deliver"] !== undefined).length
    const json = {
      "netbox-version": `${apiVersion}.0`,
      "rackwire-version": version,
      plugins: {},
      "rq-workers-running": workers,
      ...(watches && { sending: yield* sendingState, processes })
    }
    return { status: 200, json }
  })
)

/** `GET /metrics`: the numbers of this process, in Prometheus' text format. */
const metrics: Handler = (request) =>
  Effect.gen(function* () {
    yield* watching(request)
    const { here } = yield* Presence
    return { status: 200, text: { type: "text/plain; version=0.0.4", content: exposition(yield* here) } }
  })

export default [
  { path: "/api/status/", access: "open", methods: { GET: status } },
  { path: "/metrics", access: "unasked", methods: { GET: metrics } },
  { path: "/health/", access: "unasked", methods: { GET: overall } },
  { path: "/health/live", access: "unasked", methods: { GET: live } },
  { path: "/health/ready", access: "unasked", methods: { GET: ready } }
] satisfies ReadonlyArray<Route>
