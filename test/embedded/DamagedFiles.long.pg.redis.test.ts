/** An embedded Redis whose files cannot be read, as Redis 7.0 leaves them after a full disk, starts without them. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { directory, ended, owner, start, stop, useDirectories } from "./DataDirectories.ts"

useDirectories()

let receiver: Receiver
let status = 503
beforeAll(async () => {
  receiver = await startReceiver(() => status)
})
afterAll(() => receiver.close())

/** Makes a hole between two commands of the newest append-only file. */
const damage = () => {
  const folder = join(directory, "redis/appendonlydir")
  const file = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".incr.aof"))!
  )
  const bytes = readFileSync(file)
  const command = bytes.indexOf("\r\n*", bytes.length >> 1) + 2
  writeFileSync(file, bytes.fill(0, command, command + 100))
}

describe("an embedded Redis with a damaged file", () => {
  it("starts without it, and deliveries that waited there arrive", async () => {
    const before = await start()
    const webhook = { name: "all", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url }
    const retries = { retry_schedule: { kind: "fixed", delay: 1, attempts: 100 } }
    await before.call("POST", "/api/extras/webhooks/", { ...webhook, ...retries })
    for (const n of [1, 2, 3]) await before.call("POST", "/api/extras/tags/", { name: `Tag ${n}`, slug: `tag-${n}` })
    let first = 0
    const ids = () => new Set(receiver.received.slice(first).map(({ headers }) => headers["x-hook-delivery"]))
    await eventually("all were attempted", () => ids().size === 3)
    const pids = owner().servers.map(({ pid }) => pid)
    await stop(before, "SIGTERM")
    await ended(() => pids)
    damage()
    first = receiver.received.length
    status = 200
    await start()
    await eventually("all arrive", () => ids().size === 3)
    expect(existsSync(join(directory, "redis/damaged/appendonlydir"))).toBe(true)
  })
})
