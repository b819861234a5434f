/** How the stages make a service of some roles, on what every role needs (pipeline/Foundation.ts). */
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Console, Deferred, Effect, Layer, Option, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { AdmissionSql } from "./postgres/AdmissionSql.ts"
import { Settings } from "./Config.ts"
import { Environment } from "./Environment.ts"
import { optionWarnings } from "./ShownOptions.ts"
import { Health } from "./http/Health.ts"
import { eventConsumerLayer } from "./pipeline/Pipeline.ts"
import { readiness } from "./pipeline/Readiness.ts"
import { keyLease } from "./pipeline/KeyLease.ts"
import { keyNames } from "./pipeline/RedisOwner.ts"
import { redisStart } from "./pipeline/RedisStart.ts"
import { awaitPostgres } from "./postgres/AwaitPostgres.ts"
import { requestSqlLayer } from "./postgres/RequestSql.ts"
import { Attempts } from "./auth/Attempts.ts"
import { KnownTokens } from "./auth/KnownTokens.ts"
import { TokenExchange } from "./auth/exchange/TokenExchange.ts"
import { LdapDirectory } from "./auth/ldap/LdapDirectory.ts"
import { SingleSignOn } from "./auth/oidc/SingleSignOn.ts"
import { PasswordHashing } from "./auth/password/PasswordHashing.ts"
import { ensureSuperuser } from "./auth/Superuser.ts"
import { UsualRights } from "./auth/UsualRights.ts"
import { Capture } from "./capture/Capture.ts"
import { browsing } from "./console/Browse.ts"
import { errorPage } from "./console/ErrorPage.ts"
import { lostForm } from "./console/LostForm.ts"
import { pages } from "./console/Pages.ts"
import { Deliver } from "./deliver/Deliver.ts"
import { EventBodies } from "./changelog/EventBodies.ts"
import { Waiting } from "./history/inspect/Waiting.ts"
import { DeliveryLog } from "./log/DeliveryLog.ts"
import type { Route } from "./http/Route.ts"
import { apiLayer, apiRoutes } from "./http/Routes.ts"
import { schemaRoutes } from "./http/describe/Schema.ts"
import { Connections } from "./http/Connections.ts"
import { serve } from "./http/Server.ts"
import { limitsInUse } from "./limit/ProcessLimits.ts"
import { Presence } from "./postgres/Presence.ts"
import { statusMetrics } from "./telemetry/StatusMetrics.ts"
import { sealWithKey } from "./inventory/Reseal.ts"
import { OptionRefused } from "./Setting.ts"
import { Append } from "./queue/Append.ts"
import { Streams } from "./queue/Streams.ts"
import { sources } from "./source/Source.ts"
import { foundation, migrateAll, servers } from "./pipeline/Foundation.ts"

/** Migrates the database to the declarations, seals secrets with the current key, and ensures a superuser. */
const prepared = Layer.effectDiscard(
  Effect.gen(function* () {
    const statements = yield* migrateAll
    if (statements.length > 0) yield* Effect.logInfo(`The database was migrated with ${statements.length} statements.`)
    const { resealed, unreadable } = yield* sealWithKey
    if (resealed > 0) yield* Effect.logInfo(`${resealed} secrets were sealed anew with SECRET_KEY.`)
    if (unreadable > 0)
      yield* Effect.logWarning(`${unreadable} secrets were sealed with a key that is lost: enter them anew.`)
    const password = yield* ensureSuperuser
    const { superuserName } = yield* Settings
    if (password !== undefined)
      yield* Console.log(
        `Superuser ${superuserName}, password ${password} (shown this once; the browser requires a new one at the first login)`
      )
  })
)

// --- the roles

export const roles = ["api", "capture", "deliver"] as const
export type Role = (typeof roles)[number]

const streams = Layer.unwrap(
  Effect.sync(() => Streams.layer(`${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`))
)

