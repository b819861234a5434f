/**
 * The failovers of docs/operating.md, each three times, by one process and by three with a role each, as processes of
 * their own: the primary of Postgres dies, the primary of Redis dies behind Sentinels, and both kinds of process are
 * restarted in turn while Postgres fails over. Nothing is lost or sent twice by its id.
 */
import { setTimeout as pause } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import type { Role } from "../../src/Service.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type PostgresPair, hasFailoverSlots, startPostgresPair } from "../support/PostgresPair.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { hasRedisCluster } from "../support/RedisCluster.ts"
import { type Sentinels, startSentinels } from "../support/Sentinels.ts"

const times = [1, 2, 3]

/** Sites before the fault, and after it. */
const sitesMin = 50

interface Scene {
  readonly pair: PostgresPair
  readonly sentinels: Sentinels
  readonly receiver: Receiver
  /** By its roles; the first has the API. */
  readonly processes: Array<ServiceProcess>
  readonly restart: (at: number) => Promise<void>
}

let running: Scene | undefined

const topologies: ReadonlyArray<readonly [name: string, roles: ReadonlyArray<ReadonlyArray<Role>>]> = [
  ["one process", [["api", "capture", "deliver"]]],
  ["three processes", [["api"], ["capture"], ["deliver"]]]
]

const faults: ReadonlyArray<readonly [name: string, act: (scene: Scene) => Promise<unknown>]> = [
  ["the primary of Postgres dies", ({ pair }) => pair.failOver()],
  [
    "the primary of Redis dies",
    async ({ sentinels }) => {
      const [first, second] = sentinels.servers
      first.process.kill("SIGKILL")
      await eventually("the replica is promoted", async () => (await sentinels.primaryPort()) === second.port, {
        millis: 60_000
      })
    }
  ],
  [
    "every process is restarted while the primary of Postgres dies",
    async ({ pair, processes, restart }) => {
      const promoted = pair.failOver()
      for (const at of processes.keys()) await restart(at)
      await promoted
    }
  ]
]

const start = async (roles: ReadonlyArray<ReadonlyArray<Role>>): Promise<Scene> => {
  const pair = await startPostgresPair()
  const sentinels = await startSentinels()
  const receiver = await startReceiver()
  const environment = {
    DATABASE_URL: pair.urlAt(`127.0.0.1:${pair.primaryPort},127.0.0.1:${pair.standbyPort}`),
    REDIS_URL: sentinels.url(),
    SECRET_KEY: "a key for tests, of sufficient length"
  }
  const processes: Array<ServiceProcess> = []
  for (const each of roles) processes.push(await startProcess(environment, { roles: each }))
  const restart = async (at: number) => {
    await processes[at]!.stop()
    processes[at] = await startProcess(environment, { roles: roles[at]! })
  }
  return (running = { pair, sentinels, receiver, processes, restart })
}

afterEach(async () => {
  if (running === undefined) return
  for (const process of running.processes) await process.stop("SIGKILL")
  await running.receiver.close()
  await running.sentinels.stop()
  await running.pair.stop()
  running = undefined
})

/** Creates sites until it has to end, and notes when it could. */
const write = (scene: Scene) => {
  const over = new AbortController()
  const made: Array<{ readonly slug: string; readonly at: number }> = []
  const failed = new Map<number, number>()
  const writing = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const api = scene.processes[0]!
      const reply = await api.call("POST", "/api/dcim/sites/", named(`site-${n}`)).catch(() => undefined)
      if (reply?.status === 201) made.push({ slug: `site-${n}`, at: performance.now() })
      else {
        failed.set(reply?.status ?? 0, (failed.get(reply?.status ?? 0) ?? 0) + 1)
        await pause(50)
      }
    }
  })()
  const end = () => {
    over.abort()
    return writing
  }
  return { made, failed, end }
}

const slotIsSynced =
  "exists (select from pg_replication_slots where slot_name = 'rackwire' and synced and not temporary)"

describe.runIf(hasRedisCluster && hasFailoverSlots).each(topologies)("%s", (topology, roles) => {
  describe.each(faults)("%s", (name, act) => {
    it.each(times)("loses nothing, time %i", { timeout: 400_000 }, async () => {
      const scene = await start(roles)
      const { pair, processes, receiver } = scene
      const webhook = { name: "sites", content_types: ["dcim.site"], type_create: true, payload_url: receiver.url }
      expect((await processes[0]!.call("POST", "/api/extras/webhooks/", webhook)).status).toBe(201)
      await eventually(
        "the standby has the slot",
        async () => (await pair.standby.query(`select 1 as one where ${slotIsSynced}`)).length > 0,
        { everyMillis: 200 }
      )
      const { made, failed, end } = write(scene)
      await eventually("sites are created", () => made.length > sitesMin)
      const began = performance.now()
      const beganAt = Date.now()
      await act(scene)
      const before = made.length
      await eventually("sites are created again", () => made.length > before + sitesMin)
      await end()
      const bodies = () =>
        receiver.received.map(({ body }) => JSON.parse(body.toString()) as { data: { slug: string } })
      const arrived = () => new Set(bodies().map(({ data }) => data.slug))
      await eventually(
        "all are delivered",
        () => {
          const slugs = arrived()
          return made.every(({ slug }) => slugs.has(slug))
        },
        { everyMillis: 500 }
      )
      const ids = receiver.received.map(({ headers }) => String(headers["x-hook-delivery"]))
      const twice = ids.length - new Set(ids).size
      // The longest silence is that of the failover.
      const gapOf = (moments: ReadonlyArray<number>, from: number) =>
        moments
          .filter((at) => at > from)
          .reduce(({ longest, last }, at) => ({ longest: Math.max(longest, at - last), last: at }), {
            longest: 0,
            last: from
          }).longest
      const [writes, deliveries] = [
        gapOf(
          made.map(({ at }) => at),
          began
        ),
        gapOf(
          receiver.received.map(({ at }) => at),
          beganAt
        )
      ].map((millis) => (millis / 1000).toFixed(1))
      const refused = [...failed].map(([status, count]) => `${count} x ${status}`).join(", ") || "none"
      console.log(
        `${topology} | ${name} | ${made.length} sites, lost 0, twice ${twice} | no write for ${writes} s | no delivery for ${deliveries} s | failed requests: ${refused}`
      )
      expect(twice).toBe(0)
      expect(failed.has(500)).toBe(false)
    })
  })
})
