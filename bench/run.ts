/**
 * `npm run bench -- <suite> [--rounds n]`: runs a suite and prints medians, ranges and ratios.
 *
 * Contenders take turns, so that a machine whose speed drifts is slow for all of them; the first round only warms up.
 * Quote the ratios: absolute figures hold for one machine only. All samples are kept as JSON under bench/results.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { parseArgs } from "node:util"
import { type Contender, type Sample, type Suite, median } from "./Suite.ts"
import { usageOf } from "./Usage.ts"

const folder = new URL("./suites/", import.meta.url)
const suites = readdirSync(folder).map((file) => file.replace(/\.ts$/, ""))

const { values, positionals } = parseArgs({ options: { rounds: { type: "string" } }, allowPositionals: true })
const name = positionals[0] ?? ""
if (!suites.includes(name)) {
  console.error(`usage: npm run bench -- <suite> [--rounds n]\nsuites: ${suites.join(", ")}`)
  process.exit(1)
}

interface Turn {
  readonly contender: string
  readonly sample: Sample
  /** CPU seconds of the turn, and the peak memory so far in megabytes. */
  readonly cpuSeconds: number
  readonly peakMegabytes: number
  readonly parts: Readonly<Record<string, number>>
}

const takeTurn = async (contender: Contender, round: number): Promise<Turn> => {
  const usage = contender.usage ?? (() => usageOf(process.pid))
  const parts = contender.parts ?? (() => ({}))
  const before = usage()
  const partsBefore: Readonly<Record<string, number>> = parts()
  const sample = await contender.turn(round)
  const after = usage()
  const partsAfter: Readonly<Record<string, number>> = parts()
  const used = Object.entries(partsAfter).map(([part, seconds]) => [part, seconds - (partsBefore[part] ?? 0)] as const)
  return {
    contender: contender.name,
    sample,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    peakMegabytes: after.peakMegabytes,
    parts: Object.fromEntries(used)
  }
}

const run = async (suite: Suite): Promise<ReadonlyArray<Turn>> => {
  const rounds = Number(values.rounds ?? suite.rounds)
  const turns: Array<Turn> = []
  const warmUps = suite.warmUps ?? 1
  for (let round = 0; round < warmUps + rounds; round++) {
    const measured = round - warmUps + 1
    for (const contender of suite.contenders) {
      const told = measured <= 0 ? "warming up" : `round ${measured} of ${rounds}`
      process.stderr.write(`\r\x1b[K${told}: ${contender.name}`)
      const turn = await takeTurn(contender, round)
      if (measured > 0) turns.push(turn)
    }
  }
  process.stderr.write("\r\x1b[K")
  return turns
}

const round = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString("en") : value.toFixed(value < 10 ? 2 : 1)

const report = (suite: Suite, turns: ReadonlyArray<Turn>): void => {
  console.log(
    `${suite.title}\n${cpus()[0]?.model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}\n`
  )
  const of = (contender: Contender) => turns.filter((turn) => turn.contender === contender.name)
  const values = (contender: Contender, figure: string) =>
    of(contender).map(({ sample }) => sample[figure] ?? Number.NaN)
  const base =
    suite.contenders.find(({ role }) => role === "floor") ?? suite.contenders.find(({ role }) => role === "peer")
  for (const { name, unit, more } of suite.figures) {
    console.log(`${name} (${unit})`)
    for (const contender of suite.contenders) {
      const own = values(contender, name)
      if (own.every(Number.isNaN)) continue
      const other = base === undefined ? Number.NaN : median(values(base, name))
      const ratio = more ? median(own) / other : other / median(own)
      const share = Number.isNaN(ratio) ? "" : `${ratio.toFixed(2)} of the ${base!.role}`
      const range = `${round(Math.min(...own))} .. ${round(Math.max(...own))}`
      console.log(
        `  ${contender.name.padEnd(34)} ${round(median(own)).padStart(10)}   ${range.padEnd(22)} ${share}`.trimEnd()
      )
    }
  }
  console.log("CPU seconds a round, peak memory (MB)")
  for (const contender of suite.contenders) {
    const own = of(contender)
    const peak = Math.max(...own.map(({ peakMegabytes }) => peakMegabytes))
    console.log(
      `  ${contender.name.padEnd(34)} ${median(own.map(({ cpuSeconds }) => cpuSeconds))
        .toFixed(2)
        .padStart(10)}   ${peak.toFixed(0)}`
    )
  }
  reportParts(suite, of)
}

/** The CPU time of all processes, where contenders tell it. */
const reportParts = (suite: Suite, of: (contender: Contender) => ReadonlyArray<Turn>): void => {
  const told = suite.contenders.filter(({ parts }) => parts !== undefined)
  if (told.length === 0) return
  console.log("CPU seconds a round, of every process")
  for (const contender of told) {
    const names = Object.keys(of(contender)[0]?.parts ?? {})
    const seconds = names.map((part) => median(of(contender).map(({ parts }) => parts[part] ?? 0)))
    const each = names.map((part, at) => `${part} ${seconds[at]!.toFixed(2)}`).join(", ")
    const all = seconds.reduce((sum, part) => sum + part, 0)
    console.log(`  ${contender.name.padEnd(34)} ${all.toFixed(2).padStart(10)}   ${each}`)
  }
}

const { default: open } = (await import(new URL(`${name}.ts`, folder).href)) as {
  readonly default: () => Promise<Suite>
}
const suite = await open()
try {
  const turns = await run(suite)
  report(suite, turns)
  const results = new URL("./results/", import.meta.url)
  mkdirSync(results, { recursive: true })
  const stamp = new Date(performance.timeOrigin).toISOString().replaceAll(/[:.]/g, "-")
  writeFileSync(
    new URL(`${name}-${stamp}.json`, results),
    JSON.stringify({ name, node: process.version, turns }, null, 1)
  )
} finally {
  await suite.close()
}