const capture = (chosen: ReadonlyArray<Role>, bound: Deferred.Deferred<number>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { baseUrl, host, port } = yield* Settings
      if (baseUrl === undefined && port === 0 && !chosen.includes("api")) {
        const message = "BASE_URL: URLs in events begin with it, and cannot with PORT 0 where the API runs elsewhere"
        return yield* new OptionRefused({ message })
      }
      if (baseUrl === undefined && isEveryAddress(host)) {
        const message = `BASE_URL is not set, so the URLs in events begin with ${urlOf(host, port)}, which leads nowhere from another machine. Set it to the address by which people reach the service.`
        yield* Effect.logWarning(message)
      }
      const known = baseUrl ?? (port === 0 ? undefined : urlOf(host, port))
      return Layer.merge(
        sources,
        Capture.layer(
          known === undefined ? Effect.map(Deferred.await(bound), (free) => urlOf(host, free)) : Effect.succeed(known)
        )
      )
    })
  ).pipe(Layer.provide(eventConsumerLayer), Layer.provide(Append.layer), Layer.provide(streams))

/** Whether a server that listens on it listens on every address of the machine. */
const isEveryAddress = (host: string): boolean => host === "0.0.0.0" || /^(?:0*:)+0*$/.test(host)

const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

const deliver = Deliver.layer.pipe(
  Layer.provide([DeliveryLog.layer, EventBodies.layer, Append.layer]),
  Layer.provide(streams)
)

/** Every route: the API and its description, and the pages. */
export const routes: ReadonlyArray<Route> = [...apiRoutes, ...schemaRoutes(() => routes), ...pages]

/**
 * Time that a connection may be idle, milliseconds: longer than proxies and clients keep theirs, which most do for a
 * minute. If the server closed first, a request could meet a connection that is being closed.
 */
const keepAliveMillis = 65_000

const api = Layer.unwrap(
  Effect.map(Settings, ({ host, port }) =>
    serve({ routes, errorPage, lostForm, browsing }).pipe(
      Layer.provide([
        apiLayer,
        Waiting.layer.pipe(Layer.provide(streams)),
        Attempts.layer,
        KnownTokens.layer,
        PasswordHashing.layer,
        SingleSignOn.layer,
        LdapDirectory.layer,
        TokenExchange.layer,
        requestSqlLayer,
        AdmissionSql.layer
      ]),
      Layer.provideMerge(
        Layer.unwrap(
          Effect.map(Connections, ({ server }) =>
            NodeHttpServer.layer(() => server({ keepAliveTimeout: keepAliveMillis }), {
              host,
              port,
              gracefulShutdownTimeout: "2 seconds"
            })
          )
        )
      ),
      Layer.provide(Connections.layer)
    )
  )
)

const only = <A, E, R>(wanted: boolean, layer: Layer.Layer<A, E, R>): Layer.Layer<never, E, R> =>
  wanted ? layer : Layer.empty

const health = readiness.pipe(Layer.provide(AdmissionSql.layer))

/** Calls `ready` with the address once this service is ready, and reports the port at once. */
const announce = (ready: Ready, bound: Deferred.Deferred<number>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { problems, leave } = yield* Health
      const { baseUrl, host, shutdownDelay } = yield* Settings
      const { tell, heartbeat } = yield* Presence
      const server = yield* Effect.serviceOption(HttpServer.HttpServer)
      const port = Option.match(server, {
        onNone: () => undefined,
        onSome: ({ address }) => ("port" in address ? address.port : undefined)
      })
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          yield* Effect.logInfo("stopping")
          yield* leave
          if (port !== undefined && shutdownDelay !== undefined) yield* Effect.sleep(shutdownDelay)
        })
      )
      const url = baseUrl ?? (port === undefined ? "without the api role" : urlOf(host, port))
      if (port !== undefined) yield* Deferred.succeed(bound, port)
      if (port !== undefined) yield* tell("api", Effect.succeed({ url }))
      yield* tell("limits", Effect.sync(limitsInUse))
      yield* Effect.forkScoped(
        Effect.gen(function* () {
          yield* Effect.repeat(problems, {
            until: (found) => found.length === 0,
            schedule: Schedule.spaced("50 millis")
          })
          // Until now it reported to others, such as `check`, that it was not ready.
          yield* Effect.ignore(heartbeat)
          yield* ready(url)
        })
      )
    })
  )

