/** Measures one request: how long its answer takes, and why it is refused. */
import { requestDuration, requestsRefused } from "../telemetry/Metrics.ts"
import type { Refusal } from "./Route.ts"

/** Anybody may send any word as a method. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"])

export class MeasuredRequest {
  /** The path of the route as it is declared; "none" for a path that no route has. */
  route = "none"
  private readonly method: string
  private readonly begun = performance.now()

  constructor(method: string) {
    this.method = methods.has(method) ? method : "other"
  }

  refused(refusal: Refusal): void {
    const hasReason = refusal._tag === "Denied" || refusal._tag === "HttpRefused"
    requestsRefused.record(1, hasReason ? refusal.reason : refusal._tag)
  }

  answered(status: number): void {
    requestDuration.record((performance.now() - this.begun) / 1000, this.route, this.method, `${status}`)
  }
}
