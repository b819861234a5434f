/** Measures one request: how long its answer takes, and why it is refused. */
import { requestDuration, requestsRefused } from "../telemetry/Metrics.ts"
import type { Refusal } from "./Route.ts"

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
