/**
 * A world of the suite `restore`: in each seed Postgres and Redis go back to a backup of both, at any moment and after
 * any end of the service. No delivery may have the id of another one, of whatever seed.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { named } from "../support/Client.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { DataDirectory } from "../../src/embedded/DataDirectory.ts"
import { eventually } from "../support/Eventually.ts"
import { nameIn } from "./Committed.ts"
import { Differences } from "./Differences.ts"
import { Random } from "./Random.ts"
import type { Suite, Verdict } from "./Suite.ts"
import { Timeline, pause } from "./Timeline.ts"

/** Most sites that are written in one part of a run. */
const sitesMax = 60

/** Longest pause after which the service is stopped or killed, milliseconds. */
const stopMillis = 400

/** Most time for the servers of a killed service to end, milliseconds. */
const orphanMillis = 20_000

const copy = (from: string, to: string): void => {
  const { status, stderr } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" })
  if (status !== 0) throw new Error(`the backup cannot be copied: ${stderr}`)
}

class Run {
  readonly differences = new Differences()
  readonly timeline = new Timeline()
  readonly directory: string
  private seed: number
  private random: Random
  private readonly receiver: Receiver
  private service: ServiceProcess | undefined

  constructor(seed: number, receiver: Receiver) {
    this.directory = mkdtempSync(join(tmpdir(), `rackwire-restore-${seed}-`))
    this.seed = seed
    this.random = new Random(`restore ${seed}`)
    this.receiver = receiver
  }

  /** Begins a seed where the one before ended. */
  begin(seed: number): void {
    this.seed = seed
    this.random = new Random(`restore ${seed}`)
    for (const name of ["backup", "lost"]) rmSync(join(this.directory, name), { recursive: true, force: true })
    this.timeline.note(`seed ${seed} begins`)
  }

  get data(): string {
    return join(this.directory, "data")
  }

  get requests(): number {
    return this.receiver.received.length
  }

  async start(): Promise<void> {
    this.service = await startProcess({ RACKWIRE_DATA_DIR: this.data })
  }

  async makeWebhook(): Promise<void> {
    await this.service!.call("POST", "/api/extras/webhooks/", {
      name: "sites",
      content_types: ["dcim.site"],
      type_create: true,
      payload_url: this.receiver.url
    })
  }

  /** Writes sites and returns their slugs. */
  async write(part: string): Promise<ReadonlyArray<string>> {
    const names = Array.from({ length: this.random.between(1, sitesMax) }, (_, n) => nameIn(this.seed, `${part} ${n}`))
    for (const name of names) await this.service!.call("POST", "/api/dcim/sites/", named(name))
    this.timeline.note(`${names.length} sites: ${part}`)
    return names.map((name) => named(name).slug)
  }

  /** Stops or kills the service. */
  async stop(): Promise<void> {
    await pause(this.random.between(0, stopMillis))
    const signal = this.random.pick(["SIGTERM", "SIGKILL"] as const)
    await this.service?.stop(signal)
    // The servers of a service that was killed end by themselves, and only then the files are at rest.
    await eventually("the servers have ended", () => new DataDirectory(this.data).orphans().length === 0, {
      millis: orphanMillis
    })
    this.timeline.note(`the service ended by ${signal}`)
  }

  backUp(): void {
    copy(this.data, join(this.directory, "backup"))
  }

  /** The highest position that a receiver knows. */
  private highest = 0n

  restore(): void {
    this.highest = this.positions().reduce((highest, [, each]) => (each > highest ? each : highest), 0n)
    renameSync(this.data, join(this.directory, "lost"))
    copy(join(this.directory, "backup"), this.data)
    this.timeline.note("the backup is restored")
  }

  /** Slugs and positions of what arrived. */
  private positions(): ReadonlyArray<readonly [slug: string, position: bigint, id: string]> {
    return this.receiver.received.map(({ headers, body }) => {
      const id = String(headers["x-hook-delivery"])
      const { slug } = (JSON.parse(body.toString()) as { readonly data: { readonly slug: string } }).data
      return [slug, BigInt(id.split("-")[1]!), id]
    })
  }

  /** `after`: what was written after the backup was restored. */
  async compare(slugs: ReadonlyArray<string>, after: ReadonlyArray<string>): Promise<void> {
    const arrived = () => this.receiver.received.map(({ body }) => body.toString())
    await this.receiver
      .untilAll(() => slugs.every((slug) => arrived().some((body) => body.includes(`"slug":"${slug}"`))))
      .catch((error: Error) => this.differences.add(`not all sites arrived: ${error.message}`))
    const meanings = new Map<string, string>()
    for (const [slug, position, id] of this.positions()) {
      // Most positions differ by chance; so none may lie where the lost ones were.
      if (after.includes(slug) && position <= this.highest) this.differences.add(`delivery ${id} is not a new position`)
      const known = meanings.get(id) ?? slug
      if (known !== slug) this.differences.add(`delivery ${id} meant ${known} and ${slug}`)
      meanings.set(id, known)
    }
  }

  async end(keep: boolean): Promise<void> {
    await this.service?.stop()
    await this.receiver.close()
    if (!keep) rmSync(this.directory, { recursive: true, force: true })
  }
}

export const restore: Suite = async (first) => {
  const run = new Run(first, await startReceiver())
  const end = (forget: boolean) => run.end(!forget)
  try {
    await run.start()
    await run.makeWebhook()
    return { run: (seed) => runSeed(run, seed), end }
  } catch (error) {
    await end(false)
    throw error
  }
}

const runSeed = async (run: Run, seed: number): Promise<Verdict> => {
  run.begin(seed)
  const before = await run.write("before")
  await run.stop()
  run.backUp()
  await run.start()
  await run.write("lost")
  await run.stop()
  run.restore()
  await run.start()
  const began = performance.now()
  const after = await run.write("after")
  await run.compare([...before, ...after], after)
  const settleMillis = Math.round(performance.now() - began)
  const { differences, timeline, directory, requests } = run
  return { differences, timeline, directory, settleMillis, summary: `${requests} requests` }
}
