/** Sends spans to an OpenTelemetry collector, by Effect's exporter: OTLP over HTTP, as JSON. */
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpResource from "effect/observability/OtlpResource"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { version } from "../Config.ts"
import { type Span, recordTraces } from "./Traces.ts"

interface Collector {
  /** Without the path of the signal, as OTEL_EXPORTER_OTLP_ENDPOINT has it. */
  readonly endpoint: string
  readonly headers: Redacted.Redacted | undefined
  readonly ratio: number
}

/** Time that a collector may take for a batch. While it does not take one, the exporter drops spans for a minute. */
const exportTimeout = "10 seconds"

const make = Effect.fnUntraced(function* ({ endpoint, headers, ratio }: Collector) {
  const serialization = yield* OtlpSerialization.OtlpSerialization
  const resource = OtlpResource.make({ serviceName: "rackwire", serviceVersion: version })
  const scope = { name: "rackwire", version }
  const { push } = yield* OtlpExporter.make({
    label: "traces",
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: headersIn(headers === undefined ? "" : Redacted.value(headers)),
    exportInterval: "2 seconds",
    maxBatchSize: 1000,
    body: (spans: Array<Span>) => [
      serialization.traces({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(encode) }] }] }),
      Effect.void
    ],
    shutdownTimeout: "3 seconds"
  })
  yield* Effect.acquireRelease(
    Effect.sync(() => recordTraces({ ratio, push })),
    () => Effect.sync(() => recordTraces(undefined))
  )
})

const client = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((response, request) =>
      Effect.timeoutOrElse(response, {
        duration: exportTimeout,
        orElse: () => {
          const reason = new HttpClientError.TransportError({
            request,
            description: `no answer within ${exportTimeout}`
          })
          return Effect.fail(new HttpClientError.HttpClientError({ reason }))
        }
      })
    )
  )
).pipe(Layer.provide(FetchHttpClient.layer))

/** Records traces while the layer lives. */
export const traceExport = (collector: Collector) =>
  Layer.effectDiscard(make(collector)).pipe(
    Layer.provide([OtlpSerialization.layerJson, OtlpExporter.layerFlusher, client])
  )

/** `name=value` with commas between, percent-encoded, as the standard of OTEL_EXPORTER_OTLP_HEADERS says. */
const headersIn = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  text.split(",").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=")
    return name.trim() === "" ? [] : [[name.trim(), decoded(value.join("=").trim())]]
  })

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const kinds: Readonly<Record<Span["kind"], number>> = { internal: 1, client: 3 }

const nanos = (millis: number): string => `${Math.round(millis)}000000`

const encode = ({ traceId, spanId, parentId, name, kind, startMillis, endMillis, attributes, failure }: Span) => ({
  traceId,
  spanId,
  parentSpanId: parentId,
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanos(startMillis),
  // Clocks of servers differ.
  endTimeUnixNano: nanos(Math.max(startMillis, endMillis)),
  attributes: OtlpResource.entriesToAttributes(Object.entries(attributes)),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  status: failure === undefined ? { code: 0 as const } : { code: 2 as const, message: failure },
  links: [],
  droppedLinksCount: 0
})
