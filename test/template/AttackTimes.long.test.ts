/** The processor time of attacks. Attacks.gate.test.ts and NunjucksAttacks.gate.test.ts show that counted limits end them. */
import { describe, expect, it } from "vitest"
import { limits } from "../../src/jinja/runtime/Limits.ts"
import { outcome, renderer } from "./Installed.ts"
import { attacks, context } from "./attacks/attacks.ts"
import { largest, onNunjucks } from "./attacks/OnNunjucks.ts"
import { render } from "./render.ts"

/** Processor time beyond the limit that is tolerated, milliseconds; also the time to read the largest template. */
const graceMillis = 100

const cpuMillisOf = (work: () => void): number => {
  const started = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(started)
  return (user + system) / 1000
}

describe("an attack ends in time", () => {
  it.each(Object.values(attacks).flat())("in Jinja: %s", (_name, template) => {
    expect(cpuMillisOf(() => render(template, context))).toBeLessThan(limits.cpuMillis + graceMillis)
  })

  it.each(Object.values(onNunjucks).flat())("in Nunjucks: %s", (_name, template) => {
    const work = () => outcome(template, JSON.parse(context), { engine: "nunjucks" })
    expect(cpuMillisOf(work)).toBeLessThan(limits.cpuMillis + graceMillis)
  })
})

it.each(largest)("the largest template of %s is read in the time of a request", (_name, source) => {
  expect(cpuMillisOf(() => renderer.check(source, "nunjucks"))).toBeLessThan(graceMillis)
})
