/**
 * A full disk under the embedded servers: the service says so, outlives it, and goes on when there is space again.
 * A process, because it owns the servers.
 */
import { execFileSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { needs } from "../support/Ledger.ts"

/** A disk of its own in memory, which only root may mount. */
let directory: string
let isMounted = false
let service: ServiceProcess
let receiver: Receiver

const mounts = () => {
  const folder = mkdtempSync(join(tmpdir(), "rackwire-mount-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" })
    execFileSync("umount", [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const canMount = needs("the right to mount a file system", mounts(), "run the tests as root")

beforeAll(async () => {
  if (!canMount) return
  directory = mkdtempSync(join(tmpdir(), "rackwire-disk-"))
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=320m,mode=700", "tmpfs", directory])
  isMounted = true
  receiver = await startReceiver()
  service = await startProcess({ RACKWIRE_DATA_DIR: join(directory, "data") })
})

afterAll(async () => {
  await service?.stop()
  await receiver?.close()
  if (!isMounted) return
  execFileSync("umount", ["-l", directory])
  rmSync(directory, { recursive: true, force: true })
})

/** Takes all the space that is left; returns a function that frees it. */
const fill = (): (() => void) => {
  const file = join(directory, "full")
  const descriptor = openSync(file, "a")
  for (let size = 1 << 20; size >= 1;) {
    try {
      writeSync(descriptor, Buffer.alloc(size))
    } catch {
      size >>= 1
    }
  }
  closeSync(descriptor)
  return () => rmSync(file)
}

const pids = (): ReadonlyArray<number> => {
  const owner = readFileSync(join(directory, "data", "owner.json"), "utf8")
  return (JSON.parse(owner) as { servers: ReadonlyArray<{ pid: number }> }).servers.map(({ pid }) => pid)
}

const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

const isPostgres = (pid: number): boolean =>
  isAlive(pid) && readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("postgres")

/** Requests that the service takes while its disk is full. */
const writesWhileFull = 50

const health = async () => {
  const reply = await fetch(`${service.url}/health/ready`)
  return { status: reply.status, text: await reply.text() }
}

const makeTag = (n: number) =>
  service.call("POST", "/api/extras/tags/", { name: `Tag ${n}`, slug: `tag-${n}`, description: "x".repeat(180) })

const slugsReceived = () =>
  new Set(receiver.received.map(({ body }) => (JSON.parse(body.toString()) as { data: { slug: string } }).data.slug))

const unhurried = { interval: 250 }

describe.runIf(canMount)("a full disk", () => {
  it("is told, ends nothing, and loses nothing when there is space again", async () => {
    const webhook = { name: "all", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url }
    expect((await service.call("POST", "/api/extras/webhooks/", webhook)).status).toBe(201)
    const made: Array<number> = []
    let next = 0
    const makeMore = async () => {
      const n = next++
      const reply = await makeTag(n).catch(() => undefined)
      if (reply?.status === 201) made.push(n)
    }
    for (let turn = 0; turn < 5; turn++) await makeMore()
    expect(made).toHaveLength(5)
    for (let round = 0; round < 2; round++) {
      const before = pids()
      const free = fill()
      await expect.poll(health, unhurried).toMatchObject({ status: 503 })
      for (let turn = 0; turn < writesWhileFull; turn++) await makeMore()
      // A server that cannot write its log ends. This one may have free files of its log, so the test ends it.
      const postgres = before.find(isPostgres)
      if (postgres !== undefined) process.kill(postgres, "SIGQUIT")
      await eventually("a server has ended", () => Promise.resolve(before.some((pid) => !isAlive(pid))))
      // Long enough for several starts that fail.
      await new Promise((resolve) => setTimeout(resolve, 8000))
      expect((await health()).status).toBe(503)
      expect(service.process.exitCode).toBeNull()
      free()
      await expect.poll(health, unhurried).toMatchObject({ status: 200 })
      await expect.poll(() => pids().filter(isAlive).length, unhurried).toBe(2)
    }
    const from = made.length
    await eventually("a tag is made", async () => {
      await makeMore()
      return made.length > from
    })
    // The transaction of a request that was answered 503 may be committed all the same.
    await eventually("all arrived", () => made.every((n) => slugsReceived().has(`tag-${n}`)))
  })
})
