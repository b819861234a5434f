/**
 * One seed of the suite `deliver`: a hostile receiver, faults at the boundaries of an attempt's steps, and in the end a
 * calm time in which nothing may be sent twice, or sent by a disabled webhook.
 */
import { keysOf } from "../../src/stream/Keys.ts"
import { ApiWriter } from "./ApiWriter.ts"
import { compareAttempts, isLoss } from "./AttemptOracle.ts"
import { calmTime, ofCalmTime } from "./Calm.ts"
import { Committed } from "./Committed.ts"
import { type DeliverScene, deliverFaults, doomed, lastingFault } from "./DeliverFaults.ts"
import { Differences } from "./Differences.ts"
import { HostileReceiver } from "./HostileReceiver.ts"
import { compareOrder, compareRate } from "./PaceOracle.ts"
import { carryOut, planOf } from "./Plan.ts"
import { Random } from "./Random.ts"
import { compareCommitted, compareServices, settle } from "./Settle.ts"
import { SqlWriter } from "./SqlWriter.ts"
import { compareStream } from "./StreamOracle.ts"
import type { SeedOptions, Verdict } from "./Suite.ts"
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

const rowsOf = ({ secureUrl, certificate, leaving }: HostileReceiver): Rows => ({
  everything: { ...always, timeout: 2 },
  narrow: { ...always, content_types: places, timeout: 2, max_in_flight: 2 },
  limited: { ...always, content_types: places, timeout: 2, retry_schedule: { kind: "list", delays } },
  ordered: { ...always, content_types: ["dcim.region"], timeout: 2, ordering: "object" },
  paced: { ...always, content_types: ["extras.tag"], timeout: 2, rate_limit: rate },
  secure: {
    ...{ ...always, content_types: ["extras.tag"], timeout: 2 },
    ...{ payload_url: `${secureUrl}/secure`, ca_certificate: certificate }
  },
  [leaving]: ofCalmTime,
  deleted: ofCalmTime,
  [doomed]: { ...always, content_types: places, timeout: 2 },
  changing: { ...always, timeout: 2 }
})

const roles = [
  ["api,capture,deliver", "api,capture,deliver"],
  ["api,capture", "api,deliver", "api,deliver"]
]

interface Run extends DeliverScene {
  readonly ids: ReadonlyMap<string, number>
  readonly apiWriter: ApiWriter
  readonly timeline: World["timeline"]
}

export const deliverSeed = async (options: SeedOptions): Promise<Verdict> => {
  const { seed, seconds, template, only } = options
  const random = new Random(`deliver ${seed}`)
  const once = random.chance(lastingPart) ? lastingFault : undefined
  const receiver = await HostileReceiver.start(seed)
  const world = await World.start({ seed, template, processes: random.pick(roles), only: options.only })
  const { timeline } = world
  let verdict: Verdict | undefined
  try {
    const committed = new Committed()
    const ids = await makeWebhooks(world, committed, receiver.url, rowsOf(receiver))
    timeline.note(`${world.services.length} processes are ready`)
    let isOver = false
    const over = () => isOver
    const sqlWriter = new SqlWriter("w1", world.databaseUrl, random.fork("w1"), committed, rowsMax)
    const apiWriter = new ApiWriter("api", world, random.fork("api"), committed)
    const webhooks = [...ids.values()]
    const run: Run = {
      world,
      committed,
      webhooks,
      rows: 0,
      receiver,
      disturbances: [],
      isDeleted: false,
      ids,
      apiWriter,
      timeline
    }
    const writing = Promise.all([
      sqlWriter.run(over),
      apiWriter.run(over),
      changeWebhook(world, random.fork("webhook"), committed, over)
    ])
    await carryOut(planOf(seed, deliverFaults, { seconds, only, once }), timeline, run)
    world.heal()
    // One that fails by chance is asked less and less often: it could take an hour to get rid of the last delivery.
    receiver.isHostile = false
    timeline.note("the last fault is over")
    isOver = true
    await writing
    verdict = await settle(world, () => judge(run, []))
    if (verdict.differences.count === 0) {
      const unwanted = await calmTime(run)
      verdict = await settle(world, () => judge(run, unwanted()))
    }
  } finally {
    await world.stop(verdict?.differences.count === 0 && !options.keep)
    await receiver.close()
  }
  return verdict
}

const judge = async (run: Run, wrong: ReadonlyArray<string>): Promise<Verdict> => {
  const { world, committed, ids, receiver, disturbances, apiWriter } = run
  const differences = new Differences()
  for (const what of wrong) differences.add(what)
  const { logged, owed } = await compareCommitted(world, committed, apiWriter, differences)
  const attemptsMax = new Map([[ids.get("limited")!, delays.length + 1]])
  await compareAttempts(world.sql, { owed, attemptsMax, receiver, disturbances }, differences)
  const requestsOf = (name: string) => receiver.requests.filter(({ webhook }) => webhook === name)
  compareOrder(requestsOf("ordered"), disturbances, differences)
  const lost = disturbances.filter(({ fault }) => isLoss(fault))
  compareRate(requestsOf("paced"), rate, lost, differences)
  for (const webhook of ids.values()) await compareStream(world.redis, webhook, [], differences)
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
