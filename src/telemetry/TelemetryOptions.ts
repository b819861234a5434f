/** The options of logs and traces: environment name, type, default, description. */
import * as kind from "../Setting.ts"
import { optional, setting } from "../Setting.ts"

export const telemetryOptions = {
  otlpEndpoint: optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    kind.endpoint,
    "Address of an OpenTelemetry collector that takes OTLP over HTTP: `http://localhost:4318`. If it is set, traces of changes are sent to it."
  ),
  otlpHeaders: optional(
    "OTEL_EXPORTER_OTLP_HEADERS",
    kind.secret,
    "Headers for the collector: `name=value`, comma-separated."
  ),
  traceRatio: setting(
    "TRACE_RATIO",
    kind.ratio,
    0.1,
    "Part of the changes that are traced, from 0 to 1. A change whose request has a `traceparent` is traced if that says so."
  ),
  logFormat: optional(
    "LOG_FORMAT",
    kind.oneOf("pretty", "logfmt", "json"),
    "Form of the log: `pretty`, `logfmt` or `json`.",
    "pretty at a terminal, else logfmt"
  ),
  logLevel: setting(
    "LOG_LEVEL",
    kind.oneOf("Trace", "Debug", "Info", "Warn", "Error"),
    "Info",
    "Lowest level that is logged."
  )
} as const
