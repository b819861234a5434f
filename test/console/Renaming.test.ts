import { describe, expect, it } from "vitest"
import { renamer } from "../../src/console/bulk/Renaming.ts"

const renamed = (name: string, find: string, replace: string, isPattern = true) =>
  renamer({ find, replace, isPattern })(name)

describe("a new name", () => {
  it("has every plain text replaced, and no character of it means anything", () => {
    expect(renamed("a.b.c", ".", "\\1$&", false)).toBe("a\\1$&b\\1$&c")
  })

  it("may hold groups of the pattern, by number and by name", () => {
    expect(renamed("sw001.dc1", String.raw`sw(\d+)\.(?P<site>\w+)`, String.raw`\g<site>-sw\1`)).toBe("dc1-sw001")
    expect(renamed("a", "a", String.raw`\\1 \x \ `)).toBe(String.raw`\1 \x \ `)
    expect(renamed("a", "(a)", "$1 \\0")).toBe("$1 a")
  })

  it("is refused where the pattern is wrong, a group is missing, or the name gets too long", () => {
    expect(() => renamed("a", "(", "")).toThrow("missing closing )")
    expect(() => renamed("a", "a", String.raw`\2`)).toThrow("the pattern has no group 2")
    expect(() => renamed("a".repeat(100), "a", "b".repeat(11), false)).toThrow("more than 1000 characters")
  })

  it("costs no more for all names of a request than its budget", () => {
    const rename = renamer({ find: "a.{0,200}b|a", replace: "x", isPattern: true })
    const all = () => Array.from({ length: 1000 }, () => rename("a".repeat(200)))
    expect(all).toThrow("it takes too long to replace")
  })
})
