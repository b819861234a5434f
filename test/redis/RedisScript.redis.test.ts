import { readFileSync, readdirSync } from "node:fs"
import { Redis as Client } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RedisScript } from "../../src/redis/RedisScript.ts"
import { emptyRedis } from "../support/Database.ts"

const src = new URL("../../src/", import.meta.url)
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".lua"))
const scripts = files.filter((file) => !file.includes("/include/"))

let client: Client
beforeAll(async () => {
  client = new Client(await emptyRedis(), { protocol: 2 })
})
afterAll(() => client.quit())

describe("each script", () => {
  it.each(scripts)("%s compiles in Redis", async (file) => {
    const { text } = new RedisScript(new URL(file, src))
    expect(text).not.toContain("-- include")
    expect(await client.script("LOAD", text)).toMatch(/^[0-9a-f]{40}$/)
  })

  it.each(files)("%s begins with a comment about its result", (file) => {
    const text = readFileSync(new URL(file, src), "utf8").replace(/^-- include .*\n\n/gm, "")
    const comment = /^(?:--.*\n)+/.exec(text)?.[0] ?? ""
    expect(comment).toMatch(/\b[Rr]eturns\b/)
  })

  it.each(scripts)("%s names its keys once, at the top", (file) => {
    const lines = readFileSync(new URL(file, src), "utf8").split("\n")
    expect(lines.filter((line) => /KEYS\b/.test(line) && !/^(local|--|for )/.test(line))).toEqual([])
  })
})
