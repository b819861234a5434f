/** The tables of documents are as the code has them. `npm run docs` writes them. */
import { expect, it } from "vitest"
import { commands } from "../../src/command/service/Rackwire.ts"
import { generatedPart } from "./Generated.ts"
import { tables } from "./Tables.ts"

it.each(tables)("%s: %s", (document, name, made) => {
  expect(generatedPart(document, name, made)).toBe(made)
})

it("every command tells how it is called, first by its name alone or with options", async () => {
  const found = await commands()
  expect(found.length).toBeGreaterThan(8)
  expect(found.filter(({ name, examples }) => !examples[0]?.command.startsWith(`npx rackwire ${name}`))).toEqual([])
})
