/**
 * `npm run test:fault -- [suite] [--seed n] [--seeds n] [--each-world n] [--seconds n] [--rows n] [--only fault]
 * [--keep]`: runs seeds one after another, so many in each world; exits with 1 when one of them failed or could not
 * begin.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { attach } from "./attach/Attach.ts"
import { capture } from "./Capture.ts"
import { deliver } from "./Deliver.ts"
import { restore } from "./Restore.ts"
import type { RunOptions, Suite, Verdict } from "./Suite.ts"
import { Template } from "./Template.ts"

const suites: Readonly<Record<string, Suite>> = { capture, deliver, restore, attach }

const { values, positionals } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    "each-world": { type: "string", default: "1" },
    seconds: { type: "string", default: "12" },
    rows: { type: "string", default: "200000" },
    only: { type: "string" },
    keep: { type: "boolean", default: false }
  },
  allowPositionals: true
})

const name = positionals[0] ?? "capture"
const suite = suites[name]
if (suite === undefined) {
  console.error(
    `usage: npm run test:fault -- [suite] [--seed n] [--seeds n] [--each-world n] [--seconds n]\nsuites: ${Object.keys(suites).join(", ")}`
  )
  process.exit(1)
}

const options: RunOptions = {
  seconds: Number(values.seconds),
  manyRows: Number(values.rows),
  only: values.only,
  template: await Template.make()
}
const each = Number(values["each-world"])
const first = Number(values.seed)
const last = first + Number(values.seeds) - 1
const failed: Array<number> = []
const notReady: Array<number> = []

type Outcome = Verdict | Error

const isPassed = (outcome: Outcome): boolean => !(outcome instanceof Error) && outcome.differences.count === 0

const report = (seed: number, outcome: Outcome): void => {
  if (outcome instanceof Error) return console.log(`seed ${seed} FAILED: ${outcome.stack}`)
  const { settleMillis, summary } = outcome
  const word = isPassed(outcome) ? "passed" : "FAILED"
  console.log(`seed ${seed} ${word}: ${summary}; settled after ${(settleMillis / 1000).toFixed(1)} s`)
}

/** Prints and stores what happened in a world. */
const tell = ({ differences, timeline, directory }: Verdict): void => {
  const text = `${timeline.text()}\n${differences.text()}`
  writeFileSync(join(directory, "verdict.txt"), text)
  console.log(`${text}\nlogs: ${directory}`)
}

/** Runs seeds in one world until one fails; returns the last that ran. */
const runWorld = async (from: number, to: number): Promise<number> => {
  const world = await suite(from, options).catch((error: Error) => {
    console.log(`seed ${from} NOT READY, nothing was compared: ${error.stack}`)
    notReady.push(from)
  })
  if (world === undefined) return from
  let outcome: Outcome
  let seed = from - 1
  do {
    seed += 1
    outcome = await world.run(seed, seed === to).catch((error: Error) => error)
    report(seed, outcome)
    if (!isPassed(outcome)) failed.push(seed)
  } while (isPassed(outcome) && seed < to)
  const passed = isPassed(outcome)
  if ((!passed || values.keep) && !(outcome instanceof Error)) tell(outcome)
  if (!passed) {
    console.log(`repeat its world: --seed ${from} --seeds ${seed - from + 1} --each-world ${each}`)
  }
  await world.end(passed && !values.keep).catch((error: Error) => {
    console.log(`seed ${seed} FAILED: its world did not end: ${error.stack}`)
    failed.push(seed)
  })
  return seed
}

for (let seed = first; seed <= last; seed++) seed = await runWorld(seed, Math.min(seed + each - 1, last))
options.template.remove()
if (notReady.length > 0) console.log(`not ready: ${notReady.join(", ")}`)
if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`)
const allPassed = failed.length + notReady.length === 0
if (allPassed) console.log(`all ${values.seeds} seeds passed`)
process.exit(allPassed ? 0 : 1)
