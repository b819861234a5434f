/** The tables of docs/webhooks.md: conditions with their outcome, and the same template in three languages. */
import { describe, expect, it } from "vitest"
import { parse } from "../../src/match/Condition.ts"
import { explain } from "../../src/match/Explanation.ts"
import { operators } from "../../src/match/Operator.ts"
import { parsePolicy } from "../../src/webhook/RetrySchedule.ts"
import { sampleContext } from "../../src/template/Samples.ts"
import { outcome } from "../template/Installed.ts"
import { blocksOf, codeOf, readDocument, rowsOf } from "./Document.ts"

const document = readDocument("webhooks.md")

const json = (cell: string): unknown => JSON.parse(codeOf(cell))

describe("a condition of the document", () => {
  const cases = [
    ...rowsOf(document, "condition | data | outcome").map(
      ([condition = "", data = "", told]) => [condition, { data: json(data) }, told] as const
    ),
    ...rowsOf(document, "condition | prechange | postchange | outcome").map(
      ([condition = "", before = "", after = "", told]) =>
        [condition, { data: {}, snapshots: { prechange: json(before), postchange: json(after) } }, told] as const
    ),
    ...rowsOf(document, "condition | context | outcome").map(
      ([condition = "", context = "", told]) => [condition, { data: {}, context: json(context) }, told] as const
    )
  ]

  it.each(cases)("%s has the outcome that it tells, for %j", (condition, subject, told) => {
    expect(explain(parse(json(condition)), subject).outcome).toBe(told)
  })

  it("uses operators that there are", () => {
    const used = new Set(cases.map(([condition]) => /"op": "(\w+)"/.exec(condition)?.[1] ?? "eq"))
    expect([...used].every((name) => name in operators)).toBe(true)
    expect(cases.length).toBeGreaterThan(20)
  })

  it("in a block is valid", () => {
    const blocks = blocksOf(document).filter(({ role }) => role === "condition")
    expect(blocks.map(({ text }) => parse(JSON.parse(text)).kind)).toEqual(["all"])
  })
})

const engines = ["jinja", "liquid", "nunjucks"] as const

/** The output, or the reason of the fault. */
const rendered = (template: string, engine: string): string => {
  const result = outcome(template, sampleContext, { engine })
  return typeof result === "string" ? result : result.reason
}

describe("a template of the document", () => {
  const same = rowsOf(document, "Jinja | Liquid | Nunjucks | gives").flatMap((row) =>
    engines.map((engine, at) => [engine, codeOf(row[at]!), codeOf(row[3]!)] as const)
  )
  const different = rowsOf(document, "what | Jinja | Liquid | Nunjucks").flatMap((row) =>
    engines.flatMap((engine, at) => {
      const [template, result] = row[at + 1]!.split(" gives ")
      return result === undefined ? [] : [[engine, codeOf(template!), codeOf(result)] as const]
    })
  )

  it.each([...same, ...different])("in %s gives what it tells: %s", (engine, template, result) => {
    expect(rendered(template, engine)).toBe(result)
  })

  it("is there for each language", () => {
    expect([same.length, different.length]).toEqual([expect.toSatisfy((length) => length > 40), 26])
  })
})

describe("a retry schedule of the document", () => {
  const schedules = rowsOf(document, "`retry_schedule` | attempts")

  it.each(schedules)("%s has so many attempts", (schedule, attempts) => {
    const policy = parsePolicy(json(schedule!))
    if (typeof policy === "string") throw new Error(policy)
    expect(policy.kind === "list" ? policy.delays.length + 1 : policy.attempts).toBe(Number.parseInt(attempts!, 10))
  })
})
