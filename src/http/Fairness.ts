/**
 * Limits the requests that one sender has under way, so that one sender leaves connections, memory and time of the event
 * loop to the others.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Principal } from "../auth/Principal.ts"
import { type Lane, makeLane } from "../eventloop/Lane.ts"
import { HttpRefused } from "./HttpRefused.ts"
import { type Method, type Route, isPage } from "./Route.ts"

/** Most requests of one sender at once, most that wait, and how long each waits. */
const limits = {
  /** At once: half of the connections of requests. */
  read: { most: 8, waiting: 500, patienceMillis: 10_000 },
  /** At once: a third of the transactions. A write that waits has not read its body. */
  largeWrite: { most: 2, waiting: 500, patienceMillis: 30_000 }
}

/** Bodies up to this size are small, bytes: those of single objects, and of a hundred short ones. */
const smallBodyBytes = 32 * 1024

type Kind = keyof typeof limits

/** The limit that a request counts against; undefined for one that needs no connection, or one for a moment only. */
export const kindOf = (
  { access, path, hasOwnLimit }: Pick<Route, "access" | "path" | "hasOwnLimit">,
  method: Method,
  headers: HttpServerRequest.HttpServerRequest["headers"]
): Kind | undefined => {
  if (method === "GET")
    return typeof access === "object" || (access === "open" && isPage({ path })) ? "read" : undefined
  if (typeof access !== "object" || hasOwnLimit === true) return undefined
  const isSmall = headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) <= smallBodyBytes
  return isSmall ? undefined : "largeWrite"
}

const busy = (kind: Kind) =>
  Effect.suspend(() =>
    Effect.fail(
      new HttpRefused({
        reason: "Throttled",
        body: {
          detail: `Request was throttled: more than ${limits[kind].most} requests of yours take long at the same time.`
        },
        headers: { "retry-after": "5" }
      })
    )
  )

/**
 * Runs a request in its sender's turn; fails with 429 where too many wait or the wait is too long. Anonymous senders are
 * distinguished by their address.
 */
export type InTurn = (
  kind: Kind,
  principal: Principal,
  address: string | undefined
) => <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, E | HttpRefused, R>

/** Each server counts the requests of its own senders. */
export const makeInTurn = (): InTurn => {
  const lanes = new Map<string, Lane<HttpRefused>>()
  return (kind, { user }, address) =>
    (request) =>
      Effect.suspend(() => {
        const sender = `${kind} ${user === undefined ? `address ${address ?? ""}` : `user ${user.id}`}`
        const lane = lanes.get(sender) ?? makeLane({ ...limits[kind], busy: busy(kind) })
        lanes.set(sender, lane)
        return Effect.ensuring(
          lane.run(request),
          Effect.sync(() => {
            if (lane.isIdle() && lanes.get(sender) === lane) lanes.delete(sender)
          })
        )
      })
}
