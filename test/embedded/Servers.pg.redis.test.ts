/** Embedded servers through the lives of the processes that own them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openSql } from "../support/Database.ts"
import { type Service, startService } from "../support/Service.ts"

interface Owner {
  readonly databaseUrl: string
  readonly servers: ReadonlyArray<{ readonly pid: number }>
}

let directory: string
const running = new Set<Service>()

beforeEach(() => {
  // As a clone in /root or in `mktemp -d`: nobody else may enter.
  directory = mkdtempSync(join(tmpdir(), "rackwire-embedded-"))
})

afterEach(async () => {
  await Promise.all([...running].map((service) => service.stop("SIGKILL")))
  running.clear()
  await until(() => serverPids().every((pid) => !isAlive(pid)))
  rmSync(directory, { recursive: true, force: true })
})

const start = async (folder = directory): Promise<Service> => {
  const service = await startService({ RACKWIRE_DATA_DIR: folder })
  running.add(service)
  return service
}

const stop = async (service: Service, signal: NodeJS.Signals): Promise<void> => {
  running.delete(service)
  await service.stop(signal)
}

const owner = (folder = directory): Owner => JSON.parse(readFileSync(join(folder, "owner.json"), "utf8")) as Owner

const seen = new Set<number>()
const serverPids = (): ReadonlyArray<number> => {
  try {
    for (const { pid } of owner().servers) seen.add(pid)
  } catch {
    // Nobody owns it any more.
  }
  return [...seen]
}

const isAlive = (pid: number): boolean => {
  try {
    // A server whose parent was killed stays as a zombie until the system's first process has looked.
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

const until = async (condition: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(condition()).toBe(true)
}

describe("embedded servers", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const) {
    it(`end with their owner's ${signal}, and keep their data for the next`, { timeout: 60_000 }, async () => {
      const first = await start()
      const pids = serverPids()
      expect(pids.filter(isAlive).length).toBe(2)
      await first.call("POST", "/api/extras/tags/", { name: "Kept", slug: "kept" })
      await stop(first, signal)
      await until(() => pids.every((pid) => !isAlive(pid)))
      const second = await start()
      const tags = await second.call<{ count: number }>("GET", "/api/extras/tags/?slug=kept")
      expect(tags.json.count).toBe(1)
    })
  }

  it("run side by side in two data directories, and answer only who knows the password", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rackwire-embedded-"))
    const [one, two] = await Promise.all([start(), start(folder)])
    expect(one.url).not.toBe(two.url)
    const url = new URL(owner().databaseUrl)
    url.password = "guess"
    await expect(openSql(url.href).query("select 1 as one")).rejects.toThrow("password authentication failed")
    await stop(two, "SIGTERM")
    rmSync(folder, { recursive: true, force: true })
  })

  it("serve a second process of the same data directory, which starts none", async () => {
    await start()
    const before = owner().servers
    const second = await start()
    expect(owner().servers).toEqual(before)
    await second.call("POST", "/api/extras/tags/", { name: "Shared", slug: "shared" })
    await stop(second, "SIGTERM")
    expect(before.every(({ pid }) => isAlive(pid))).toBe(true)
  })

  it("start where a crash left lock files that name other processes", async () => {
    await stop(await start(), "SIGTERM")
    const stale = `${process.pid}\n/somewhere\n0\n5432\n\nlocalhost\n0 0\nready\n`
    writeFileSync(join(directory, "postgres", "postmaster.pid"), stale)
    writeFileSync(
      join(directory, "owner.json"),
      JSON.stringify({ process: { pid: process.pid, started: "long ago" }, servers: [], databaseUrl: "", redisUrl: "" })
    )
    const service = await start()
    expect((await service.call("GET", "/api/extras/tags/")).status).toBe(200)
  })
})
