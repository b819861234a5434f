import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Differences, type Piece, comparing, differencesMax, pathText } from "../../src/console/value/Diff.ts"

const compare = (before: unknown, after: unknown): Differences => {
  const work = comparing(before, after)
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

const sideOf = (pieces: ReadonlyArray<Piece>, left: Piece["kind"]): ReadonlyArray<string> =>
  pieces.flatMap(({ kind, text }) => (kind === left ? [] : [text]))

type Json = Record<string, unknown>

/** The value with another one at a path. */
const replaced = (value: unknown, path: ReadonlyArray<string | number>, by: unknown): unknown => {
  const [step, ...rest] = path
  if (step === undefined) return by
  if (Array.isArray(value)) {
    const copy = [...(value as ReadonlyArray<unknown>)]
    copy[Number(step)] = replaced(copy[Number(step)], rest, by)
    return copy
  }
  const copy = new Map(Object.entries(value as Json))
  return Object.fromEntries(copy.set(String(step), replaced(copy.get(String(step)), rest, by)))
}

/** The value without the places that are not there. */
const compacted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((each) => each !== undefined).map(compacted)
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(kept.map(([key, each]) => [key, compacted(each)]))
}

const words = fc.array(fc.constantFrom("rack", "row", " ", "\n", "U42", ".", "é", "-"), { maxLength: 60 })
const text = words.map((each) => each.join(""))
const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), text)
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, tie("list"), tie("dictionary")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  dictionary: fc.dictionary(fc.constantFrom("name", "a b", "status", "__proto__", "x"), tie("value"))
})).dictionary

describe("the difference of two values", () => {
  it("is none for equal ones", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(compare(value, compacted(value)).found).toEqual([])
      })
    )
  })

  it("turns the one into the other, and names no place that is equal", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const { found, isCut } = compare(before, after)
        expect(isCut).toBe(false)
        const made = found.reduce((value: unknown, each) => replaced(value, each.path, each.after), before)
        expect(compacted(made)).toEqual(compacted(after))
        for (const each of found) expect(each.before).not.toEqual(each.after)
      })
    )
  })

  it("of long texts tells the words that were removed and added", () => {
    const [before, after] = ["in row 4 ".repeat(20), `${"in row 4 ".repeat(9)}in row 5 ${"in row 4 ".repeat(10)}`]
    expect(compare(before, after).found[0]?.words?.filter(({ kind }) => kind !== "same")).toEqual([
      { kind: "removed", text: "4" },
      { kind: "added", text: "5" }
    ])
    const [wordy] = compare(`${"same ".repeat(12)}two rooms`, `${"same ".repeat(12)}three halls`).found
    expect(wordy?.words?.slice(1)).toEqual([
      { kind: "removed", text: "two rooms" },
      { kind: "added", text: "three halls" }
    ])
    const long = fc.tuple(text, text).map((both) => both.map((each) => each.padEnd(60, "~")))
    fc.assert(
      fc.property(long, ([before, after]) => {
        const [found] = compare(before, `${after}!`).found
        expect(sideOf(found!.words!, "added").join("")).toBe(before)
        expect(sideOf(found!.words!, "removed").join("")).toBe(`${after}!`)
      })
    )
  })

  it("of lists of plain values tells the items that were removed and added", () => {
    expect(compare({ tags: ["a", "b", "c"] }, { tags: ["b", "c", "d"] }).found[0]?.items).toEqual([
      { kind: "removed", text: "a" },
      { kind: "same", text: "b" },
      { kind: "same", text: "c" },
      { kind: "added", text: "d" }
    ])
    const list = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 })
    fc.assert(
      fc.property(list, list, (before, after) => {
        const [found] = compare(before, after).found
        expect(sideOf(found?.items ?? [], "added")).toEqual(found === undefined ? [] : before)
        expect(sideOf(found?.items ?? [], "removed")).toEqual(found === undefined ? [] : after)
      })
    )
  })

  it("names places by their path", () => {
    const [before, after] = [
      { "a b": [{ x: 1 }], custom: { cost: 1 } },
      { "a b": [{ x: 2 }], custom: {} }
    ]
    expect(compare(before, after).found.map(({ path }) => pathText(path))).toEqual([`["a b"][0].x`, "custom.cost"])
  })

  it("replaces texts as a whole that are too long, or have too many edits, and ends after so many differences", () => {
    const megabytes = 16 * 1024 * 1024
    const [huge] = compare("a ".repeat(megabytes / 2), "b ".repeat(megabytes / 2)).found
    expect(huge).not.toHaveProperty("words")
    // Half of the words are in both, but there are more edits than the search makes.
    const scattered = (word: string) => Array.from({ length: 600 }, (_, at) => `${at}${word} kept`).join(" ")
    const [cut] = compare(scattered("a"), scattered("b")).found
    expect(cut?.words?.filter(({ text }) => text.includes("kept")).map(({ kind }) => kind)).toEqual([
      ...["removed", "added", "same"]
    ])
    const many = (value: number) => Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, value]))
    const { found, isCut } = compare(many(1), many(2))
    expect([found.length, isCut]).toEqual([differencesMax, true])
  })
})