/** Runs once, with the address of the service. */
type Ready = (url: string) => Effect.Effect<void>

const warnOfOptions = Effect.flatMap(Environment, (variables) =>
  Effect.forEach(optionWarnings(variables), Effect.logWarning)
)

/** The service in these roles; several may run in one process. */
export const service = (chosen: ReadonlyArray<Role>, ready: Ready) =>
  Layer.unwrap(Effect.as(Effect.andThen(warnOfOptions, awaitPostgres), stages(chosen, ready))).pipe(
    Layer.provide(servers)
  )

/** Traces, if there is a collector. Nothing of the exporter is loaded otherwise: it takes memory. */
const traces = Layer.unwrap(
  Effect.gen(function* () {
    const { otlpEndpoint: endpoint, otlpHeaders: headers, traceRatio: ratio } = yield* Settings
    if (endpoint === undefined) return Layer.empty
    const { traceExport } = yield* Effect.promise(() => import("./telemetry/TraceExport.ts"))
    return traceExport({ endpoint, headers, ratio })
  })
)

const stages = (chosen: ReadonlyArray<Role>, ready: Ready) => {
  /** The port of the API, once it listens. */
  const bound = Deferred.makeUnsafe<number>()
  const isQueueing = chosen.includes("capture") || chosen.includes("deliver")
  return announce(ready, bound).pipe(
    Layer.provide(only(chosen.includes("api"), api)),
    Layer.provideMerge(health),
    Layer.provide(only(chosen.includes("deliver"), deliver)),
    Layer.provide(only(chosen.includes("capture"), capture(chosen, bound))),
    Layer.provide(Presence.layer),
    Layer.provide(traces),
    Layer.provide(only(isQueueing, keyLease)),
    Layer.provide(keyNames),
    Layer.provide(prepared),
    Layer.provide(redisStart(isQueueing)),
    Layer.provide(UsualRights.layer),
    Layer.provide(foundation)
  )
}

statusMetrics("limits", {
  requests: {
    name: "rackwire_requests",
    help: "Requests to receivers without an answer yet, in this process.",
    symptom: "queueGrows"
  },
  requestsMax: {
    name: "rackwire_requests_limit",
    help: "Most requests to receivers at the same time.",
    symptom: "limits"
  },
  eventBytes: { name: "rackwire_event_bytes", help: "Events of deliveries that have begun.", symptom: "limits" },
  eventBytesMax: {
    name: "rackwire_event_limit_bytes",
    help: "Most bytes of events of deliveries that have begun.",
    symptom: "limits"
  },
  bodyBytes: { name: "rackwire_body_bytes", help: "Rendered bodies of deliveries that have begun.", symptom: "limits" },
  bodyBytesMax: {
    name: "rackwire_body_limit_bytes",
    help: "Most bytes of rendered bodies of deliveries that have begun.",
    symptom: "limits"
  },
  webhooksWaiting: {
    name: "rackwire_webhooks_waiting",
    help: "Webhooks that wait for their share of requests, or of the bytes of events or bodies.",
    symptom: "limits"
  },
  idleConnections: {
    name: "rackwire_idle_connections",
    help: "Connections to receivers that are kept for the next request.",
    symptom: "limits"
  },
  idleConnectionsMax: {
    name: "rackwire_idle_connections_limit",
    help: "Most connections to receivers that are kept for the next request.",
    symptom: "limits"
  },
  clientConnections: {
    name: "rackwire_client_connections",
    help: "Connections of clients of the API and the pages.",
    symptom: "limits"
  },
  clientConnectionsMax: {
    name: "rackwire_client_connections_limit",
    help: "Most connections of clients of the API and the pages; one address has its share of them.",
    symptom: "limits"
  }
})
