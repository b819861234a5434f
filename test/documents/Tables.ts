/** The tables of documents that list what the code has. */
import { options } from "../../src/Config.ts"
import { commands } from "../../src/command/service/Rackwire.ts"
import { operators } from "../../src/match/Operator.ts"
// Metrics are declared where they are counted.
import "../../src/Service.ts"
import { described } from "../../src/telemetry/Series.ts"
import { symptoms } from "../../src/telemetry/Symptom.ts"
import { tableOf } from "./Generated.ts"

const code = (text: string): string => (text === "" ? "" : `\`${text}\``)

const operatorTable = tableOf(
  ["operator", "holds if the attribute"],
  Object.entries(operators).map(([name, { holdsIf }]) => [code(name), holdsIf])
)

const optionTable = tableOf(
  ["variable", "default", "meaning"],
  Object.values(options).map(({ env, fallback, description }) => [code(env), code(fallback), description])
)

const commandTable = tableOf(
  ["command", "does"],
  (await commands()).flatMap(({ examples }) =>
    examples.map(({ command, description = "" }) => [code(command), description])
  )
)

const metrics = described
  .filter(({ name }) => name.startsWith("rackwire_"))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

const metricTable = tableOf(
  ["metric", "type", "labels", "meaning"],
  metrics.map(({ name, type, labels, help }) => [code(name), type, labels.map(code).join(", "), help])
)

const symptomTable = tableOf(
  ["when", "metrics", "do"],
  Object.entries(symptoms).map(([symptom, { when, act }]) => [
    when,
    metrics.flatMap((metric) => (metric.symptom === symptom ? [code(metric.name)] : [])).join(", "),
    act
  ])
)

/** Each with its document and its name there. */
export const tables: ReadonlyArray<readonly [document: string, name: string, made: string]> = [
  ["webhooks.md", "operators", operatorTable],
  ["reference.md", "options", optionTable],
  ["reference.md", "commands", commandTable],
  ["telemetry.md", "metrics", metricTable],
  ["telemetry.md", "symptoms", symptomTable]
]
