/** Plain words (docs/design/language.md): everyday verbs in place of the field's words are counted, and only shrink. */
import { readdirSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { picturesIn, proseOfCode } from "./support/Prose.ts"
import { breaking, filesUnder, read } from "./support/Sources.ts"

const list = "test/support/pictures.json"

/** Files that quote the pictures. */
const quoting = new Set(["docs/design/language.md", "test/Language.test.ts", "test/support/Prose.ts"])

const root = new URL("..", import.meta.url).pathname
const code = ["src", "test", "bench", "plugins", "ops", "bin"].flatMap((folder) =>
  filesUnder(folder, /\.(?:ts|js|mjs)$/)
)
const documents = [...filesUnder("docs", /\.md$/), ...readdirSync(root).filter((name) => name.endsWith(".md"))]
const files = [...code, ...documents].filter((file) => !quoting.has(file)).sort()

const fault = (found: ReadonlyArray<string>, allowed: number): ReadonlyArray<string> => {
  if (found.length > allowed) return [`has ${found.length} of at most ${allowed} pictures: ${found.join(", ")}`]
  if (found.length < allowed) return [`has ${found.length} pictures: lower its ${allowed} with npm run words`]
  return []
}

describe("pictures in place of field words", () => {
  it("are at most, and at least, as many as the list has for each file", () => {
    const allowed = JSON.parse(read(list)) as Readonly<Record<string, number>>
    const found = new Map(files.map((file) => [file, picturesIn(file, read(file))]))
    if (process.env["RACKWIRE_WRITE_WORDS"] === "1") {
      const lowered = Object.keys(allowed).map((file) => [file, Math.min(allowed[file]!, found.get(file)?.length ?? 0)])
      const kept = Object.fromEntries(lowered.filter(([, count]) => count !== 0))
      writeFileSync(root + list, `${JSON.stringify(kept, null, 2)}\n`)
    }
    const now = JSON.parse(read(list)) as Readonly<Record<string, number>>
    expect(breaking(files, (_, file) => fault(found.get(file)!, now[file] ?? 0))).toEqual([])
    expect(Object.keys(now).filter((file) => !found.has(file))).toEqual([])
  })

  it.each([
    [2, 2, undefined],
    [3, 2, "has 3 of at most 2 pictures"],
    [1, 2, "has 1 pictures: lower its 2"]
  ])("%i found where %i are listed", (count, allowed, expected) => {
    const [message] = fault(
      Array.from({ length: count }, () => "told"),
      allowed
    )
    expect(message?.slice(0, expected?.length)).toBe(expected)
  })

  it("are found in comments and messages, not in names and keys", () => {
    const text = [
      "/** It is told. */",
      'const told = "told"; const message = "was told"',
      "const nested = `asks ${rows.map((asked) => `looks at ${asked}`).join()} and stands`",
      'const quotes = /["`]/; // knows'
    ].join("\n")
    expect(picturesIn("a.ts", text)).toEqual(["told", "told", "asks", "looks", "stands", "knows"])
    expect(proseOfCode('const a = { b: { c: `x y ${{ d: "e f" }} g h` } }')).toEqual(["x y ", '"e f"', " g h"])
  })

  it("are relatives without a noun too", () => {
    expect(picturesIn("a.md", "Whoever reads; those who read. Users who read.")).toEqual(["Whoever", "those who"])
  })

  it("are field words in `look up`, `look-ahead` and `known`", () => {
    expect(picturesIn("a.md", "A known name is looked up with look-ahead; `told` is code, it comes.")).toEqual([
      "comes"
    ])
  })
})
