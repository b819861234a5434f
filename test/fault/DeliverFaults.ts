/** Faults of the suite `deliver` in addition to the general ones: above all at the boundaries of an attempt's steps. */
import { usualPace } from "../../src/eventloop/Pace.ts"
import { type Fault, type Scene, faults, halfOpen } from "./Faults.ts"
import type { Disturbance } from "./AttemptOracle.ts"
import { nameIn, webhook } from "./Committed.ts"
import { Ledger } from "./Ledger.ts"
import { storeFaults } from "./StoreFaults.ts"
import type { HostileReceiver, Step } from "./HostileReceiver.ts"
import type { Random } from "./Random.ts"
import { pause } from "./Timeline.ts"

export interface DeliverScene extends Scene {
  readonly receiver: HostileReceiver
  readonly disturbances: Array<Disturbance>
  readonly doomed: Doomed
}

/** The webhook that a fault deletes. */
export interface Doomed {
  name: string
  isDeleted: boolean
}

type DeliverFault = Fault<DeliverScene>

/** Longest wait for a request, milliseconds: there may be none any more. */
const stepMillis = 3000

/** Kills something when a request has arrived, or while its answer is on the way. */
const atStep = (name: string, act: (scene: DeliverScene, random: Random) => void): DeliverFault => ({
  name,
  weight: 3,
  act: async (scene, random, note) => {
    const step = random.pick<Step>(["arrived", "answered"])
    await Promise.race([scene.receiver.atNext(step), pause(stepMillis)])
    act(scene, random)
    note(`a request had ${step}`)
  }
})

/** All that only settling names at once: the outcome is in the log, and Redis does not know it yet. */
const settling = [":queue", ":later", ":blocked"]

const beforeSettling: DeliverFault = {
  name: "kill a service between the log and the stream",
  weight: 3,
  act: async ({ world }, random, note) => {
    const { service, redis } = random.pick(world.sites)
    const sprung = new Promise<void>((resolve) => {
      redis.trap = {
        texts: settling,
        spring: () => {
          service.kill()
          note(`${service.name} was about to settle`)
          resolve()
        }
      }
    })
    await Promise.race([sprung, pause(stepMillis)])
    redis.trap = undefined
  }
}

const deletion: DeliverFault = {
  name: "a webhook is deleted",
  weight: 2,
  act: async (scene, random, note) => {
    const { doomed, world } = scene
    if (doomed.isDeleted) return note("it is deleted already")
    // Before the statement: the same fault may begin again while this one waits.
    doomed.isDeleted = true
    const ledger = new Ledger(world.databaseUrl)
    const label = nameIn(world.seed, `deletion.${random.between(0, 1e9)}`)
    const { name } = doomed
    const fate = await ledger.attempt(label, [`delete from extras_webhook where name = '${name}'`])
    await ledger.close()
    scene.committed.add({ label, changes: [{ kind: webhook, key: name, from: 1, to: undefined }], messages: 2, fate })
    doomed.isDeleted = fate !== "aborted"
    note(`the deletion is ${fate}`)
  }
}

const own: ReadonlyArray<DeliverFault> = [
  beforeSettling,
  deletion,
  {
    name: "a clock jumps",
    weight: 3,
    act: async ({ world }, random, note) => {
      const service = random.pick(world.services)
      service.jump()
      note(service.name)
    }
  },
  atStep("kill a service over an attempt", ({ world }, random) => random.pick(world.services).kill()),
  atStep("stop Postgres over an attempt", ({ world }) => void process.kill(world.pids.postgres, "SIGQUIT")),
  atStep("kill Redis over an attempt", ({ world }) => void process.kill(world.pids.redis, "SIGKILL")),
  {
    name: "Redis closes all connections",
    weight: 2,
    act: async ({ world }) => void (await world.redis.call("CLIENT", "KILL", "TYPE", "normal"))
  },
  {
    name: "end all sessions of Postgres",
    weight: 1,
    act: async ({ world }) =>
      void (await world.sql.query(
        "select pg_terminate_backend(pid)::text from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'"
      ))
  }
]

/** Others take over its entries meanwhile; when it wakes up it continues with them. */
const pastTheLease: DeliverFault = {
  name: "stop a service for longer than its lease",
  weight: 0,
  act: async ({ world }, random, note) => {
    const service = random.pick(world.services)
    const goOn = service.freeze()
    const millis = usualPace.stream.leaseMillis + random.between(2000, 8000)
    await pause(millis)
    goOn()
    note(`${service.name} for ${millis} ms`)
  }
}

/**
 * Time after a fault in which whoever it concerns has noticed, milliseconds; a dead connection to Postgres shows only
 * when it has owed an answer for too long.
 */
const noticeMillis = 10_000
const deadMillis = 90_000

/** Remembers when they were. */
const noted = (fault: DeliverFault): DeliverFault => ({
  ...fault,
  act: async (scene, random, note) => {
    const disturbance = { fault: fault.name, from: scene.receiver.millis, to: Number.POSITIVE_INFINITY }
    scene.disturbances.push(disturbance)
    await fault.act(scene, random, note)
    disturbance.to = scene.receiver.millis + (fault.name === halfOpen ? deadMillis : noticeMillis)
  }
})

export const deliverFaults = [...faults, ...storeFaults, ...own].map(noted)
export const lastingFault = noted(pastTheLease)
