/** The tables of documents that list what the code has. `npm run docs` writes them. */
import { describe, expect, it } from "vitest"
import { options } from "../../src/Config.ts"
import { commands } from "../../src/command/Rackwire.ts"
import { operators } from "../../src/match/Operator.ts"
import { generatedPart, tableOf } from "./Generated.ts"

const code = (text: string): string => (text === "" ? "" : `\`${text}\``)

const operatorTable = tableOf(
  ["operator", "holds if the attribute"],
  Object.entries(operators).map(([name, { holdsIf }]) => [code(name), holdsIf])
)

const optionTable = tableOf(
  ["variable", "default", "meaning"],
  Object.values(options).map(({ env, fallback, description }) => [code(env), code(fallback), description])
)

const commandTable = tableOf(
  ["command", "does"],
  (await commands()).flatMap(({ examples }) =>
    examples.map(({ command, description = "" }) => [code(command), description])
  )
)

describe("a table of a document is as the code has it", () => {
  it.each([
    ["webhooks.md", "operators", operatorTable],
    ["reference.md", "options", optionTable],
    ["reference.md", "commands", commandTable]
  ])("%s: %s", (document, name, made) => {
    expect(generatedPart(document, name, made)).toBe(made)
  })
})

it("every command tells how it is called, first by its name alone or with options", async () => {
  const found = await commands()
  expect(found.length).toBeGreaterThan(8)
  expect(found.filter(({ name, examples }) => !examples[0]?.command.startsWith(`npx rackwire ${name}`))).toEqual([])
})
