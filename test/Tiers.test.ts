/** The rules of the three tiers, as tests (CONTRIBUTING.md, Tests). */
import { readFileSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("./", import.meta.url))
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"))
const read = (file: string): string => readFileSync(join(root, file), "utf8")

const isLong = (file: string): boolean => file.includes(".long.")

/** Long files without a test of the same name in the first two tiers, and the test that stands in for them. */
const siblings: Readonly<Record<string, string>> = {
  "hostile/Receivers.long.pg.redis.test.ts": "deliver/InFlight.test.ts",
  "console/EveryType.long.browser.test.ts": "console/KindsOfField.gate.browser.test.ts",
  "console/EveryForm.long.browser.test.ts": "console/Console.gate.browser.test.ts",
  "console/EveryPage.long.browser.test.ts": "console/Console.gate.browser.test.ts",
  "documents/Operating.long.pg.redis.test.ts": "pipeline/Takeover.gate.pg.redis.test.ts",
  "embedded/DiskFull.long.pg.redis.test.ts": "pipeline/Ready.gate.pg.redis.test.ts",
  "pipeline/Cluster.long.pg.redis.test.ts": "queue/Cluster.redis.test.ts",
  "pipeline/KilledRedis.long.pg.redis.test.ts": "pipeline/RestartedRedis.gate.pg.redis.test.ts",
  "pipeline/NewType.long.pg.redis.test.ts": "http/Created.pg.redis.test.ts",
  "pipeline/Restored.long.pg.redis.test.ts": "pipeline/Takeover.gate.pg.redis.test.ts",
  "capture/Refused.long.pg.redis.test.ts": "command/Check.gate.pg.redis.test.ts",
  "postgres/Standby.long.pg.test.ts": "postgres/Hosts.pg.test.ts",
  "postgres/Pooler.long.pg.redis.test.ts": "postgres/ServerFacts.test.ts",
  "postgres/Socket.long.pg.test.ts": "postgres/PostgresUrl.test.ts",
  "failover/BehindStandby.long.pg.redis.test.ts": "postgres/Hosts.pg.test.ts",
  "failover/Scenes.long.pg.redis.test.ts": "redis/Sentinel.gate.redis.test.ts",
  "postgres/PgUpgrade.long.pg.redis.test.ts": "pipeline/Gaps.gate.pg.redis.test.ts",
  "template/AttackTimes.long.test.ts": "template/Attacks.test.ts",
  "pipeline/Sentinel.long.pg.redis.test.ts": "redis/Sentinel.gate.redis.test.ts",
  "hostile/Images.long.pg.redis.test.ts": "http/ImageAttachments.pg.redis.test.ts",
  "move/Demo.long.pg.test.ts": "move/Move.gate.pg.test.ts",
  "upgrade/Rolling.long.pg.redis.test.ts": "upgrade/Upgrade.gate.pg.redis.test.ts"
}

const stem = (file: string): string => join(dirname(file), file.slice(dirname(file).length).split(".")[0]!)

describe("a test file", () => {
  it("that starts a process says why in its first comment", () => {
    const silent = files.filter((file) => {
      const text = read(file)
      return /\bstart(Api)?Process\(/.test(text) && !/process/i.test(text.split("*/")[0]!)
    })
    expect(silent).toEqual([])
  })

  it("of the first two tiers asserts no upper bound of elapsed time", () => {
    const measured = /(performance\.now\(\)|Date\.now\(\)|cpuUsage\(\)?|[mM]illis)[^\n]*\)\.toBeLessThan(OrEqual)?\(/
    const wrong = files
      .filter((file) => !isLong(file))
      .flatMap((file) =>
        read(file)
          .split("\n")
          .flatMap((line, at) => (measured.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : []))
      )
    expect(wrong).toEqual([])
  })

  it("of the long tier has a smaller sibling in the first two", () => {
    const others = new Set(files.filter((file) => !isLong(file)))
    const stems = new Set(Array.from(others, stem))
    const alone = files.filter((file) => isLong(file) && !stems.has(stem(file)) && !others.has(siblings[file] ?? ""))
    expect(alone).toEqual([])
  })
})
