/** Who may read how much, when some webhooks have a backlog and others keep up. */
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { FairShare } from "../../src/deliver/actor/FairShare.ts"

let turns: FairShare
/** Milliseconds that the clock was turned beyond the time that has passed. */
let turned: number

beforeEach(() => {
  turned = 0
  turns = new FairShare(() => performance.now() + turned)
})

const take = (webhook: number, count: number) => Effect.runPromise(turns.take(webhook, count))

const keepBusy = (millis: number): void => {
  const begun = performance.now()
  while (performance.now() - begun < millis);
}

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
    keepBusy(50)
    const begun = performance.now()
    await take(1, 8)
    expect(performance.now() - begun).toBeGreaterThan(10)
  })

  it("gets its portion in the end, even if the event loop is never idle", async () => {
    turns.keptUp(2)
    let over = false
    const grind = (): void => {
      keepBusy(5)
      if (!over) setImmediate(grind)
    }
    grind()
    expect(await take(1, 500)).toBe(8)
    expect(await take(3, 500)).toBe(8)
    over = true
  })
})
