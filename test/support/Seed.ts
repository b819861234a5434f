/**
 * One seed for all generated data of a run. vitest.config.ts sets it and every worker inherits it, so
 * `RACKWIRE_SEED=<seed>` repeats the data of a run. `RACKWIRE_EFFORT` multiplies the number of generated cases.
 */
import fc from "fast-check"
import { type TestOptions, describe, it } from "vitest"

/** A positive number from the environment. */
const numberOf = (name: string, initial: number): number => {
  const value = Number(process.env[name] ?? initial)
  if (!Number.isFinite(value) || value <= 0)
    throw new Error(`${name}=${process.env[name]} (expected a positive number)`)
  return value
}

/** The seed of this run. */
export const seed = numberOf("RACKWIRE_SEED", 1)

/** A factor of the number of generated cases. */
const effort = numberOf("RACKWIRE_EFFORT", 1)

/** Whether more is tried than the first two tiers do, as in the long tier. */
export const isThorough = effort > 1

type Test = (name: string, ...rest: [test: () => unknown] | [options: TestOptions, test: () => unknown]) => void

/** Declares a test that only `test:long` runs: faster tests of the same file prove the core of its promise. */
export const thorough: Test = isThorough ? (it as Test) : () => {}

type Group = (name: string, tests: () => void) => void
const undeclared: Group = () => {}

/** Declares a group of such tests. */
export const thoroughly: Group & { readonly skipIf: (condition: unknown) => Group } = isThorough
  ? describe
  : Object.assign(() => {}, { skipIf: () => undeclared })

/** This many generated cases, multiplied by the effort; at least one. */
export const runs = (count: number): number => Math.max(1, Math.round(count * effort))

/** A seed for one of several samples: it depends on the run's seed and on `salt` alone. */
export const seedOf = (salt: number): number => (seed + salt) | 0

/** The number of cases of a property that names none. */
const usualRuns = 100

/** Every property and sample of this worker uses the run's seed. fast-check prints the seed with a failure. */
export const seedProperties = (): void => fc.configureGlobal({ seed, numRuns: runs(usualRuns) })

/** At most `count` of the items, multiplied by the effort, in their order. The same seed and name choose the same items. */
export const sampleOf = <A>(items: ReadonlyArray<A>, count: number, name: string): ReadonlyArray<A> => {
  const length = runs(count)
  if (items.length <= length) return items
  const own = [...name].reduce((hash, character) => (hash * 31 + character.codePointAt(0)!) | 0, seed)
  return fc.sample(fc.subarray([...items], { minLength: length, maxLength: length }), { numRuns: 1, seed: own })[0]!
}

/** Items of which the first two tiers try at most `count`, and `test:long` all. */
export const fewOf = <A>(items: ReadonlyArray<A>, count: number, name: string): ReadonlyArray<A> =>
  isThorough ? items : sampleOf(items, count, name)
