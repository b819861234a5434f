/** Measures attempts and batches of the log. Called once per attempt on the hot path: plain calls, no fiber. */
import {
  attemptDuration,
  attemptFailures,
  deliveriesEnded,
  logBatchDuration,
  logBatchSize,
  queuedToSent,
  retryLateness
} from "../telemetry/Metrics.ts"
import type { Delivery } from "../event/Delivery.ts"
import type { Result } from "./log/AttemptRows.ts"
import type { Outcome } from "./outcome/Outcome.ts"

const outcomes: Readonly<Record<Outcome["kind"], string>> = {
  Delivered: "delivered",
  Retry: "retrying",
  Dead: "failed"
}

export const measureAttempt = ({ due, attempts }: Delivery, { attempt, outcome }: Pick<Result, "attempt" | "outcome">): void => {
  const name = outcomes[outcome.kind]
  attemptDuration.record(attempt.durationMillis / 1000, name)
  if (outcome.kind !== "Retry") deliveriesEnded.record(1, name)
  if (attempt.failure !== undefined) attemptFailures.record(1, attempt.failure.reason)
  // A retry by hand may come before its time; clocks of processes differ.
  const lateSeconds = due === undefined ? undefined : Math.max(0, attempt.started - due) / 1000
  if (lateSeconds !== undefined) (attempts === 0 ? queuedToSent : retryLateness).record(lateSeconds)
}

/** A batch of the log was written, which began at this time of `performance.now()`. */
export const measureBatch = (outcomes: number, begun: number): void => {
  logBatchSize.record(outcomes)
  logBatchDuration.record((performance.now() - begun) / 1000)
}
