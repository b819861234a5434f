/** Measures attempts and batches of the log. Called once per attempt on the hot path: plain calls, no fiber. */
import { counter, histogram, longSeconds, shortSeconds } from "../telemetry/Series.ts"
import { parseTraceparent } from "../telemetry/TraceContext.ts"
import { addSpan, isTracing, newSpanId, traceOf } from "../telemetry/Traces.ts"
import type { Delivery } from "../event/Delivery.ts"
import type { Attempt } from "./Attempt.ts"
import type { Outcome } from "../event/Outcome.ts"

const queuedToSent = histogram({
  name: "rackwire_queued_to_sent_seconds",
  help: "From queueing a delivery until its first attempt begins.",
  symptom: "late",
  bounds: longSeconds
})

const retryLateness = histogram({
  name: "rackwire_retry_lateness_seconds",
  help: "How much later than planned a further attempt of a delivery begins.",
  symptom: "late",
  bounds: longSeconds
})

const attemptDuration = histogram({
  name: "rackwire_attempt_duration_seconds",
  help: "Duration of an attempt, rendering and connecting included, by its outcome.",
  symptom: "failing",
  labels: { outcome: ["delivered", "retrying", "failed"] },
  bounds: shortSeconds
})

const deliveriesEnded = counter({
  name: "rackwire_deliveries_ended_total",
  help: "Deliveries that ended: accepted by their receiver, or given up.",
  symptom: "queueGrows",
  labels: { outcome: ["delivered", "failed"] }
})

const attemptFailures = counter({
  name: "rackwire_attempt_failures_total",
  help: "Failed attempts, by the reason that the delivery log shows. Blocked: refused by the target policy.",
  symptom: "failing",
  labels: { reason: "open" }
})

const logBatchDuration = histogram({
  name: "rackwire_log_batch_duration_seconds",
  help: "Duration of writing a batch of outcomes to the delivery log and settling its entries.",
  symptom: "loggedLate",
  bounds: shortSeconds
})

const logBatchSize = histogram({
  name: "rackwire_log_batch_size",
  help: "Outcomes in a batch of the delivery log.",
  symptom: "loggedLate",
  bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500]
})

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
  // A retry by hand may be sent before its time; clocks of processes differ.
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
  // The span that the receiver can measure.
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
