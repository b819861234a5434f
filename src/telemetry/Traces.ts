/**
 * Traces of changes: spans from the commit over capture, match and queue to each attempt.
 *
 * Nothing is stored for a trace. Its id is that of the client's `traceparent`, which travels with the request of the
 * change, or else the request id of the change, which all stages know. The span of the change, whose children the others
 * are, has the first half of the request id. So every process decides alike whether a change is sampled: as its client
 * does, or by its trace id.
 *
 * Spans are made when their stage is over, by plain calls: no span of Effect is opened on the hot path.
 */
import { randomBytes } from "node:crypto"
import { formatTraceparent, isZero, parseTraceparent } from "./TraceContext.ts"
import { counter } from "./Series.ts"

const spansDropped = counter({
  name: "rackwire_spans_dropped_total",
  help: "Spans of traces that were dropped because there were more than 2000 in a second.",
  symptom: "process"
})

/** The ids of a change that its trace needs. */
interface Change {
  /** A UUID. */
  readonly requestId: string
  /** The `traceparent` of the request that made the change. */
  readonly traceparent?: string | undefined
}

/** A trace that is recorded. */
interface Trace {
  readonly traceId: string
  /** The span of the change. */
  readonly changeId: string
  /** The span of the client's request; absent where the trace begins with the change. */
  readonly clientId?: string | undefined
}

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: "internal" | "client"
  /** Milliseconds since 1970. */
  readonly startMillis: number
  readonly endMillis: number
  readonly attributes: Readonly<Record<string, string | number>>
  /** Why it failed; absent if it did not. */
  readonly failure?: string | undefined
}

/** Takes spans; `ratio` of the traces without a client's decision are recorded. */
interface Recorder {
  readonly ratio: number
  readonly push: (span: Span) => void
}

/** Most spans per second: a collector that hangs must not fill the memory. */
const spansMax = 2000

let recorder: Recorder | undefined
let second = { number: 0, spans: 0 }

/** From now on this recorder gets the spans; undefined for none. */
export const recordTraces = (to: Recorder | undefined): void => void (recorder = to)

/** Whether anything is recorded at all. */
export const isTracing = (): boolean => recorder !== undefined

/** The trace of a change; undefined if it is not recorded. */
export const traceOf = ({ requestId, traceparent }: Change): Trace | undefined => {
  if (recorder === undefined) return undefined
  const client = parseTraceparent(traceparent)
  const own = requestId.replaceAll("-", "").toLowerCase()
  const changeId = own.slice(0, 16)
  if (isZero(changeId)) return undefined
  const isSampled = client?.sampled ?? partOf(own) < recorder.ratio
  return isSampled ? { traceId: client?.traceId ?? own, changeId, clientId: client?.spanId } : undefined
}

/** From 0 to 1, by the last digits, which are random in a UUID. */
const partOf = (traceId: string): number => Number.parseInt(traceId.slice(-8), 16) / 2 ** 32

/**
 * The `traceparent` of an attempt: a span of its own in a recorded trace. A trace that we do not record is passed on as
 * it came. Undefined where there is none.
 */
export const traceparentFor = (change: Change): string | undefined => {
  const trace = traceOf(change)
  if (trace === undefined) return change.traceparent
  return formatTraceparent({ traceId: trace.traceId, spanId: newSpanId(), sampled: true })
}

export const newSpanId = (): string => randomBytes(8).toString("hex")

/** Records a span. More than `spansMax` per second are dropped, and counted. */
export const addSpan = (span: Span): void => {
  if (recorder === undefined) return
  const now = Math.floor(performance.now() / 1000)
  if (now !== second.number) second = { number: now, spans: 0 }
  if (++second.spans > spansMax) spansDropped.record(1)
  else recorder.push(span)
}
