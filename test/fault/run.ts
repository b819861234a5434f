/**
 * `npm run test:fault -- [suite] [--seed n] [--seeds n] [--seconds n] [--rows n] [--only fault] [--keep]`: runs seeds
 * one after another; exits with 1 when one of them failed.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { captureSeed } from "./Capture.ts"
import { deliverSeed } from "./Deliver.ts"
import { restoreSeed } from "./Restore.ts"
import type { Suite, Verdict } from "./Suite.ts"
import { Template } from "./Template.ts"

const suites: Readonly<Record<string, Suite>> = { capture: captureSeed, deliver: deliverSeed, restore: restoreSeed }

const { values, positionals } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
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
    `usage: npm run test:fault -- [suite] [--seed n] [--seeds n] [--seconds n]\nsuites: ${Object.keys(suites).join(", ")}`
  )
  process.exit(1)
}

const report = (seed: number, { differences, timeline, directory, settleMillis, summary }: Verdict): void => {
  const verdict = differences.count === 0 ? "passed" : "FAILED"
  console.log(`seed ${seed} ${verdict}: ${summary}; settled after ${(settleMillis / 1000).toFixed(1)} s`)
  if (differences.count === 0 && !values.keep) return
  const text = `${timeline.text()}\n${differences.text()}`
  writeFileSync(join(directory, "verdict.txt"), text)
  console.log(`${text}\nlogs: ${directory}`)
}

const template = await Template.make()
const failed: Array<number> = []
const first = Number(values.seed)
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  try {
    const verdict = await suite({
      seed,
      seconds: Number(values.seconds),
      manyRows: Number(values.rows),
      only: values.only,
      keep: values.keep,
      template
    })
    report(seed, verdict)
    if (verdict.differences.count > 0) failed.push(seed)
  } catch (error) {
    console.log(`seed ${seed} FAILED: ${(error as Error).stack}`)
    failed.push(seed)
  }
}
template.remove()
console.log(failed.length === 0 ? `all ${values.seeds} seeds passed` : `failed: ${failed.join(", ")}`)
process.exit(failed.length === 0 ? 0 : 1)
