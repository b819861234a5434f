/** Measures one request: how long its answer takes, and why it is refused. */
import { counter, histogram } from "../telemetry/Series.ts"
import type { Refusal } from "./Route.ts"

/** Few bounds: there is a histogram for each route. */
const requestSeconds = [0.005, 0.025, 0.1, 0.5, 2.5, 10]

const requestDuration = histogram({
  name: "rackwire_http_request_duration_seconds",
  help: "Duration of a request to the API or a page until its answer begins, by route, method and status.",
  symptom: "api",
  labels: { route: "open", method: "open", status: "open" },
  bounds: requestSeconds
})

const requestsRefused = counter({
  name: "rackwire_http_requests_refused_total",
  help: "Requests to the API or a page that were refused, by reason.",
  symptom: "api",
  labels: { reason: "open" }
})

/** Anybody may send any word as a method. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"])

/** Refusals that need no rights. */
const anybodys: ReadonlySet<string> = new Set(["LoginFirst", "MethodNotAllowed"])

export class MeasuredRequest {
  /**
   * The path of the route as it is declared, or "page" outside of the API; "none" if no route has the path or the sender
   * has no access to it.
   */
  route = "none"
  private readonly method: string
  private readonly begun = performance.now()

  constructor(method: string) {
    this.method = methods.has(method) ? method : "other"
  }

  refused(refusal: Refusal): void {
    const hasReason = refusal._tag === "Denied" || refusal._tag === "HttpRefused"
    const reason = hasReason ? refusal.reason : refusal._tag
    requestsRefused.record(1, reason)
    // The number of series is bounded, and strangers must not use it up.
    if (refusal._tag === "Denied" || anybodys.has(reason)) this.route = "none"
  }

  answered(status: number): void {
    requestDuration.record((performance.now() - this.begun) / 1000, this.route, this.method, `${status}`)
  }
}
