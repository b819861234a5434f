/** Measures what was queued. */
import type { Delivery } from "../event/Delivery.ts"
import { commitToQueued } from "../telemetry/Metrics.ts"

/** The deliveries are on disk at this time, milliseconds since 1970. */
export const measureQueued = (deliveries: ReadonlyArray<Delivery>, nowMillis: number): void => {
  // The events of a transaction have one time. Clocks of servers differ.
  let commit = { time: "", lagSeconds: 0 }
  for (const { time } of deliveries) {
    if (time !== commit.time) commit = { time, lagSeconds: Math.max(0, nowMillis - Date.parse(time)) / 1000 }
    commitToQueued.record(commit.lagSeconds)
  }
}
