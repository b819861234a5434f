/** Lookups of many webhooks whose resolver answers when it is told to, or never. */
import { describe, expect, test } from "vitest"
import { Lookups } from "../../src/transport/Lookups.ts"

const limits = { most: 4, ofWebhook: 2, ofSlow: 2, millis: 60_000, slowMillis: 60_000, lateMillis: 60_000 }

/** A resolver that says which names it was asked for, and answers them when it is told to. */
const startResolver = (changed: Partial<typeof limits> = {}) => {
  const asked: Array<string> = []
  const open = new Map<string, (address: string) => void>()
  const resolve = (hostname: string) =>
    new Promise<ReadonlyArray<{ address: string; family: number }>>((found) => {
      asked.push(hostname)
      open.set(hostname, (address) => found([{ address, family: 4 }]))
    })
  const lookups = new Lookups(resolve, { ...limits, ...changed })
  const look = (webhook: number, ...names: ReadonlyArray<string>) =>
    names.map((name) =>
      lookups.resolve(webhook, name, {}).then(
        ([found]) => found!.address,
        ({ code }: NodeJS.ErrnoException) => code
      )
    )
  const answer = async (name: string) => {
    open.get(name)!(`address of ${name}`)
    await new Promise(setImmediate)
  }
  return { asked, lookups, look, answer }
}

const names = (webhook: string, count: number) => Array.from({ length: count }, (_, at) => `${webhook}${at}`)

describe("lookups", () => {
  test("of one webhook are few at a time, and the next one has the place of one that ended", async () => {
    const { asked, look, answer } = startResolver()
    const [first] = look(1, ...names("a", 5))
    expect(asked).toEqual(["a0", "a1"])
    await answer("a0")
    expect(await first).toBe("address of a0")
    expect(asked).toEqual(["a0", "a1", "a2"])
  })

  test("of other webhooks do not wait for those of one that asks for many", async () => {
    const { asked, look, answer } = startResolver()
    look(1, ...names("a", 100))
    const [other] = look(2, "b0")
    await answer("b0")
    expect(await other).toBe("address of b0")
    expect(asked).toEqual(["a0", "a1", "b0"])
  })

  test("take turns by webhook where all places are taken", async () => {
    const { asked, look, answer } = startResolver({ most: 1, ofWebhook: 1 })
    look(1, ...names("a", 3))
    look(2, ...names("b", 2))
    look(3, ...names("c", 1))
    for (const name of ["a0", "a1", "b0", "c0", "a2"]) await answer(name)
    expect(asked).toEqual(["a0", "a1", "b0", "c0", "a2", "b1"])
  })

  test("of webhooks whose names are slow leave places to the others", async () => {
    const { asked, look, answer } = startResolver({ most: 6, ofSlow: 3, slowMillis: -1 })
    // Its first lookups show that it is slow.
    for (const webhook of [1, 2, 3, 4]) {
      look(webhook, `first ${webhook}`)
      await answer(`first ${webhook}`)
    }
    asked.length = 0
    for (const webhook of [1, 2, 3, 4]) look(webhook, ...names(`${webhook} `, 9))
    expect(asked).toHaveLength(3)
  })

  test("are one for all who ask for the same name meanwhile", async () => {
    const { asked, look, answer } = startResolver({ most: 2, ofWebhook: 1 })
    const same = [...look(1, "a", "a"), ...look(2, "a"), ...look(3, "b"), ...look(4, "a")]
    expect(asked).toEqual(["a", "b"])
    await answer("a")
    await answer("b")
    expect(await Promise.all(same)).toEqual(["a", "a", "a", "b", "a"].map((name) => `address of ${name}`))
    expect(asked).toEqual(["a", "b"])
  })

  test("end in time for those who ask, and keep their places until the resolver answers", async () => {
    const { asked, lookups, look, answer } = startResolver({ millis: 1 })
    expect(await Promise.all(look(1, ...names("a", 4)))).toEqual(names("a", 4).map(() => "EAI_AGAIN"))
    expect(lookups.counts).toEqual({ running: 2, waiting: 0 })
    expect(await Promise.all(look(1, "a4"))).toEqual(["EAI_AGAIN"])
    expect(asked).toEqual(["a0", "a1"])
    await answer("a0")
    await answer("a1")
    expect(lookups.counts).toEqual({ running: 0, waiting: 0 })
  })
})
