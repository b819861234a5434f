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
import { parseTraceparent } from "../telemetry/TraceContext.ts"
import { addSpan, isTracing, newSpanId, traceOf } from "../telemetry/Traces.ts"
import type { Delivery } from "../event/Delivery.ts"
import type { Attempt } from "./Attempt.ts"
import type { Outcome } from "../event/Outcome.ts"

const outcomes: Readonly<Record<Outcome["kind"], string>> = {
  Delivered: "delivered",
  Retry: "retrying",
  Dead: "failed"
}

export const measureAttempt = (attempt: Attempt): void => {
  const { entry, answer, outcome } = attempt
  const { due, attempts } = entry.delivery
  const name = outcomes[outcome.kind]
  attemptDuration.record(attempt.durationMillis / 1000, name)
  if (outcome.kind !== "Retry") deliveriesEnded.record(1, name)
  if (answer.failure !== undefined) attemptFailures.record(1, answer.failure.reason)
  // A retry by hand may come before its time; clocks of processes differ.
  const lateSeconds = due === undefined ? undefined : Math.max(0, attempt.started - due) / 1000
  if (lateSeconds !== undefined) (attempts === 0 ? queuedToSent : retryLateness).record(lateSeconds)
  if (isTracing()) traceAttempt(attempt)
}

const traceAttempt = ({
  entry: { delivery },
  number,
  started,
  durationMillis,
  request,
  answer,
  outcome
}: Attempt): void => {
  const trace = traceOf(delivery)
  if (trace === undefined) return
  // The span that the receiver knows.
  const sent = parseTraceparent(request.headers["traceparent"])
  addSpan({
    traceId: trace.traceId,
    spanId: sent?.traceId === trace.traceId ? sent.spanId : newSpanId(),
    parentId: trace.changeId,
    name: "attempt",
    kind: "client",
    startMillis: started,
    endMillis: started + durationMillis,
    attributes: {
      "rackwire.delivery": delivery.id,
      "rackwire.webhook": delivery.webhook,
      "rackwire.attempt": number,
      "rackwire.outcome": outcomes[outcome.kind],
      "rackwire.request_id": delivery.requestId,
      ...(answer.response !== undefined && { "http.response.status_code": answer.response.status }),
      ...(answer.failure !== undefined && { "error.type": answer.failure.reason })
    },
    failure: answer.failure?.message
  })
}

/** The ids that lines of the log about an attempt carry. */
export const idsOf = ({ id, requestId }: Delivery) => ({ delivery: id, request: requestId })

/** A batch of the log was written, which began at this time of `performance.now()`. */
export const measureBatch = (outcomes: number, begun: number): void => {
  logBatchSize.record(outcomes)
  logBatchDuration.record((performance.now() - begun) / 1000)
}
