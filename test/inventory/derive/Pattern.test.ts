import { describe, expect, it, vi } from "vitest"
import { objectType } from "../../../src/inventory/Registry.ts"
import { constraint } from "../../../src/inventory/derive/filter/Constraint.ts"
import { customCondition } from "../../../src/inventory/derive/filter/CustomFieldFilter.ts"
import { filter } from "../../../src/inventory/derive/filter/Filter.ts"
import { patternLengthMax, patternProblem } from "../../../src/inventory/derive/filter/PostgresPattern.ts"
import { allVisible } from "../../../src/inventory/derive/filter/Where.ts"

const site = objectType("dcim.site")

describe("a pattern", () => {
  it("may be any usual search pattern", () => {
    const usual = [
      "^ams-[0-9]{1,3}$",
      "(?i)router|switch",
      String.raw`^(\d{1,3}\.){3}\d{1,3}$`,
      String.raw`[]\]a-z[:alpha:]{9999]+`,
      "[[:alpha:]]{2,}(x|y)*?",
      "a{255}",
      "{literal}",
      "",
      "(unfinished",
      "[unfinished{999}"
    ]
    expect(usual.flatMap((pattern) => patternProblem(pattern) ?? [])).toEqual([])
  })

  it("is refused if its counted repetitions multiply", () => {
    const wrong = [
      "(((a{50}){50}){50})",
      "(a{40}|b{40}){20}",
      "a{255}b{255}c{255}d{255}",
      "(?:[ab]{100}){100}",
      "(a{9}){0,200}"
    ]
    expect(wrong.filter((pattern) => patternProblem(pattern)?.includes("counted") !== true)).toEqual([])
  })

  it("is refused if it has a back-reference, is too long or switches its dialect", () => {
    expect(patternProblem(String.raw`(a*)\1`)).toContain("back references")
    expect(patternProblem("a".repeat(patternLengthMax + 1))).toContain(`${patternLengthMax} characters`)
    for (const other of ["***=a", String.raw`(?b)\(a\)\{9\}`, "(?x)a # b", "(?i)***:a", "(?i)(?q)a"]) {
      expect(patternProblem(other)).toContain("language")
    }
  })

  it("has its size estimated in one pass", () => {
    const nasty = ["[[:a:][:a:]".repeat(40), "(".repeat(500), "[^]".repeat(160), "{1".repeat(250), "\\".repeat(499)]
    for (const pattern of nasty) {
      const matches = vi.spyOn(RegExp.prototype, "exec")
      patternProblem(pattern)
      const count = matches.mock.calls.length
      matches.mockRestore()
      // One for each character, and those for the options in front.
      expect(count).toBeLessThanOrEqual(pattern.length + 3)
    }
  })
})

describe("a pattern that Postgres must not compile", () => {
  const wrong = "((a{99}){99}){99}"

  it("is refused as a filter, by name", () => {
    expect(filter(site, [["name__regex", wrong]], allVisible)).toHaveProperty("errors.name__regex")
    expect(filter(site, [["tenant__name__iregex", wrong]], allVisible, { strict: true })).toHaveProperty("errors")
  })

  it("is refused as a filter on a custom field", () => {
    const known = new Map([["note", { id: 1, type: "text", filter_logic: "exact" }]])
    expect(customCondition(site, "note", "regex", [wrong], () => "$1", known)).toHaveProperty("messages")
    expect(customCondition(site, "note", "regex", ["^a"], () => "$1", known)).toEqual(expect.any(String))
  })

  it("is refused as the constraint of a permission; one written by SQL allows nothing", () => {
    expect(constraint(site, { name__regex: wrong })).toHaveProperty("errors")
    expect(constraint(site, { region__name__iregex: "^a" })).toHaveProperty("where")
  })
})
