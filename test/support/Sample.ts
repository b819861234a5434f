/** Some of many cases, chosen by a seed: RACKWIRE_TEST_SEED=n repeats the choice of a run that failed. */
import fc from "fast-check"

/** The seed of this run. Titles of tests show it. */
export const seed = Number(process.env["RACKWIRE_TEST_SEED"] ?? Math.floor(Math.random() * 1_000_000))

/** At most `count` of the items, in their order. The same seed and name choose the same items. */
export const sampleOf = <A>(items: ReadonlyArray<A>, count: number, name: string): ReadonlyArray<A> => {
  if (items.length <= count) return items
  const own = [...name].reduce((hash, character) => (hash * 31 + character.codePointAt(0)!) | 0, seed)
  return fc.sample(fc.subarray([...items], { minLength: count, maxLength: count }), { numRuns: 1, seed: own })[0]!
}
