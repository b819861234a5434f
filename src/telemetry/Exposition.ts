/** All metrics of this process in Prometheus' text format. */
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { registry } from "./Series.ts"
import { updateFromStatus } from "./StatusMetrics.ts"

/** `parts`: the status of each part of this process. */
export const exposition = (parts: Parameters<typeof updateFromStatus>[0]): string => {
  updateFromStatus(parts)
  return formatUnsafe(registry)
}
