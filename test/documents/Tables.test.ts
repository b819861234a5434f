/** The tables of documents that list what the code has. `npm run docs` writes them. */
import { describe, expect, it } from "vitest"
import { operators } from "../../src/match/Operator.ts"
import { generatedPart, tableOf } from "./Generated.ts"

const operatorTable = tableOf(
  ["operator", "holds if the attribute"],
  Object.entries(operators).map(([name, { holdsIf }]) => [`\`${name}\``, holdsIf])
)

describe("a table of a document is as the code has it", () => {
  it.each([["webhooks.md", "operators", operatorTable]])("%s: %s", (document, name, made) => {
    expect(generatedPart(document, name, made)).toBe(made)
  })
})
