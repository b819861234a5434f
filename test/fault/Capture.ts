/** One seed of the suite `capture`: writers write, faults are injected, and in the end the oracles compare. */
import { ApiWriter } from "./ApiWriter.ts"
import { Committed } from "./Committed.ts"
import { DeliveryOracle } from "./DeliveryOracle.ts"
import { Differences } from "./Differences.ts"
import { catalogFaults } from "./CatalogFaults.ts"
import { faults, largeTransaction } from "./Faults.ts"
import { storeFaults } from "./StoreFaults.ts"
import { carryOut, planOf } from "./Plan.ts"
import { Random } from "./Random.ts"
import { compareCommitted, compareServices, settle } from "./Settle.ts"
import { SqlWriter } from "./SqlWriter.ts"
import { compareStream } from "./StreamOracle.ts"
import type { SeedOptions, Verdict } from "./Suite.ts"
import { changeWebhook, makeWebhooks, rows } from "./Webhooks.ts"
import { WatermarkOracle } from "./WatermarkOracle.ts"
import { World } from "./World.ts"

/** Part of the seeds in which deliveries are made and not only queued. */
const deliveringPart = 0.3

/** Most rows of one statement, where deliveries are made and where they are only queued: attempts take their time. */
const deliveredRows = 30
const queuedRows = 5000

/** Part of the seeds with three processes and not two. */
const threePart = 0.25

/** Part of the seeds without deliveries that write a very large transaction. */
const largePart = 0.12

export const captureSeed = async (options: SeedOptions): Promise<Verdict> => {
  const { seed, seconds, template } = options
  const random = new Random(`capture ${seed}`)
  const delivering = random.chance(deliveringPart)
  const large = !delivering && random.chance(largePart)
  const receiver = delivering ? await DeliveryOracle.start(seed) : undefined
  const roles = delivering ? "api,capture,deliver" : "api,capture"
  const processes = Array.from({ length: random.chance(threePart) ? 3 : 2 }, () => roles)
  const world = await World.start({ seed, template, processes, only: options.only })
  const { timeline } = world
  let verdict: Verdict | undefined
  try {
    const committed = new Committed()
    const webhooks = [...(await makeWebhooks(world, committed, receiver?.url ?? "http://127.0.0.1:9", rows)).values()]
    timeline.note(`${world.services.length} processes are ready; ${delivering ? "delivering" : "queueing only"}`)
    let isOver = false
    const over = () => isOver
    const sqlWriters = ["w1", "w2"].map(
      (name) =>
        new SqlWriter(name, world.databaseUrl, random.fork(name), committed, delivering ? deliveredRows : queuedRows)
    )
    const apiWriter = new ApiWriter("api", world, random.fork("api"), committed)
    const watermarks = new WatermarkOracle(world.sql)
    const writing = Promise.all([
      ...sqlWriters.map((writer) => writer.run(over)),
      apiWriter.run(over),
      changeWebhook(world, random.fork("webhook"), committed, over),
      watermarks.watch(over)
    ])
    const once = large ? largeTransaction : undefined
    const plan = planOf(seed, [...faults, ...catalogFaults, ...storeFaults], { seconds, only: options.only, once })
    await carryOut(plan, world.timeline, { world, committed, webhooks, rows: options.manyRows })
    world.heal()
    timeline.note("the last fault is over")
    isOver = true
    await writing
    timeline.note("the writers have stopped")
    const judge = () => judgeCapture({ world, committed, webhooks, receiver, apiWriter, watermarks })
    verdict = await settle(world, judge)
    const errors = sqlWriters.flatMap(({ ledger }) => [...ledger.errors]).map(([error, count]) => `${count} x ${error}`)
    timeline.note(`errors of writers: ${errors.join("; ") || "none"}`)
  } finally {
    const passed = verdict?.differences.count === 0
    await world.stop(passed && !options.keep)
    await receiver?.close()
  }
  return verdict
}

interface Case {
  readonly world: World
  readonly committed: Committed
  readonly webhooks: ReadonlyArray<number>
  readonly receiver: DeliveryOracle | undefined
  readonly apiWriter: ApiWriter
  readonly watermarks: WatermarkOracle
}

const judgeCapture = async (given: Case): Promise<Verdict> => {
  const { world, committed, webhooks, receiver, apiWriter, watermarks } = given
  const differences = new Differences()
  const { logged, owed } = await compareCommitted(world, committed, apiWriter, differences)
  if (receiver === undefined) {
    for (const webhook of webhooks) await compareStream(world.redis, webhook, owed.get(webhook) ?? [], differences)
  } else {
    await receiver.compare(world.sql, owed, differences)
    for (const webhook of webhooks) await compareStream(world.redis, webhook, [], differences)
  }
  watermarks.compare(logged, owed, differences)
  await compareServices(world, differences)
  const deliveries = [...owed.values()].reduce((sum, { length }) => sum + length, 0)
  return {
    differences,
    timeline: world.timeline,
    directory: world.directory,
    settleMillis: 0,
    summary: [
      `${committed.count("committed")} transactions committed, ${committed.count("aborted")} rolled back, ${committed.count("doubted")} in doubt`,
      `${logged.length} events, ${deliveries} deliveries`,
      ...(receiver === undefined ? [] : [`${receiver.repeats} repeated`])
    ].join("; ")
  }
}
