/** docs/telemetry.md names the alerts of ops/ (test/documents/Tables.test.ts: and the metrics); the rules of metrics. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
// Metrics are declared where they are counted.
import "../../src/Service.ts"
import { exposition } from "../../src/telemetry/Exposition.ts"
import { counter, described, seriesMax } from "../../src/telemetry/Series.ts"
import { readExposition } from "./Exposed.ts"
import { rules } from "./Operations.ts"

const page = readFileSync(new URL("../../docs/telemetry.md", import.meta.url), "utf8")

const declared = [...described]

const cells = (line: string): ReadonlyArray<string> =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())

describe("the page on telemetry", () => {
  it("tells for every alert what to do, and for no other", () => {
    const listed = page
      .split("\n")
      .filter((line) => line.startsWith("| `Rackwire"))
      .map(cells)
    expect(listed.map(([alert, severity]) => [alert, severity])).toEqual(
      rules.map(({ alert, labels }) => [`\`${alert}\``, labels.severity])
    )
    expect(listed.filter(([, , means = "", what = ""]) => means.length < 20 || what.length < 20)).toEqual([])
  })
})

describe("a metric", () => {
  it("is named by its unit: counters end with _total, and times and sizes with seconds and bytes", () => {
    const wrong = declared.filter(({ name, type }) => {
      const isUnit = !/milli|_ms\b|_kb\b|_mb\b|percent/.test(name)
      return !isUnit || (type === "counter") !== name.endsWith("_total") || !/^rackwire_[a-z_]+$/.test(name)
    })
    expect(wrong).toEqual([])
    expect(new Set(declared.map(({ name }) => name)).size).toBe(declared.length)
  })

  it("has a bounded number of series, and loses nothing beyond", () => {
    const route = counter({
      name: "test_total",
      help: "A test.",
      symptom: "process",
      labels: { route: "open", method: "open" }
    })
    for (let n = 0; n < 2 * seriesMax; n++) route.record(1, `/${n}"\\\n`, "GET")
    const { samples } = readExposition(exposition({}))
    const own = samples.filter(({ name }) => name === "test_total")
    expect(own).toHaveLength(seriesMax + 1)
    expect(own.reduce((sum, { value }) => sum + value, 0)).toBe(2 * seriesMax)
    expect(own.find(({ labels }) => labels["route"] === "other")).toMatchObject({
      labels: { method: "GET" },
      value: seriesMax
    })
  })

  it("of the status is shown as it is told, and not at all by a process without that part", () => {
    const valueOf = (name: string, parts: Parameters<typeof exposition>[0]) =>
      readExposition(exposition(parts)).samples.find((sample) => sample.name === name)?.value
    for (const events of [7, 9]) expect(valueOf("rackwire_events_total", { capture: { events } })).toBe(events)
    expect(valueOf("rackwire_events_total", {})).toBeUndefined()
    expect(valueOf("rackwire_capture_lag_seconds", { capture: { leads: true, lagMillis: 1500 } })).toBe(1.5)
    expect(valueOf("rackwire_capture_lag_seconds", { capture: { leads: false, lagMillis: 1500 } })).toBeUndefined()
    expect(valueOf("rackwire_wal_limit_bytes", { slot: { safeBytes: 70, retainedBytes: 30 } })).toBe(100)
    expect(valueOf("rackwire_wal_limit_bytes", { slot: { safeBytes: -1, retainedBytes: 30 } })).toBeUndefined()
  })
})
