/**
 * Renders random templates with the package nunjucks and with ours, and reports where they differ.
 *
 *   npm run fuzz:nunjucks -- --seed 1 --count 5000
 *
 * Fails when fewer than 97 % are equal, or when any difference is not in the table of known ones. Where both refuse a
 * template they are equal: their messages are not compared.
 */
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type Answer, Oracle } from "../fuzz/Oracle.ts"
import { Random } from "../fuzz/Random.ts"
import type { Difference } from "../fuzz/known.ts"
import { outcome, shipped } from "../Installed.ts"
import { limits } from "../../../src/jinja/runtime/Limits.ts"
import { Renderer } from "../../../src/template/Renderer.ts"
import { context } from "./Expressions.ts"
import { Templates } from "./Statements.ts"
import { known } from "./known.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    count: { type: "string", default: "5000" },
    show: { type: "string", default: "40" }
  }
})

const seed = Number(values.seed)
const count = Number(values.count)
const equalLeast = 0.97

/** With more time for a run: a busy machine must not end one. */
const by = new Renderer(shipped, { ...limits, cpuMillis: 10_000 })

const text = JSON.stringify(context)

type Outcome = "equal" | "late" | { readonly kind: string; readonly difference: Difference }

const compare = (template: string, theirs: Answer): Outcome => {
  if (theirs.error === "Late") return "late"
  const rendered = outcome(template, context, { engine: "nunjucks", by })
  const ours = typeof rendered === "string" ? { output: rendered } : rendered
  const difference = { template, theirs, ours }
  if (typeof rendered !== "string") return theirs.output === undefined ? "equal" : { kind: "we fail", difference }
  if (theirs.output === undefined) return { kind: "we render", difference }
  return theirs.output === rendered ? "equal" : { kind: "silent", difference }
}

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** May read its own file and the packages, and nothing else. */
const makeOracle = (): Oracle => {
  const script = fileURLToPath(new URL("oracle.mjs", import.meta.url))
  const allowed = [
    `--allow-fs-read=${script}`,
    `--allow-fs-read=${root}node_modules`,
    `--allow-fs-read=${root}package.json`
  ]
  return new Oracle(process.execPath, "--permission", ...allowed, "--max-old-space-size=512", script)
}

const main = async (): Promise<void> => {
  const templates = new Templates(new Random(seed))
  const oracle = makeOracle()
  const counts = new Map<string, number>()
  const unknown: Array<{ readonly kind: string; readonly difference: Difference }> = []
  let rendered = 0
  const tally = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (let i = 0; i < count; i++) {
    const template = templates.sample()
    const theirs = await oracle.answer({ template, context: text })
    const started = performance.now()
    const result = compare(template, theirs)
    const millis = performance.now() - started
    if (millis > 400) console.log(`slow: ${Math.round(millis)} ms: ${template}`)
    if (theirs.output !== undefined) rendered++
    if (result === "equal" || result === "late") {
      tally(result)
      continue
    }
    const reason = known.find(({ explains }) => explains(result.difference))
    tally(reason === undefined ? result.kind : `known: ${reason.name}`)
    if (reason === undefined) unknown.push(result)
  }
  oracle.stop()
  for (const { kind, difference } of unknown.slice(0, Number(values.show))) {
    console.log(`\n${kind}: ${JSON.stringify(difference.template)}`)
    console.log(`  theirs: ${JSON.stringify(difference.theirs)}`)
    console.log(`  ours:   ${JSON.stringify(difference.ours)}`)
  }
  const share = (counts.get("equal") ?? 0) / (count - (counts.get("late") ?? 0))
  console.log(
    `\nseed ${seed}: ${count} templates, of which nunjucks rendered ${rendered}; equal ${(share * 100).toFixed(2)} %`
  )
  for (const [name, times] of counts) console.log(`  ${String(times).padStart(6)} ${name}`)
  if (share < equalLeast || unknown.length > 0) process.exitCode = 1
}

await main()
