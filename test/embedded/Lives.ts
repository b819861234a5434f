/** The lives of embedded servers: each ends with its owner, and the next process goes on with its data. */
import { expect, it } from "vitest"
import { ended, isAlive, owner, serverPids, start, stop } from "./DataDirectories.ts"

export const ends = (signal: NodeJS.Signals): void =>
  it(`stop after their owner's ${signal}, and keep their data for the next owner`, async () => {
    const first = await start()
    const pids = serverPids()
    expect(pids.filter(isAlive).length).toBe(2)
    await first.call("POST", "/api/extras/tags/", { name: "Kept", slug: "kept" })
    await stop(first, signal)
    await ended(() => pids)
    const second = await start()
    const tags = await second.call<{ count: number }>("GET", "/api/extras/tags/?slug=kept")
    expect(tags.json.count).toBe(1)
  })

export const isFollowed = (signal: NodeJS.Signals): void =>
  it(`are started by the second process after their owner's ${signal}, at the same addresses`, async () => {
    const first = await start()
    const before = owner()
    const second = await start()
    expect(owner()).toEqual(before)
    await second.call("POST", "/api/extras/tags/", { name: "Kept", slug: "kept" })
    await stop(first, signal)
    await expect.poll(() => owner().process.pid).toBe(second.process.pid)
    const ready = async () => (await fetch(`${second.url}/health/ready`)).status
    await expect.poll(ready).toBe(200)
    expect(owner().databaseUrl).toBe(before.databaseUrl)
    expect(before.servers.some(({ pid }) => isAlive(pid))).toBe(false)
    const tags = await second.call<{ count: number }>("GET", "/api/extras/tags/?slug=kept")
    expect(tags.json.count).toBe(1)
    const third = await start()
    expect((await third.call("GET", "/api/extras/tags/?slug=kept")).json["count"]).toBe(1)
  })
