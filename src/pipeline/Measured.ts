/** Measures and traces what was queued. */
import type { CapturedEvent } from "../capture/CapturedEvent.ts"
import type { Delivery } from "../event/Delivery.ts"
import { histogram, longSeconds } from "../telemetry/Series.ts"
import { addSpan, isTracing, newSpanId, traceOf } from "../telemetry/Traces.ts"

const commitToQueued = histogram({
  name: "rackwire_commit_to_queued_seconds",
  help: "From the commit of a change until its delivery is queued and Postgres has noted it.",
  symptom: "late",
  bounds: longSeconds
})

/** When a batch arrived from capture, was decided about, and was noted in Postgres; milliseconds since 1970. */
interface Times {
  readonly acceptedMillis: number
  readonly decidedMillis: number
  readonly storedMillis: number
}

/** Measures the deliveries of these events, and traces the transactions. */
export const measureQueued = (
  events: ReadonlyArray<CapturedEvent>,
  deliveries: ReadonlyArray<Delivery>,
  times: Times
): void => {
  // The events of a transaction have one time. Clocks of servers differ.
  let commit = { time: "", lagSeconds: 0 }
  for (const { time } of deliveries) {
    if (time !== commit.time) commit = { time, lagSeconds: Math.max(0, times.storedMillis - Date.parse(time)) / 1000 }
    commitToQueued.record(commit.lagSeconds)
  }
  if (isTracing()) traceQueued(events, deliveries, times)
}

/**
 * Records the spans of the transactions of a batch. One that is longer than a batch has spans for each part of it, and
 * its own span as often.
 */
const traceQueued = (
  events: ReadonlyArray<CapturedEvent>,
  deliveries: ReadonlyArray<Delivery>,
  { acceptedMillis, decidedMillis, storedMillis }: Times
): void => {
  const owed = Map.groupBy(deliveries, ({ requestId }) => requestId)
  for (const [requestId, changed] of Map.groupBy(events, (event) => event.requestId)) {
    const event = changed[0]!
    const trace = traceOf({ requestId, traceparent: event.request?.traceparent })
    if (trace === undefined) continue
    const { traceId, changeId, clientId } = trace
    const attributes = { "rackwire.request_id": requestId }
    const common = { traceId, kind: "internal", attributes } as const
    const span = (name: string, startMillis: number, endMillis: number) =>
      addSpan({ ...common, name, spanId: newSpanId(), parentId: changeId, startMillis, endMillis })
    const committed = Date.parse(event.timestamp)
    addSpan({
      ...{ ...common, name: "change", spanId: changeId, parentId: clientId },
      ...{ startMillis: committed, endMillis: storedMillis },
      attributes: {
        ...attributes,
        "rackwire.position": `${event.position}`,
        "rackwire.events": changed.length,
        "rackwire.deliveries": owed.get(requestId)?.length ?? 0
      }
    })
    span("capture", committed, acceptedMillis)
    span("match", acceptedMillis, decidedMillis)
    span("queue", decidedMillis, storedMillis)
  }
}
