/** All metrics of this process in Prometheus' text format. */
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { registry } from "./Series.ts"
import { updateFromStatus } from "./StatusMetrics.ts"
// Metrics are exposed from the start, also those that this process never counts.
import "./Metrics.ts"

/** `parts`: the status of each part of this process. */
export const exposition = (parts: Parameters<typeof updateFromStatus>[0]): string => {
  updateFromStatus(parts)
  return formatUnsafe(registry)
}
