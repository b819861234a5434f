/**
 * Bystanders while a service is attacked: a health probe, a client that reads one object, a receiver that waits for a
 * change of its own webhook. Each asks in turn, on a connection of its own, from `watch` until `stop`.
 */
import { readFileSync, readdirSync } from "node:fs"
import { Agent, request } from "undici"
import { expect } from "vitest"
import type { Api } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

/** Time between two probes of a kind, milliseconds. */
const probePause = 50

/** Longest that anybody may wait on a busy machine with two cores, milliseconds. */
export const waitMax = 1_000

/** Memory that an attack may cost, megabytes over idle. */
export const memoryMax = 300

/** Memory of a process in all, megabytes. */
export const residentMax = 1024

/** Time after which a probe counts as lost, milliseconds. */
const lostAfter = 60_000

/** Descriptors that an attack may cost: connections in both directions, over idle. */
export const descriptorsMax = 2_000

/** The service that is attacked, as processes of its own. */
type Attacked = Pick<Api<ServiceProcess>, "service" | "call" | "make" | "newToken"> & {
  readonly database: Pick<Api["database"], "sql">
  /** Processes of roles other than that of `service`; none if it has all. */
  readonly others?: ReadonlyArray<ServiceProcess>
}

export interface Observation {
  /** Milliseconds each, ascending. */
  readonly health: ReadonlyArray<number>
  readonly read: ReadonlyArray<number>
  /** From before the change was committed to its receipt. */
  readonly receipt: ReadonlyArray<number>
  /** Most resident memory of a process over what it held before, megabytes. */
  readonly megabytes: number
  /** Most resident memory of a process, megabytes. */
  readonly resident: number
  /** Most descriptors of a process over those that it had before. */
  readonly descriptors: number
}

export class Bystander {
  private readonly api: Attacked
  private readonly token: string
  private readonly receiver: Receiver
  private readonly region: number

  private constructor(api: Attacked, token: string, receiver: Receiver, region: number) {
    this.api = api
    this.token = token
    this.receiver = receiver
    this.region = region
  }

  /** Makes a region, a webhook for regions, and waits until its first event arrived. */
  static async arrive(api: Attacked): Promise<Bystander> {
    const receiver = await startReceiver()
    await api.make("extras/webhooks", {
      name: "bystander",
      content_types: ["dcim.region"],
      type_create: true,
      type_update: true,
      payload_url: receiver.url
    })
    const region = await api.make("dcim/regions", { name: "bystander", slug: "bystander" })
    await receiver.until(() => true, "the bystander's first event")
    return new Bystander(api, await api.newToken(), receiver, region)
  }

  /**
   * Observations while the attack runs. Rejects as the attack does. The attack gets a function that waits until each
   * bystander has got so many more answers.
   */
  async during(attack: (served: (times: number) => Promise<void>) => Promise<unknown>): Promise<Observation> {
    // Changes that an earlier attack left to capture do not count for this one.
    await this.change()
    const processes = [this.api.service, ...(this.api.others ?? [])].map(({ process }) => process.pid!)
    const before = processes.map(held)
    let [megabytes, resident, descriptors] = [0, 0, 0]
    const attacking = new AbortController()
    const answered: Array<ReadonlyArray<number>> = []
    const repeat = async (probe: () => Promise<number>): Promise<ReadonlyArray<number>> => {
      const waits: Array<number> = []
      answered.push(waits)
      do {
        waits.push(await probe())
        for (const [at, pid] of processes.entries()) {
          const now = held(pid)
          resident = Math.max(resident, now.resident)
          megabytes = Math.max(megabytes, now.resident - before[at]!.resident)
          descriptors = Math.max(descriptors, now.descriptors - before[at]!.descriptors)
        }
        await new Promise((resolve) => setTimeout(resolve, probePause))
      } while (!attacking.signal.aborted)
      return waits.toSorted((a, b) => a - b)
    }
    const [health, reader] = [new Agent(), new Agent()]
    const probes = Promise.all([
      repeat(() => this.ask(health, "/health/live")),
      repeat(() => this.ask(reader, `/api/dcim/regions/${this.region}/`)),
      repeat(() => this.change())
    ])
    const served = async (times: number) => {
      // The answer to a probe that was under way does not count.
      const wanted = answered.map(({ length }) => length + times + 1)
      const isServed = () => answered.every(({ length }, at) => length >= wanted[at]!)
      await Promise.race([eventually("all bystanders are served", isServed, { millis: 2 * lostAfter }), probes])
    }
    try {
      await attack(served)
    } finally {
      attacking.abort()
      await Promise.allSettled([probes])
      await Promise.all([health.close(), reader.close()])
    }
    const [live, read, receipt] = await probes
    return { health: live, read, receipt, megabytes, resident, descriptors }
  }

  leave(): Promise<void> {
    return this.receiver.close()
  }

  private async ask(dispatcher: Agent, path: string): Promise<number> {
    const from = performance.now()
    const { statusCode, body } = await request(this.api.service.url + path, {
      dispatcher,
      headers: { authorization: `Token ${this.token}` },
      headersTimeout: lostAfter
    })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`)
    return performance.now() - from
  }

  /** Changes the region by plain SQL, so that the API has no part in it. */
  private async change(): Promise<number> {
    const mark = `${performance.now()}`
    const from = performance.now()
    await this.api.database.sql.query("update dcim_region set description = $1 where id = $2", [mark, this.region])
    const seen = this.receiver.received.length
    await this.receiver.untilAll(
      (all) => all.slice(Math.max(0, seen - 1)).some(({ body }) => body.includes(mark)),
      lostAfter
    )
    return performance.now() - from
  }
}

/** The memory and the descriptors that a process holds now. */
const held = (pid: number): Pick<Observation, "resident" | "descriptors"> => ({
  resident: Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
  descriptors: readdirSync(`/proc/${pid}/fd`).length
})

type Kind = keyof Observation

/**
 * By kind: the longest wait (of a hundred reads, the second longest) or the most that was held; and which passed its
 * limit, but for one that is not looked at.
 */
export const excessOf = ({ health, read, receipt, ...most }: Observation, but?: Kind) => {
  const told: Readonly<Record<Kind, number>> = {
    health: health.at(-1)!,
    read: read[Math.ceil(read.length * 0.99) - 1]!,
    receipt: receipt.at(-1)!,
    ...most
  }
  const allowed: typeof told = {
    ...{ health: waitMax, read: waitMax, receipt: waitMax },
    ...{ megabytes: memoryMax, resident: residentMax, descriptors: descriptorsMax }
  }
  const passed = (Object.keys(allowed) as ReadonlyArray<Kind>).filter(
    (kind) => kind !== but && told[kind] > allowed[kind]
  )
  return { told, passed }
}

/** Memory and descriptors of the service stayed within the limits, however long somebody waited. */
export const expectSmall = (observed: Observation): void => {
  const { passed, told } = excessOf(observed)
  const large = passed.filter((kind) => kind !== "health" && kind !== "read" && kind !== "receipt")
  expect({ large, told }).toEqual({ large: [], told })
}

/** Nobody waited for longer than a second, and the service held no more than allowed. */
export const expectCalm = (observed: Observation, but?: Kind): void => {
  const { passed, told } = excessOf(observed, but)
  expect({ passed, told }).toEqual({ passed: [], told })
}
