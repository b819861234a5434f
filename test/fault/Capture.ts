/** A world of the suite `capture`: in each seed writers write, faults are injected, and in the end the oracles compare. */
import { ApiWriter } from "./ApiWriter.ts"
import { Committed, nameIn } from "./Committed.ts"
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
import type { RunOptions, Suite, Verdict } from "./Suite.ts"
import { changeWebhook, makeWebhooks, rows } from "./Webhooks.ts"
import { WatermarkOracle } from "./WatermarkOracle.ts"
import { World } from "./World.ts"

/** Part of the worlds in which deliveries are made and not only queued. */
const deliveringPart = 0.3

/** Most rows of one statement, where deliveries are made and where they are only queued: attempts take their time. */
const deliveredRows = 30
const queuedRows = 5000

/** Part of the worlds with three processes and not two. */
const threePart = 0.25

/** Part of the seeds without deliveries that write a very large transaction. */
const largePart = 0.12

/** State that the seeds of a world share. */
interface Shared {
  readonly world: World
  readonly committed: Committed
  readonly webhooks: ReadonlyArray<number>
  /** Undefined where deliveries are only queued. */
  readonly receiver: DeliveryOracle | undefined
  readonly watermarks: WatermarkOracle
}

/** Choices that a seed makes before anything else. */
const choicesOf = (seed: number) => {
  const random = new Random(`capture ${seed}`)
  const isDelivering = random.chance(deliveringPart)
  const isLarge = !isDelivering && random.chance(largePart)
  const count = random.chance(threePart) ? 3 : 2
  return { random, isDelivering, isLarge, count }
}

export const capture: Suite = async (first, options) => {
  const { isDelivering, count } = choicesOf(first)
  const receiver = isDelivering ? await DeliveryOracle.start(first) : undefined
  const roles = isDelivering ? "api,capture,deliver" : "api,capture"
  const processes = Array.from({ length: count }, () => roles)
  const world = await World.start({ seed: first, template: options.template, processes, only: options.only })
  const end = async (forget: boolean) => {
    await world.stop(forget)
    await receiver?.close()
  }
  try {
    const committed = new Committed()
    const webhooks = [...(await makeWebhooks(world, committed, receiver?.url ?? "http://127.0.0.1:9", rows)).values()]
    world.timeline.note(
      `${world.services.length} processes are ready; ${isDelivering ? "delivering" : "queueing only"}`
    )
    const watermarks = new WatermarkOracle(world.sql)
    const shared = { world, committed, webhooks, receiver, watermarks }
    return { run: (seed) => runSeed(shared, seed, options), end }
  } catch (error) {
    await end(false)
    throw error
  }
}

const runSeed = async (shared: Shared, seed: number, options: RunOptions): Promise<Verdict> => {
  const { world, committed, webhooks, receiver, watermarks } = shared
  const { timeline } = world
  const { random, isLarge } = choicesOf(seed)
  await world.begin(seed)
  let isOver = false
  const over = () => isOver
  const rowsMax = receiver === undefined ? queuedRows : deliveredRows
  const sqlWriters = ["w1", "w2"].map(
    (name) => new SqlWriter(nameIn(seed, name), world.databaseUrl, random.fork(name), committed, rowsMax)
  )
  const apiWriter = new ApiWriter(nameIn(seed, "api"), world, random.fork("api"), committed)
  const writing = Promise.all([
    ...sqlWriters.map((writer) => writer.run(over)),
    apiWriter.run(over),
    changeWebhook(world, random.fork("webhook"), committed, over),
    watermarks.watch(over)
  ])
  const once = isLarge && receiver === undefined ? largeTransaction : undefined
  const { seconds, only } = options
  const plan = planOf(seed, [...faults, ...catalogFaults, ...storeFaults], { seconds, only, once })
  await carryOut(plan, timeline, { world, committed, webhooks, rows: options.manyRows })
  world.heal()
  timeline.note("the last fault is over")
  isOver = true
  await writing
  timeline.note("the writers have stopped")
  const verdict = await settle(world, () => judge(shared, apiWriter))
  const errors = sqlWriters.flatMap(({ ledger }) => [...ledger.errors]).map(([error, count]) => `${count} x ${error}`)
  timeline.note(`errors of writers: ${errors.join("; ") || "none"}`)
  return verdict
}

const judge = async (shared: Shared, apiWriter: ApiWriter): Promise<Verdict> => {
  const { world, committed, webhooks, receiver, watermarks } = shared
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
