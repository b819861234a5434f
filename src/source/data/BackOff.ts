/**
 * The circuit breaker of an API: after several failures in a row no request is sent for a while, which doubles with each
 * further failure. Then one request is the probe; its success closes the breaker. Pure: callers pass the time.
 */
import type { PaceValues } from "../../eventloop/Pace.ts"

/** Failures in a row that open the breaker. */
const failuresMax = 3

export class BackOff {
  private readonly pace: PaceValues["objectApi"]
  private failures = 0
  private untilMillis = 0
  /** Requests that succeeded so far. */
  successes = 0

  constructor(pace: PaceValues["objectApi"]) {
    this.pace = pace
  }

  /** Whether the next request is the probe. */
  isHalfOpen(nowMillis: number): boolean {
    return this.failures >= failuresMax && nowMillis >= this.untilMillis
  }

  /** Whether a request may be sent. The probe keeps all others away until its end, or for the longest back-off. */
  admits(nowMillis: number): boolean {
    if (this.failures < failuresMax) return true
    if (!this.isHalfOpen(nowMillis)) return false
    this.untilMillis = nowMillis + this.pace.backOffMaxMillis
    return true
  }

  succeeded(): void {
    this.successes += 1
    this.failures = 0
  }

  failed(nowMillis: number): void {
    this.failures += 1
    const { backOffMinMillis, backOffMaxMillis } = this.pace
    const lengthMillis = Math.min(backOffMinMillis * 2 ** (this.failures - failuresMax), backOffMaxMillis)
    if (this.failures >= failuresMax) this.untilMillis = nowMillis + lengthMillis
  }

  /** The request ended without a sign of the API's health: if it was the probe, the next request is. */
  released(nowMillis: number): void {
    this.untilMillis = Math.min(this.untilMillis, nowMillis)
  }
}
