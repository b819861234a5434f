/** The budget of rows about refused sign-ins. */
import { describe, expect, it } from "vitest"
import { RefusalBudget, overLimit, rowsMax, windowMillis } from "../../../src/auth/audit/RefusalBudget.ts"

const wrong = (name: string, network = "192.0.2.1") => ({ network, name, reason: "WrongPassword" })

/** The reasons of the rows that these refusals write, at one time. */
const rowsOf = (budget: RefusalBudget, refusals: ReadonlyArray<ReturnType<typeof wrong>>, now = 0) =>
  refusals.flatMap((refusal) => budget.take(refusal, now) ?? [])

const manyOf = (count: number, network?: string) =>
  Array.from({ length: count }, (_, at) => wrong(`user ${at}`, network))

describe("refusals of a network", () => {
  it("write a row each up to the limit, then one that says so, then none", () => {
    const rows = rowsOf(new RefusalBudget(), manyOf(rowsMax + 50))
    expect(rows).toEqual([...Array.from({ length: rowsMax }, () => "WrongPassword"), overLimit])
  })

  it("write rows again in the next window", () => {
    const budget = new RefusalBudget()
    rowsOf(budget, manyOf(rowsMax + 50))
    expect(rowsOf(budget, [wrong("late")], windowMillis - 1)).toEqual([])
    expect(rowsOf(budget, [wrong("later")], windowMillis)).toEqual(["WrongPassword"])
  })

  it("leave the rows of other networks alone", () => {
    const budget = new RefusalBudget()
    rowsOf(budget, manyOf(rowsMax + 50))
    expect(rowsOf(budget, [wrong("user 1", "192.0.2.2")])).toEqual(["WrongPassword"])
  })

  it("are counted for a bounded number of networks", () => {
    const budget = new RefusalBudget()
    rowsOf(budget, manyOf(rowsMax + 50))
    for (let at = 0; at < 10_000; at++) budget.take(wrong("user", `network ${at}`), 0)
    // The first network was dropped to make room.
    expect(rowsOf(budget, [wrong("user 1")])).toEqual(["WrongPassword"])
  })
})

describe("a network", () => {
  const waitOf = (budget: RefusalBudget, now: number) => budget.wait("192.0.2.1", now)

  it("waits for the next window only after its last row", () => {
    const budget = new RefusalBudget()
    expect(waitOf(budget, 0)).toBe(0)
    rowsOf(budget, manyOf(rowsMax))
    expect(waitOf(budget, 1)).toBe(0)
    rowsOf(budget, manyOf(1), 1)
    expect([waitOf(budget, 1), waitOf(budget, windowMillis - 1)]).toEqual([windowMillis - 1, 1])
    expect([waitOf(budget, windowMillis), budget.wait("192.0.2.2", 1)]).toEqual([0, 0])
  })
})

describe("attempts over the rate limit", () => {
  const limited = (name: string) => ({ network: "192.0.2.1", name, reason: overLimit })

  it("write one row for each name in a window", () => {
    const budget = new RefusalBudget()
    const attempts = [limited("ann"), limited("ann"), limited("bob"), limited("ann"), limited("bob")]
    expect(rowsOf(budget, attempts)).toEqual([overLimit, overLimit])
    expect(rowsOf(budget, attempts, windowMillis)).toEqual([overLimit, overLimit])
  })

  it("with a new name each time write as many rows as other refusals do", () => {
    const attempts = Array.from({ length: 10 * rowsMax }, (_, at) => limited(`user ${at}`))
    expect(rowsOf(new RefusalBudget(), attempts)).toHaveLength(rowsMax + 1)
  })
})
