/** The table of attacks on signing in names tests that exist. */
import { globSync } from "node:fs"
import { expect, it } from "vitest"
import { documentAt } from "./Steps.ts"

const root = new URL("../", import.meta.url).pathname

/** The cells of the rows below the heading of a table whose last column names tests. */
const rows = [...documentAt("docs/design/signin.md").matchAll(/^\|(.+)\|$/gm)]
  .map(([, row = ""]) => row.split("|").map((cell) => cell.trim()))
  .filter(([first = ""]) => /^\d/.test(first))

it("each attack has a number of its own and a test, and each test is a file", () => {
  const attacks = rows.filter(([first = ""]) => /^\d+$/.test(first))
  expect(attacks.map(([number]) => number)).toEqual(attacks.map((_, index) => `${index + 1}`))
  expect(attacks.length).toBeGreaterThanOrEqual(40)
  expect(attacks.filter((row) => row.at(-1) === "")).toEqual([])
  const named = rows.flatMap((row) => (row.at(-1) ?? "").replaceAll("`", "").split(", "))
  const missing = named.filter(
    (name) => name !== "" && globSync([`auth/${name}.*test.ts`, `${name}.*test.ts`], { cwd: root }).length === 0
  )
  expect(missing).toEqual([])
})
