import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { defineObjectType, json, text } from "../../src/inventory/ObjectType.ts"
import { Grammars, grammarErrors } from "../../src/inventory/Grammar.ts"

const named = { app: "extras", plural: "samples", menu: "Logging", search: [], ordering: [], brief: ["name"] } as const

const type = defineObjectType({
  ...{ ...named, name: "sample" },
  fields: {
    name: text({ max: 50, grammar: "shout" }),
    limits: json({ grammar: (value, row) => (value === 1 ? `${String(row["name"])} is limited.` : undefined) })
  },
  display: (row) => String(row.name)
})

const shout = (value: unknown) => (value === "QUIET" ? undefined : "Shout.")

describe("the grammar of a field", () => {
  it("is its own check, or the one that a stage registers by its name", async () => {
    const grammars = Grammars.register([type], { shout })
    const errors = (values: Readonly<Record<string, unknown>>) =>
      grammarErrors(type, [{ values, row: values }]).pipe(Effect.provideService(Grammars, grammars), Effect.runPromise)
    expect(await errors({ name: "quiet", limits: 1 })).toEqual([{ name: ["Shout."], limits: ["quiet is limited."] }])
    expect(await errors({ name: "QUIET", limits: 2 })).toEqual([{}])
  })

  it.each([[{}], [{ other: shout }]])("that no stage registers ends the start: %o", (grammars) => {
    const registered = Result.try(() => Grammars.register([type], grammars))
    expect(Result.isFailure(registered) && String(registered.failure)).toContain("extras.sample.name")
  })

  it("may have the name of a property of every object only if it is registered", () => {
    const odd = defineObjectType({ ...named, name: "odd", fields: { name: text({ max: 9, grammar: "constructor" }) } })
    expect(() => Grammars.register([odd], {})).toThrow("extras.odd.name")
  })
})
