/**
 * Metrics of values that the status of this process has anyway (`Presence.tell`). Each is declared where its part of
 * the status is reported; they are computed on a scrape.
 */
import { Metric } from "effect"
import { version } from "../Config.ts"
import { described, registry } from "./Series.ts"
import type { SymptomName } from "./Symptom.ts"

/** The parts of a process by name, with the values of each. */
type Parts = Readonly<Record<string, PartStatus>>
type PartStatus = Readonly<Record<string, string | number | boolean>>

/** A name that ends with `_total` is that of a counter. */
interface StatusMetric {
  readonly name: string
  readonly help: string
  readonly symptom: SymptomName
  /** The number of a reported value; undefined for none. The value itself where the function is absent. */
  readonly value?: (value: PartStatus[string], told: PartStatus) => number | undefined
}

export const seconds = (millis: unknown) => Number(millis) / 1000

type Update = (parts: Parts) => void

const updates: Array<Update> = []

/** Declares the metrics of a part of the status, each by the name of its value there. */
export const statusMetrics = (part: string, metrics: Readonly<Record<string, StatusMetric>>): void => {
  for (const [key, metric] of Object.entries(metrics)) updates.push(updating(part, key, metric))
}

const updating = (part: string, key: string, { name, help, symptom, value: read = Number }: StatusMetric): Update => {
  const type = name.endsWith("_total") ? "counter" : "gauge"
  described.push({ name, type, labels: [], help, symptom })
  const metric: Metric.Metric<number, unknown> = (type === "counter" ? Metric.counter : Metric.gauge)(name, {
    description: help
  })
  return (parts) => {
    const told = parts[part]
    const value = told?.[key] === undefined ? undefined : read(told[key], told)
    // A counter adds: it begins anew, so that it shows the reported value.
    Metric.removeUnsafe(metric, registry)
    if (value !== undefined) metric.updateUnsafe(value, registry)
  }
}

/** Sets the metrics to the values of this process's parts. One whose part is missing is removed. */
export const updateFromStatus: Update = (parts) => updates.forEach((update) => update(parts))

const attributes = { version, node: process.versions.node }
const build = {
  name: "rackwire_build_info",
  help: "Always 1. The labels are the version of this process, and of its Node."
}
described.push({ ...build, type: "gauge", labels: Object.keys(attributes), symptom: "process" })
Metric.gauge(build.name, { description: build.help, attributes }).updateUnsafe(1, registry)
