/** The command `rackwire move` reports a move and a comparison in words, and its exit code names the outcome. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { environmentOf } from "../support/Api.ts"
import { runCommand } from "../support/Command.ts"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { makeScratch } from "../support/Scratch.ts"
import { schema } from "./Source.ts"

let source: TestDatabase
let target: TestDatabase

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  const sites = `insert into dcim_site (id, name, slug, status, time_zone, facility) values
    (7, 'One', 'one', 'active', '', ''), (9, 'Two', 'not a slug', 'active', '', '')`
  for (const statement of [...schema, sites]) await source.sql.query(statement)
})
afterAll(() => Promise.all([source.drop(), target.drop()]))

const folder = makeScratch("rackwire-move-command-")

const move = (file: string, ...more: ReadonlyArray<string>) =>
  runCommand(["move", source.databaseUrl, ...more, "--left-out", join(folder, file)], { env: environmentOf(target) })

describe("the command that moves", () => {
  it("prints the counts of each object type, and writes the rows that it left out into a file", async () => {
    const { code, output } = await move("left.jsonl")
    expect(code).toBe(0)
    expect(output).toMatch(/^NetBox \d\.\d+, 2 rows of 1 object types/m)
    expect(output).toMatch(/^dcim\.site +2 +1 /m)
    expect(output).toContain(`Details: ${join(folder, "left.jsonl")}`)
    expect(JSON.parse(readFileSync(join(folder, "left.jsonl"), "utf8"))).toMatchObject({ kind: "refused", id: 9 })
    expect(await target.sql.query("select name from dcim_site where id = 7")).toEqual([{ name: "One" }])
  })

  it("compares both sides, and fails where rows differ", async () => {
    await target.sql.query("update dcim_site set facility = 'changed' where id = 7")
    const { code, output } = await move("compared.jsonl", "--verify")
    expect(output).toMatch(/^dcim\.site +2 +0 +1 +0 +0 +1$/m)
    expect([code, output.endsWith("rackwire: 1 row differs.\n")]).toEqual([1, true])
  })

  it("writes over no file", async () => {
    expect(await move("left.jsonl", "--dry-run")).toMatchObject({
      code: 1,
      output: expect.stringContaining("cannot be made")
    })
  })
})
