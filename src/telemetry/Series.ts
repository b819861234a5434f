/**
 * Counters and histograms with labels: metrics of Effect, updated by plain calls. Each is declared where it is counted,
 * with its words; docs/telemetry.md is written from them. It is exposed from the start of a process, because its module
 * is loaded then.
 *
 * `Metric.update` in a fiber costs 250 to 420 ns, and with new attributes each time 600; `updateUnsafe` of a metric that
 * is kept costs 50 to 80. So the metric of each combination of labels is kept here, and no fiber is needed.
 */
import { Context, Metric } from "effect"
import type { SymptomName } from "./Symptom.ts"

/** Bounds of buckets, seconds: from a millisecond to a minute. */
export const shortSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** The same from ten milliseconds to a day: what may have waited for a server or a receiver. */
export const longSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600, 86_400]

/** Most combinations of labels of one metric. Further ones count under "other" as their first label. */
export const seriesMax = 300

/** The registry of the process: no context has another one. */
export const registry = Context.empty()

/** The description of a metric for operators. */
interface MetricDescription {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** Names of the labels. */
  readonly labels: ReadonlyArray<string>
  readonly help: string
  /** The symptom for which an operator reads it. */
  readonly symptom: SymptomName
}

/** Every metric that was declared. */
export const described: Array<MetricDescription> = []

/** Values of labels: a list names all of them, each of which is exposed from the start; `open` ones are bounded. */
type Labels = Readonly<Record<string, ReadonlyArray<string> | "open">>

interface MetricDeclaration {
  readonly name: string
  readonly help: string
  readonly symptom: SymptomName
  /** The first may be open. */
  readonly labels?: Labels
}

export class Series {
  private readonly metric: Metric.Metric<number, unknown>
  private readonly names: ReadonlyArray<string>
  private readonly known = new Map<string, Metric.Metric<number, unknown>>()

  constructor(
    type: "counter" | "histogram",
    metric: Metric.Metric<number, unknown>,
    { name, help, symptom, labels = {} }: MetricDeclaration
  ) {
    this.metric = metric
    this.names = Object.keys(labels)
    described.push({ name, type, labels: this.names, help, symptom })
    for (const values of combinations(Object.values(labels))) this.of(values).valueUnsafe(registry)
  }

  /** Adds to the counter, or observes a value; with a value of each label, in the order of their declaration. */
  record(value: number, ...values: ReadonlyArray<string>): void {
    this.of(values).updateUnsafe(value, registry)
  }

  private of(values: ReadonlyArray<string>): Metric.Metric<number, unknown> {
    const key = values.join("\n")
    const known = this.known.get(key)
    if (known !== undefined) return known
    if (this.known.size >= seriesMax && values[0] !== other) return this.of([other, ...values.slice(1)])
    const labels = Object.fromEntries(this.names.map((name, at) => [name, values[at] ?? ""]))
    const made = this.names.length === 0 ? this.metric : Metric.withAttributes(this.metric, labels)
    this.known.set(key, made)
    return made
  }
}

const other = "other"

/** Every combination of closed labels; none if a label is open. */
const combinations = (labels: ReadonlyArray<Labels[string]>): ReadonlyArray<ReadonlyArray<string>> =>
  labels.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (all, values) => (values === "open" ? [] : all.flatMap((each) => values.map((value) => [...each, value]))),
    [[]]
  )

export const counter = (declared: MetricDeclaration): Series =>
  new Series("counter", Metric.counter(declared.name, { description: declared.help, incremental: true }), declared)

export const histogram = (declared: MetricDeclaration & { readonly bounds: ReadonlyArray<number> }): Series =>
  new Series(
    "histogram",
    Metric.histogram(declared.name, { description: declared.help, boundaries: declared.bounds }),
    declared
  )
