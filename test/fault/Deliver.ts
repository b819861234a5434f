/**
 * A world of the suite `deliver`: a hostile receiver, faults at the boundaries of an attempt's steps, and after its last
 * seed a calm time in which nothing may be sent twice, or sent by a disabled webhook.
 */
import { keysOf } from "../../src/queue/Keys.ts"
import { ApiWriter } from "./ApiWriter.ts"
import { type Disturbance, acceptedBy, compareAttempts, isLoss } from "./AttemptOracle.ts"
import { calmTime, ofCalmTime } from "./Calm.ts"
import { Committed, nameIn } from "./Committed.ts"
import { type Doomed, deliverFaults, lastingFault } from "./DeliverFaults.ts"
import { Differences } from "./Differences.ts"
import { HostileReceiver } from "./HostileReceiver.ts"
import { compareOrder, compareRate } from "./PaceOracle.ts"
import { carryOut, planOf } from "./Plan.ts"
import { Random } from "./Random.ts"
import { compareCommitted, compareServices, settle } from "./Settle.ts"
import { SqlWriter } from "./SqlWriter.ts"
import { compareStream } from "./StreamOracle.ts"
import type { RunOptions, Suite, Verdict } from "./Suite.ts"
import { type Rows, always, changeWebhook, makeWebhooks } from "./Webhooks.ts"
import { World } from "./World.ts"

/** Part of the seeds in which a process is stopped for longer than its lease. */
const lastingPart = 0.15

/** Most rows of one statement: attempts take their time. */
const rowsMax = 20

const places = ["dcim.site", "dcim.region"]
/** Two delays: three attempts. */
const delays = [0.3, 0.6]
/** Attempts per second. */
const rate = 40

/** Fields of the webhook that a fault deletes. */
const brief = { ...always, content_types: places, timeout: 2 }

const rowsOf = ({ secureUrl, certificate, leaving }: HostileReceiver): Rows => ({
  everything: { ...always, timeout: 2 },
  narrow: { ...always, content_types: places, timeout: 2, max_in_flight: 2 },
  limited: { ...always, content_types: places, timeout: 2, retry_schedule: { kind: "list", delays } },
  ordered: { ...always, content_types: ["dcim.region"], timeout: 2, ordering: "object" },
  batched: { ...always, timeout: 2, batch: { size: 10, seconds: 0.2 } },
  together: {
    ...{ ...always, content_types: places, timeout: 2 },
    ...{ ordering: "object", batch: { size: 5, seconds: 0.1 } }
  },
  paced: { ...always, content_types: ["extras.tag"], timeout: 2, rate_limit: rate },
  secure: {
    ...{ ...always, content_types: ["extras.tag"], timeout: 2 },
    ...{ payload_url: `${secureUrl}/secure`, ca_certificate: certificate }
  },
  [leaving]: ofCalmTime,
  deleted: ofCalmTime,
  doomed: brief,
  changing: { ...always, timeout: 2 }
})

const roles = [
  ["api,capture,deliver", "api,capture,deliver"],
  ["api,capture", "api,deliver", "api,deliver"]
]

/** State that the seeds of a world share. */
interface Shared {
  readonly world: World
  readonly committed: Committed
  readonly receiver: HostileReceiver
  readonly disturbances: Array<Disturbance>
  readonly ids: Map<string, number>
  readonly doomed: Doomed
  /** Ids of webhooks that seeds before this one deleted. */
  readonly deleted: Array<number>
}

/** Choices that a seed makes before anything else. */
const choicesOf = (seed: number) => {
  const random = new Random(`deliver ${seed}`)
  const once = random.chance(lastingPart) ? lastingFault : undefined
  const processes = random.pick(roles)
  return { random, once, processes }
}

export const deliver: Suite = async (first, options) => {
  const receiver = await HostileReceiver.start(first)
  const { processes } = choicesOf(first)
  const world = await World.start({ seed: first, template: options.template, processes, only: options.only })
  const end = async (forget: boolean) => {
    await world.stop(forget)
    await receiver.close()
  }
  try {
    const committed = new Committed()
    const ids = new Map(await makeWebhooks(world, committed, receiver.url, rowsOf(receiver)))
    world.timeline.note(`${world.services.length} processes are ready`)
    const doomed = { name: "doomed", isDeleted: false }
    const shared: Shared = { world, committed, receiver, disturbances: [], ids, doomed, deleted: [] }
    return { run: (seed, isLast) => runSeed(shared, seed, isLast, options), end }
  } catch (error) {
    await end(false)
    throw error
  }
}

