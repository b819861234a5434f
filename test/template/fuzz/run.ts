/**
 * Renders random templates with Jinja2 and with ours, and reports where they differ.
 *
 *   npm run fuzz:jinja -- --seed 1 --count 5000
 *
 * Fails when fewer than 97 % are equal, or when any difference is not in the table of known ones.
 */
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Environment } from "../../../src/jinja/Environment.ts"
import { render } from "../render.ts"
import { baseContext, optionsOf, pythonNames } from "../vectors.ts"
import { type Difference, known } from "./known.ts"
import { Oracle, type Answer } from "./Oracle.ts"
import { Random } from "./Random.ts"
import { type Sample, Templates } from "./Statements.ts"

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

const withoutAddress = (text: string) => text.replace(/0x[0-9a-f]{6,}/g, "0x").replace(/id=\d+/g, "id=")

type Outcome = "equal" | "late" | { readonly kind: string; readonly difference: Difference }

const compare = (sample: Sample, theirs: Answer): Outcome => {
  const rendered = render(sample.template, baseContext, new Environment(optionsOf(sample.options)))
  const { fault } = rendered
  if (theirs.error === "Late") return "late"
  const ours = fault === undefined ? { output: rendered.output } : { reason: fault.reason, message: fault.message }
  const difference = { template: sample.template, theirs, ours }
  if (theirs.output !== undefined && rendered.output !== undefined) {
    return withoutAddress(theirs.output) === withoutAddress(rendered.output) ? "equal" : { kind: "silent", difference }
  }
  if (fault === undefined) return { kind: "we render", difference }
  if (theirs.error === undefined) return { kind: "we fail", difference }
  return (pythonNames[fault.reason] ?? []).includes(theirs.error) ? "equal" : { kind: "other error", difference }
}

const main = async (): Promise<void> => {
  const templates = new Templates(new Random(seed))
  // Debian's own interpreter: another one on the PATH may lack its packages.
  const oracle = new Oracle("/usr/bin/python3", fileURLToPath(new URL("oracle.py", import.meta.url)))
  const counts = new Map<string, number>()
  const unknown: Array<{ readonly kind: string; readonly difference: Difference }> = []
  let rendered = 0
  const tally = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (let i = 0; i < count; i++) {
    const sample = templates.sample()
    const theirs = await oracle.answer({ template: sample.template, context: baseContext, env: sample.options })
    const started = performance.now()
    const outcome = compare(sample, theirs)
    const millis = performance.now() - started
    if (millis > 400) console.log(`slow: ${Math.round(millis)} ms: ${sample.template}`)
    if (theirs.output !== undefined) rendered++
    if (outcome === "equal" || outcome === "late") {
      tally(outcome)
      continue
    }
    const reason = known.find(({ explains }) => explains(outcome.difference))
    tally(reason === undefined ? outcome.kind : `known: ${reason.name}`)
    if (reason === undefined) unknown.push(outcome)
  }
  oracle.stop()
  for (const { kind, difference } of unknown.slice(0, Number(values.show))) {
    console.log(`\n${kind}: ${JSON.stringify(difference.template)}`)
    console.log(`  theirs: ${JSON.stringify(difference.theirs)}`)
    console.log(`  ours:   ${JSON.stringify(difference.ours)}`)
  }
  const equal = counts.get("equal") ?? 0
  const late = counts.get("late") ?? 0
  const share = equal / (count - late)
  console.log(
    `\nseed ${seed}: ${count} templates, of which Jinja rendered ${rendered}; equal ${(share * 100).toFixed(2)} %`
  )
  for (const [name, times] of counts) console.log(`  ${String(times).padStart(6)} ${name}`)
  if (share < equalLeast || unknown.length > 0) process.exitCode = 1
}

await main()
