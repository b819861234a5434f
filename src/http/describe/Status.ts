/** The roots of the API, health, status and metrics. */
import { Effect } from "effect"
import { version } from "../../Config.ts"
import { sendingState } from "../../requests/Sending.ts"
import { unhealthySentence, unhealthyWebhooks } from "../../history/health/Unhealthy.ts"
import { Health } from "../Health.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import { Presence } from "../../postgres/Presence.ts"
import { registry } from "../../inventory/Registry.ts"
import { limitsInUse } from "../../limit/ProcessLimits.ts"
import { exposition } from "../../telemetry/Exposition.ts"
import { mayWatch, watching } from "../system/MetricsAccess.ts"
import { apiVersion } from "../Respond.ts"
import type { Handler, Route } from "../Route.ts"

const apps = [...Map.groupBy(registry.values(), (type) => type.app)]

const apiRoot: Handler = ({ base }) =>
  Effect.succeed({ status: 200, json: Object.fromEntries(apps.map(([app]) => [app, `${base}/api/${app}/`])) })

const appRoots: ReadonlyArray<Route> = apps.map(([app, types]) => ({
  path: `/api/${app}/`,
  access: "open",
  methods: {
    GET: ({ base }) =>
      Effect.succeed({ status: 200, json: Object.fromEntries(types.map((type) => [type.plural, base + type.path])) })
  }
}))

const live: Handler = () => Effect.succeed({ status: 200, json: { status: "live" } })

/** A sentence for what somebody has to look at while the process works. */
const webhookWarnings = unhealthyWebhooks.pipe(
  Effect.map((unhealthy) => [unhealthySentence(unhealthy) ?? []].flat()),
  Effect.catch(() => Effect.succeed([])),
  Effect.provideService(Clearance, Clearance.all)
)

const ready: Handler = (request) =>
  Effect.gen(function* () {
    const health = yield* Health
    const problems = [...(yield* health.problems), ...(yield* health.alarms)]
    // Without the database no token can be checked.
    const isShown = yield* mayWatch(request).pipe(Effect.catch(() => Effect.succeed(false)))
    const warnings = isShown ? yield* webhookWarnings : []
    // Not part of the readiness: a user who may edit webhooks must not be able to end it.
    const more = { ...(warnings.length > 0 && { warnings }), ...(isShown && { limits: limitsInUse() }) }
    if (problems.length === 0) return { status: 200, json: { status: "ready", ...more } }
    const json = { status: "not ready", ...(isShown && { problems }), ...more }
    return { status: 503, json, headers: { "retry-after": "2" } }
  })

/**
 * `GET /api/status/`: NetBox's keys as far as they apply. Clients that may see the metrics also get every process with
 * its state, and whether sending is paused.
 */
const status: Handler = (request) =>
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

/** `GET /metrics`: the numbers of this process, in Prometheus' text format. */
const metrics: Handler = (request) =>
  Effect.gen(function* () {
    yield* watching(request)
    const { here } = yield* Presence
    return { status: 200, text: { type: "text/plain; version=0.0.4", content: exposition(yield* here) } }
  })

export const statusRoutes: ReadonlyArray<Route> = [
  { path: "/api/", access: "open", methods: { GET: apiRoot } },
  { path: "/api/status/", access: "open", methods: { GET: status } },
  { path: "/metrics", access: "unasked", methods: { GET: metrics } },
  ...appRoots,
  { path: "/health/live", access: "unasked", methods: { GET: live } },
  { path: "/health/ready", access: "unasked", methods: { GET: ready } }
]
