import fc from "fast-check"
import { RE2JS } from "re2js"
import { describe, expect, test, vi } from "vitest"
import { effortMax, effortOf, patternOf } from "../../src/pattern/Pattern.ts"
import { translated } from "../../src/pattern/Python.ts"
import { PatternError } from "../../src/pattern/PatternError.ts"
import { runs } from "../support/Seed.ts"

const atoms = [
  ...["a", "k", "ß", "😀", ".", "^", "$", "-", "]", "}", "{", "\\d", "\\b", "\\A", "\\\\", "\\{", "\\101", "\\x41"],
  ...["\\x{1F600}", "\\Qa{3}\\E", "\\pL", "\\PN", "\\p{Greek}", "[a-z]", "[^a\\]]", "[]a]", "[^]a]", "[а-я]"],
  ...["[[:alpha:]x]", "[\\pL\\d]", "[\\x{42}-\\x{42F}]", "(?i)", "(?s)", "()", "(?:)", "(?i:k)", "(?P<n>x)"]
]

/** Patterns as attackers and users write them; some are none. */
const pattern = fc.letrec<{ whole: string; part: string }>((tie) => ({
  part: fc
    .tuple(
      fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(...atoms),
        tie("whole").map((inner) => `(${inner})`),
        tie("whole").map((inner) => `(?:${inner})`)
      ),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant("") },
        { weight: 2, arbitrary: fc.constantFrom("*", "+", "?", "*?", "??") },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fc.nat(40), fc.nat(20))
            .chain(([min, more]) =>
              fc.constantFrom(`{${min}}`, `{${min},}`, `{${min},${min + more}}`, `{0,${more}}`, `{,${min}}`)
            )
        }
      )
    )
    .map((both) => both.join("")),
  whole: fc.array(fc.oneof({ maxDepth: 4 }, tie("part"), fc.constant("|")), { maxLength: 5 }).map((all) => all.join(""))
})).whole

const programSize = (text: string): number | undefined => {
  try {
    return RE2JS.compile(translated(text, { isMarked: false, isCut: false })).programSize()
  } catch {
    return undefined
  }
}

describe("the size of a pattern's program", () => {
  test("is never underestimated", () => {
    let compiled = 0
    fc.assert(
      fc.property(pattern, (text) => {
        fc.pre(text.length <= 1000 && effortOf(text) <= 4 * effortMax)
        const size = programSize(text)
        compiled += size === undefined ? 0 : 1
        expect(effortOf(text)).toBeGreaterThanOrEqual(size ?? 0)
      }),
      { numRuns: runs(2000) }
    )
    expect(compiled).toBeGreaterThan(runs(500))
  })

  test.each([
    ["^(?:[a-z0-9-]+\\.)*example\\.(?:com|net|org)$", 80],
    ["^(\\d{1,3}\\.){3}\\d{1,3}(/\\d{1,2})?$", 60],
    ["(?i)^(core|edge|spine|leaf)-[а-яё]{2,20}-\\d+$", 120],
    ["x".repeat(900), 910],
    ["^.{0,1000}$", 2020]
  ])("of what users write is estimated closely: %j", (text, most) => {
    expect(effortOf(text)).toBeLessThanOrEqual(most)
    expect(patternOf(text).size).toBeLessThanOrEqual(effortOf(text))
  })
})

/** Refuses the pattern for its size; returns how often RE2 compiled something meanwhile. */
const compilationsOf = (text: string): number => {
  const compile = vi.spyOn(RE2JS, "compile")
  try {
    expect(() => patternOf(text)).toThrow("make it too large")
    return compile.mock.calls.length
  } finally {
    compile.mockRestore()
  }
}

describe("a pattern that would take long to compile", () => {
  test.each([
    ["nested repetitions", "(?:((\\w{10}){10}){9}){2}x{200}"],
    ["repetitions side by side", "x{1000}".repeat(140)],
    ["optional repetitions", "(?:a?b?){0,400}"],
    ["folded ranges", `(?i)${"[B-\u{1E942}]".repeat(150)}`],
    ["folded ranges with numbers", `(?i)${"[\\x{42}-\\x{1E942}]".repeat(45)}`],
    ["Unicode classes", `(?i)${"\\pL".repeat(330)}`],
    ["Unicode classes in a class", `[${"\\pL\\PL".repeat(160)}]`]
  ])("is refused before it is compiled: %s", (_, text) => {
    expect(effortOf(text)).toBeGreaterThan(effortMax)
    expect(compilationsOf(text)).toBe(0)
  })

  test.each([[String.raw`[\W]`.repeat(250)], [`[${String.raw`\W`.repeat(400)}]`], [String.raw`\b[\W]`.repeat(8)]])(
    "is refused while it is translated, since a class without words is long: %s",
    (text) => {
      expect(compilationsOf(text)).toBe(0)
    }
  )

  test("is refused for its length alone, at once", () => {
    expect(() => patternOf("(".repeat(10_000_000))).toThrow("at most 1000 characters")
  })
})

describe("a pattern", () => {
  test("is compiled once, valid or not", () => {
    expect(patternOf("kept-[0-9]+")).toBe(patternOf("kept-[0-9]+"))
    const errorOf = (text: string) => {
      try {
        return patternOf(text)
      } catch (error) {
        return error
      }
    }
    expect(errorOf("kept-[")).toBeInstanceOf(PatternError)
    expect(errorOf("kept-[")).toBe(errorOf("kept-["))
  })

  test("is evicted from the cache after many others", () => {
    const first = patternOf("first of many")
    for (let n = 0; n < 600; n++) patternOf(`other ${n}`)
    expect(patternOf("first of many")).not.toBe(first)
  })
})

describe("a replacement", () => {
  const budget = () => ({ left: 1_000_000 })
  const replaced = (pattern: string, text: string, by: string) => patternOf(pattern).replaced(text, () => by, budget())

  test("takes the place of every match, as in Python", () => {
    expect(replaced("a+", "caaat a", "o")).toBe("cot o")
    expect(replaced("^", "rack", "old-")).toBe("old-rack")
    expect(replaced("$", "rack", "-old")).toBe("rack-old")
    expect(replaced("x", "rack", "y")).toBe("rack")
    expect(
      patternOf(String.raw`(\w)-(?P<n>\d+)`).replaced("a-1 b-22", (group) => group("n") + group("1"), budget())
    ).toBe("1a 22b")
  })

  test("knows the borders of words beyond ASCII, and leaves no marks", () => {
    expect(replaced(String.raw`\bgrå\b`, "grå gråt ågrå grå", "x")).toBe("x gråt ågrå x")
    expect(replaced(String.raw`\b`, "då nå", "|")).toBe("|då| |nå|")
    expect(replaced(String.raw`\b`, "do no", "|")).toBe("|do| |no|")
    expect(patternOf(String.raw`\b(\w+)\b`).replaced("då nå", (group) => `<${group("1")}>`, budget())).toBe("<då> <nå>")
  })

  test("is refused for a group that there is none of, and for too much work", () => {
    expect(() => patternOf("(a)").replaced("a", (group) => group("2"), budget())).toThrow("the pattern has no group 2")
    expect(() => patternOf("(a)").replaced("a", (group) => group("x"), budget())).toThrow("the pattern has no group x")
    expect(() => replaced("a.{0,500}b|a", "a".repeat(5000), "x")).toThrow("it takes too long to replace")
  })
})
