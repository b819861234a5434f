/**
 * Postgres and Redis are restored together from one backup: no delivery gets an id that another one had.
 * A process, because it owns the servers.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { named } from "../support/Client.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { runCommand } from "../support/Command.ts"

let directory: string
let service: ServiceProcess
let receiver: Receiver

const data = () => join(directory, "data")
const environment = () => ({ RACKWIRE_DATA_DIR: data() })

const copy = (from: string, to: string): void => {
  const { status, stderr } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "rackwire-restored-"))
  receiver = await startReceiver()
  service = await startProcess(environment())
  await service.call("POST", "/api/extras/webhooks/", {
    name: "sites",
    content_types: ["dcim.site"],
    type_create: true,
    payload_url: receiver.url
  })
})

afterAll(async () => {
  await service.stop()
  await receiver.close()
  rmSync(directory, { recursive: true, force: true })
})

const create = async (...names: ReadonlyArray<string>): Promise<void> => {
  for (const name of names) {
    await service.make("dcim/sites", named(name))
    await receiver.until(({ body }) => body.includes(`"name":"${name}"`), name)
  }
}

/** Slugs by the id of their delivery. */
const meanings = () => {
  const all = new Map<string, Set<string>>()
  for (const { headers, body } of receiver.received) {
    const { data } = JSON.parse(body.toString()) as { readonly data: { readonly slug: string } }
    const id = String(headers["x-hook-delivery"])
    all.set(id, (all.get(id) ?? new Set()).add(data.slug))
  }
  return all
}

const positionOf = (id: string) => BigInt(id.split("-")[1]!)

const names = (prefix: string) => Array.from({ length: 12 }, (_, n) => `${prefix}-${n}`)

describe("a backup of both stores that is restored", () => {
  it("begins a new epoch by itself where the files show it", async () => {
    await create("before")
    await service.stop()
    copy(data(), join(directory, "backup"))
    service = await startProcess(environment())
    await create(...names("lost"))
    await service.stop()
    const highest = [...meanings().keys()]
      .map(positionOf)
      .toSorted((a, b) => (a < b ? -1 : 1))
      .at(-1)!
    renameSync(data(), join(directory, "gone"))
    copy(join(directory, "backup"), data())
    service = await startProcess(environment())
    await create(...names("again"))
    const reused = [...meanings()].filter(([, slugs]) => slugs.size > 1)
    expect(reused).toEqual([])
    // Most positions differ by chance; so none may lie where the lost ones were.
    const again = [...meanings()].filter(([, slugs]) => [...slugs].some((slug) => slug.startsWith("again")))
    expect(again.filter(([id]) => positionOf(id) <= highest)).toEqual([])
    expect(service.output()).toContain("the data directory is a copy")
  })

  it("begins a new epoch by command, once", async () => {
    const last = [...meanings().keys()].at(-1)!
    const told = await runCommand(["restored"], { env: environment() })
    expect(told).toEqual({ code: 0, output: expect.stringContaining("Epoch 2 begins") })
    await expect.poll(service.output).toContain("epoch 2, generation")
    await create("after", "later")
    expect(positionOf([...meanings().keys()].at(-1)!) >> 52n).toBe(2n)
    expect(positionOf(last) >> 52n).toBe(1n)
    // Positions of this epoch are beyond 2^53, and the logs take them too.
    const logged = async (path: string) =>
      (await service.call<{ readonly count: number }>("GET", `/api/extras/${path}`)).json.count
    await expect.poll(() => logged("object-changes/?q=later")).toBe(1)
    const webhook = (
      await service.call<{ readonly results: ReadonlyArray<{ id: number }> }>("GET", "/api/extras/webhooks/")
    ).json.results[0]!.id
    await expect
      .poll(() => logged(`deliveries/?webhook_id=${webhook}&q=${[...meanings().keys()].at(-1)}&status=successful`))
      .toBe(1)
  })
})