const runSeed = async (shared: Shared, seed: number, isLast: boolean, options: RunOptions): Promise<Verdict> => {
  const { world, committed, receiver } = shared
  const { timeline } = world
  const { random, once } = choicesOf(seed)
  await world.begin(seed)
  if (shared.doomed.isDeleted) await replaceDoomed(shared)
  receiver.isHostile = true
  let isOver = false
  const over = () => isOver
  const sqlWriter = new SqlWriter(nameIn(seed, "w1"), world.databaseUrl, random.fork("w1"), committed, rowsMax)
  const apiWriter = new ApiWriter(nameIn(seed, "api"), world, random.fork("api"), committed)
  const writing = Promise.all([
    sqlWriter.run(over),
    apiWriter.run(over),
    changeWebhook(world, random.fork("webhook"), committed, over)
  ])
  const scene = { ...shared, webhooks: [...shared.ids.values()], rows: 0 }
  await carryOut(planOf(seed, deliverFaults, { seconds: options.seconds, only: options.only, once }), timeline, scene)
  world.heal()
  // One that fails by chance is asked less and less often: it could take an hour to get rid of the last delivery.
  receiver.isHostile = false
  timeline.note("the last fault is over")
  isOver = true
  await writing
  const verdict = await settle(world, () => judge(shared, apiWriter, []))
  if (verdict.differences.count > 0 || !isLast) return verdict
  const unwanted = await calmTime(scene)
  return settle(world, () => judge(shared, apiWriter, unwanted()))
}

/** A seed may delete a webhook: the next one gets another. */
const replaceDoomed = async ({ world, committed, receiver, ids, doomed, deleted }: Shared): Promise<void> => {
  deleted.push(ids.get(doomed.name)!)
  ids.delete(doomed.name)
  doomed.name = nameIn(world.seed, "doomed")
  doomed.isDeleted = false
  const made = await makeWebhooks(world, committed, receiver.url, { [doomed.name]: brief })
  for (const [name, id] of made) ids.set(name, id)
}

const judge = async (shared: Shared, apiWriter: ApiWriter, wrong: ReadonlyArray<string>): Promise<Verdict> => {
  const { world, committed, ids, deleted, receiver, disturbances } = shared
  const differences = new Differences()
  for (const what of wrong) differences.add(what)
  const { logged, owed } = await compareCommitted(world, committed, apiWriter, differences)
  const attemptsMax = new Map([[ids.get("limited")!, delays.length + 1]])
  await compareAttempts(world.sql, { owed, attemptsMax, receiver, disturbances }, differences)
  const requestsOf = (name: string) => receiver.requests.filter(({ webhook }) => webhook === name)
  const order = { disturbances, isAccepted: await acceptedBy(world.sql) }
  for (const name of ["ordered", "together"]) compareOrder(requestsOf(name), order, differences)
  const lost = disturbances.filter(({ fault }) => isLoss(fault))
  compareRate({ requests: requestsOf("paced"), stalls: receiver.stalls }, rate, lost, differences)
  for (const webhook of [...ids.values(), ...deleted]) await compareStream(world.redis, webhook, [], differences)
  await compareDeleted(world, differences)
  await compareServices(world, differences)
  const deliveries = [...owed.values()].reduce((sum, { length }) => sum + length, 0)
  return {
    differences,
    timeline: world.timeline,
    directory: world.directory,
    settleMillis: 0,
    summary: `${logged.length} events, ${deliveries} deliveries, ${receiver.requests.length} requests`
  }
}

/** Nothing of a deleted webhook waits: neither in the delivery log nor in Redis. */
const compareDeleted = async ({ sql, redis }: World, differences: Differences): Promise<void> => {
  const rows = await sql.query<{ readonly webhook: number; readonly open: number }>(
    `select webhook_id::int as webhook, count(*) filter (where status in ('queued', 'sending', 'retrying'))::int as open
       from extras_delivery d where not exists (select 1 from extras_webhook w where w.id = d.webhook_id) group by 1`
  )
  for (const { webhook, open } of rows) {
    if (open > 0) differences.add(`${open} deliveries of the deleted webhook ${webhook} are unfinished`)
    const { queue, again, later, held } = keysOf(webhook)
    const left = await redis.exists(queue, again, later, held)
    if (left > 0) differences.add(`${left} keys of the deleted webhook ${webhook} are left`)
  }
}
