import fc from "fast-check"
import { expect, test } from "vitest"
import { Environment } from "../../src/jinja/Environment.ts"
import { PlacedFault } from "../../src/jinja/runtime/Fault.ts"
import { parseContext } from "../../src/jinja/value/ContextJson.ts"
import { Random } from "./fuzz/Random.ts"
import { Templates } from "./fuzz/Statements.ts"
import { render } from "./render.ts"
import { baseContext, optionsOf } from "./vectors.ts"
import { runs } from "../support/Seed.ts"

const chance =
  "{{ [1, 2, 3, 4]|random }}{% for i in range(5) %}{{ range(100)|random }}{% endfor %}{{ lipsum(n=1) }}{{ cycler('a', 'b').next() }}"

/** The result, a fault as data. */
const attempt = <A>(compute: () => A) => {
  try {
    return compute()
  } catch (error) {
    if (error instanceof PlacedFault) return error.fault
    throw error
  }
}

test("a template gives the same bytes and steps for the same context and seed, even if it is compiled again", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (which, seed) => {
      const { template, options } = new Templates(new Random(which)).sample()
      const source = template + (which % 2 === 0 ? chance : "")
      const environment = new Environment(optionsOf(options))
      const compiled = attempt(() => environment.compile(source))
      const run = () =>
        attempt(() => ("reason" in compiled ? compiled : compiled.measure(parseContext(baseContext), seed)))
      const anew = render(source, baseContext, new Environment(optionsOf(options)), seed)
      expect([run(), run()]).toEqual([anew.fault ?? anew, anew.fault ?? anew])
    }),
    { numRuns: runs(1000) }
  )
})

test("another seed gives other random choices", () => {
  const outputs = [1, 2, 3, 4].map((seed) => render(chance, "{}", new Environment(), seed).output)
  expect(new Set(outputs).size).toBe(4)
})
