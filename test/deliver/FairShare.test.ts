/** Shares of reading, when some webhooks have a backlog and others keep up. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { FairShare } from "../../src/deliver/reading/FairShare.ts"

let turns: FairShare
/** The clock, milliseconds. */
let turned: number
/** Whether the event loop counts as busy, and how often it was checked. */
let isBusy: boolean
let checks: number

beforeEach(() => {
  ;[turned, isBusy, checks] = [0, false, 0]
  turns = new FairShare(() => turned)
  vi.spyOn(performance, "eventLoopUtilization").mockImplementation(() => {
    checks += 1
    return { idle: 0, active: 0, utilization: isBusy ? 1 : 0 }
  })
})
afterEach(() => void vi.restoreAllMocks())

const take = (webhook: number, count: number, owner?: number) =>
  Effect.runPromise(turns.take({ webhook, owner }, count))

describe("a webhook with a backlog", () => {
  it("reads all that it has room for while it is alone", async () => {
    expect(await take(1, 500)).toBe(500)
  })

  it("reads small portions while another keeps up", async () => {
    turns.keptUp(2)
    expect(await take(1, 500)).toBe(8)
    expect(await take(1, 3)).toBe(3)
  })

  it("does not give way to itself, however often it kept up before", async () => {
    turns.keptUp(1)
    turns.keptUp(1)
    expect(await take(1, 500)).toBe(500)
  })

  it("gives way to one that kept up before it did itself", async () => {
    turns.keptUp(2)
    turns.keptUp(1)
    turns.keptUp(1)
    expect(await take(1, 500)).toBe(8)
  })

  it("gives way only while others keep up", async () => {
    turns.keptUp(2)
    turned = 1100
    expect(await take(1, 500)).toBe(500)
  })

  it("waits for the event loop to be idle after it was busy", async () => {
    turns.keptUp(2)
    await take(1, 8)
    isBusy = true
    let taken: number | undefined
    const whole = take(1, 8).then((count) => (taken = count))
    await expect.poll(() => checks).toBeGreaterThan(5)
    expect(taken).toBeUndefined()
    isBusy = false
    expect(await whole).toBe(8)
  })

  it("gets its portion in the end, even if the event loop is never idle", async () => {
    turns.keptUp(2)
    isBusy = true
    for (const webhook of [1, 3]) {
      const [whole, before] = [take(webhook, 500), checks]
      await expect.poll(() => checks - before).toBeGreaterThan(2)
      turned += 20
      expect(await whole).toBe(8)
    }
  })
})

describe("a user with many webhooks", () => {
  const owner = 1
  const many = Array.from({ length: 100 }, (_, n) => 100 + n)

  it("delays a backlog of another user by one portion, and has its own read in turn", async () => {
    turns.keptUp(2)
    isBusy = true
    const order: Array<number> = []
    const taking = (webhook: number, of?: number) => take(webhook, 500, of).then(() => order.push(webhook))
    const all = many.map((webhook) => taking(webhook, owner))
    await expect.poll(() => checks).toBeGreaterThan(2)
    all.push(taking(7, 2), taking(8))
    isBusy = false
    await Promise.all(all)
    expect(order.slice(0, 4)).toEqual([100, 7, 8, 101])
    expect(order.filter((webhook) => webhook >= 100)).toEqual(many)
  })

  it("has few of them read at the same time, and delays no other read", async () => {
    const underWay = new Set<number>()
    const ends = new Map<number, () => void>()
    const read = (webhook: number, of?: number) =>
      Effect.runPromise(
        turns.reading(
          { webhook, owner: of },
          Effect.callback<void>((resume) => {
            underWay.add(webhook)
            ends.set(webhook, () => {
              underWay.delete(webhook)
              resume(Effect.void)
            })
          })
        )
      )
    const all = many.map((webhook) => read(webhook, owner))
    const others = [read(7, 2), read(8)]
    await expect.poll(() => [...underWay]).toEqual([100, 101, 102, 103, 7, 8])
    ends.get(101)!()
    await expect.poll(() => [...underWay]).toEqual([100, 102, 103, 7, 8, 104])
    ends.get(7)!()
    ends.get(8)!()
    await Promise.all(others)
    while (underWay.size > 0) {
      expect(underWay.size).toBeLessThanOrEqual(4)
      for (const end of ends.values()) end()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(all)
  })
})
