/**
 * Metrics that a stage counts, one entry each. Those of what the status of a process knows anyway are in
 * StatusMetrics.ts. docs/telemetry.md lists both (a test compares them).
 */
import { counter, histogram } from "./Series.ts"

/** Bounds of buckets, seconds: from a millisecond to a minute. */
const shortSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** The same from ten milliseconds to a day: what may have waited for a server or a receiver. */
const longSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600, 86_400]

/** Few: there is a histogram for each route. */
const requestSeconds = [0.005, 0.025, 0.1, 0.5, 2.5, 10]

export const commitToQueued = histogram({
  name: "rackwire_commit_to_queued_seconds",
  help: "From the commit of a change until its delivery is queued and on disk.",
  bounds: longSeconds
})

export const queuedToSent = histogram({
  name: "rackwire_queued_to_sent_seconds",
  help: "From queueing a delivery until its first attempt begins.",
  bounds: longSeconds
})

export const retryLateness = histogram({
  name: "rackwire_retry_lateness_seconds",
  help: "How much later than planned a further attempt of a delivery begins.",
  bounds: longSeconds
})

export const attemptDuration = histogram({
  name: "rackwire_attempt_duration_seconds",
  help: "Duration of an attempt, rendering and connecting included, by its outcome.",
  labels: { outcome: ["delivered", "retrying", "failed"] },
  bounds: shortSeconds
})

export const deliveriesEnded = counter({
  name: "rackwire_deliveries_ended_total",
  help: "Deliveries that ended: accepted by their receiver, or given up.",
  labels: { outcome: ["delivered", "failed"] }
})

export const attemptFailures = counter({
  name: "rackwire_attempt_failures_total",
  help: "Failed attempts, by the reason that the delivery log shows. Blocked: refused by the target policy.",
  labels: { reason: "open" }
})

export const logBatchDuration = histogram({
  name: "rackwire_log_batch_duration_seconds",
  help: "Duration of writing a batch of outcomes to the delivery log and settling its entries.",
  bounds: shortSeconds
})

export const logBatchSize = histogram({
  name: "rackwire_log_batch_size",
  help: "Outcomes in a batch of the delivery log.",
  bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500]
})

export const renderDuration = histogram({
  name: "rackwire_render_duration_seconds",
  help: "Duration of rendering the templates of a request, the wait for a worker included.",
  labels: { outcome: ["rendered", "failed"] },
  bounds: shortSeconds
})

export const spansDropped = counter({
  name: "rackwire_spans_dropped_total",
  help: "Spans of traces that were dropped because there were more than 2000 in a second."
})

export const requestDuration = histogram({
  name: "rackwire_http_request_duration_seconds",
  help: "Duration of a request to the API or a page until its answer begins, by route, method and status.",
  labels: { route: "open", method: "open", status: "open" },
  bounds: requestSeconds
})

export const requestsRefused = counter({
  name: "rackwire_http_requests_refused_total",
  help: "Requests to the API or a page that were refused, by reason.",
  labels: { reason: "open" }
})
