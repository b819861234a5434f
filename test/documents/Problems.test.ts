/** docs/operating.md says of each problem what the console says, and may say more. */
import { expect, it } from "vitest"
import { problemsOf } from "../../src/history/tasks/Problems.ts"
import { documentAt } from "./Steps.ts"

const [, table = ""] =
  /^\| problem \| what to do \|\n\|[- |]+\n((?:\|.*\n)+)/m.exec(documentAt("docs/operating.md")) ?? []

const rows = table.split("\n").flatMap((line) => {
  const [, problems = "", what = ""] = line.split(" | ").length === 2 ? (/^\| (.+) \| (.+) \|$/.exec(line) ?? []) : []
  return problems
    .split("; ")
    .filter((each) => each !== "")
    .map((problem) => ({ problem, what }))
})

/** A process that tells this problem. */
const telling = (problem: string) => ({
  ...{ name: "p", started: "", seen: "", lost: false, quiet: false, state: "idle" as const, roles: [] },
  parts: { health: { problem, problems: 1 } }
})

it.each(rows)("what to do about: $problem", ({ problem, what }) => {
  const [{ advice } = { advice: "" }] = problemsOf([telling(problem)])
  expect(advice).not.toContain("The log of the process says more")
  expect(what.startsWith(advice)).toBe(true)
})

it("a dozen problems are told of", () => expect(rows.length).toBeGreaterThan(10))
