/**
 * One seed of the suite `deliver`: a receiver that is hostile, faults at the borders of an attempt's steps, and in the
 * end a calm time in which nothing may be sent twice, or at all by a webhook that is disabled.
 */
import { ApiWriter } from "./ApiWriter.ts"
import { compareAttempts } from "./AttemptOracle.ts"
import { Committed, region, stamp, webhook } from "./Committed.ts"
import { type DeliverScene, deliverFaults, lastingFault } from "./DeliverFaults.ts"
import { Differences } from "./Differences.ts"
import { Draft } from "./Draft.ts"
import { HostileReceiver } from "./HostileReceiver.ts"
import { Ledger } from "./Ledger.ts"
import { carryOut, planOf } from "./Plan.ts"
import { Random } from "./Random.ts"
import { compareCommitted, compareServices, settle } from "./Settle.ts"
import { SqlWriter } from "./SqlWriter.ts"
import { compareStream } from "./StreamOracle.ts"
import type { SeedOptions, Verdict } from "./Suite.ts"
import { pause } from "./Timeline.ts"
import { type Rows, always, changeWebhook, makeWebhooks } from "./Webhooks.ts"
import { World } from "./World.ts"

/** Part of the seeds in which a process is stopped for longer than its lease. */
const lastingPart = 0.15

/** Most rows of one statement: attempts take their time. */
const rowsMax = 20

const places = ["dcim.site", "dcim.region"]
/** Two delays: three attempts. */
const delays = [0.3, 0.6]

const rows: Rows = {
  everything: { ...always, timeout: 2 },
  narrow: { ...always, content_types: places, timeout: 2, max_in_flight: 2 },
  limited: { ...always, content_types: places, timeout: 2, retry_schedule: { kind: "list", delays } },
  changing: { ...always, timeout: 2 }
}

/** Time for a webhook's change to reach those that deliver, and regions made after it, in the calm time. */
const heardMillis = 2000
const calmRegions = 20

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
  const world = await World.start({ seed, template, processes: random.pick(roles) })
  const { timeline } = world
  let verdict: Verdict | undefined
  try {
    const committed = new Committed()
    const ids = await makeWebhooks(world, committed, receiver.url, rows)
    timeline.note(`${world.services.length} processes are ready`)
    let isOver = false
    const over = () => isOver
    const sqlWriter = new SqlWriter("w1", world.databaseUrl, random.fork("w1"), committed, rowsMax)
    const apiWriter = new ApiWriter("api", world, random.fork("api"), committed)
    const webhooks = [...ids.values()]
    const run: Run = { world, committed, webhooks, rows: 0, receiver, disturbances: [], ids, apiWriter, timeline }
    const writing = Promise.all([
      sqlWriter.run(over),
      apiWriter.run(over),
      changeWebhook(world, random.fork("webhook"), committed, over)
    ])
    await carryOut(planOf(seed, deliverFaults, { seconds, only, once }), timeline, run)
    world.heal()
    timeline.note("the last fault is over")
    isOver = true
    await writing
    verdict = await settle(world, () => judge(run, []))
    if (verdict.differences.count === 0) verdict = await calmTime(run)
  } finally {
    await world.stop(verdict?.differences.count === 0 && !options.keep)
    await receiver.close()
  }
  return verdict
}

/** A webhook is disabled, then something happens: everybody else is sent it, once. */
const calmTime = async (run: Run): Promise<Verdict> => {
  const { world, committed, receiver, disturbances, timeline } = run
  receiver.isHostile = false
  await pause(Math.max(...disturbances.map(({ to }) => to - receiver.millis), 0))
  const ledger = new Ledger(world.databaseUrl)
  const disabled = "narrow"
  const label = "calm.disabled"
  const change = { kind: webhook, key: disabled, from: 1, to: 2 }
  const statement = `update extras_webhook set enabled = false, description = '${stamp(2, label)}' where name = '${disabled}'`
  committed.add({ label, changes: [change], messages: 1, fate: await ledger.attempt(label, [statement]) })
  await pause(heardMillis)
  timeline.note("calm")
  const from = receiver.requests.length
  const draft = new Draft("calm.regions", new Map(), world.random)
  for (let n = 0; n < calmRegions; n++) draft.create(region, `calm-${n}`)
  const fate = await ledger.attempt(draft.label, draft.statements)
  committed.add({ label: draft.label, changes: draft.changes, messages: draft.messages, fate })
  await ledger.close()
  return settle(world, async () => {
    const since = receiver.requests.slice(from)
    const wrong = since.filter(({ webhook }) => webhook === disabled).map(({ delivery }) => `${delivery} was sent`)
    return judge(run, wrong)
  })
}

const judge = async (run: Run, wrong: ReadonlyArray<string>): Promise<Verdict> => {
  const { world, committed, ids, receiver, disturbances, apiWriter } = run
  const differences = new Differences()
  for (const what of wrong) differences.add(`after it was disabled: ${what}`)
  const { logged, owed } = await compareCommitted(world, committed, apiWriter, differences)
  const attemptsMax = new Map([[ids.get("limited")!, delays.length + 1]])
  await compareAttempts(world.sql, { owed, attemptsMax, receiver, disturbances }, differences)
  for (const webhook of ids.values()) await compareStream(world.redis, webhook, [], differences)
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
