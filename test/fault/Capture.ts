/** One seed of the suite `capture`: writers write, faults happen, and in the end the oracles are asked. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ApiWriter } from "./ApiWriter.ts"
import { compareChangeLog, readChangeLog } from "./ChangeLogOracle.ts"
import { Committed } from "./Committed.ts"
import { DeliveryOracle } from "./DeliveryOracle.ts"
import { Differences } from "./Differences.ts"
import { settleDoubts } from "./Doubts.ts"
import { carryOut, planOf } from "./Plan.ts"
import { Random } from "./Random.ts"
import { SqlWriter } from "./SqlWriter.ts"
import { compareStream, owedTo } from "./StreamOracle.ts"
import type { SeedOptions, Verdict } from "./Suite.ts"
import { pause } from "./Timeline.ts"
import { changeWebhook, makeWebhooks } from "./Webhooks.ts"
import { WatermarkOracle } from "./WatermarkOracle.ts"
import { World } from "./World.ts"

/** Part of the seeds in which deliveries are made and not only queued. */
const deliveringPart = 0.3

/** Most rows of one statement, where deliveries are made and where they are only queued: attempts take their time. */
const deliveredRows = 30
const queuedRows = 5000

/** Part of the seeds with three processes and not two. */
const threePart = 0.25

/** Time in which everything committed has to be queued after the last fault, milliseconds. */
const settleMillis = 45_000

/** Part of the seeds that may write a very large transaction, and its rows. */
const manyPart = 0.25

export const captureSeed = async (options: SeedOptions): Promise<Verdict> => {
  const { seed, seconds, template } = options
  const random = new Random(`capture ${seed}`)
  const delivering = random.chance(deliveringPart)
  const rows = !delivering && random.chance(manyPart) ? options.manyRows : 0
  const receiver = delivering ? await DeliveryOracle.start(seed) : undefined
  const roles = delivering ? "api,capture,deliver" : "api,capture"
  const world = await World.start({ seed, template, roles, processes: random.chance(threePart) ? 3 : 2 })
  const { timeline } = world
  let verdict: Verdict | undefined
  try {
    const committed = new Committed()
    const webhooks = [...(await makeWebhooks(world, committed, receiver?.url ?? "http://127.0.0.1:9")).values()]
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
    await carryOut(planOf(seed, seconds, options.only), { world, committed, webhooks, rows })
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

/** Asks until nothing differs or the time is up. */
const settle = async (world: World, judge: () => Promise<Verdict>): Promise<Verdict> => {
  const began = performance.now()
  for (let wait = 250; ; wait = Math.min(wait * 1.5, 3000)) {
    await pause(wait)
    const verdict = await judge()
    const millis = Math.round(performance.now() - began)
    if (verdict.differences.count > 0 && millis < settleMillis) continue
    world.timeline.note(verdict.differences.count === 0 ? "nothing differs" : "the time is up")
    return { ...verdict, settleMillis: millis }
  }
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
  for (const refusal of apiWriter.refusals) differences.add(`the API refused: ${refusal}`)
  const transactions = await settleDoubts(world.sql, committed.transactions)
  const logged = await readChangeLog(world.sql)
  compareChangeLog(logged, transactions, differences)
  const owed = owedTo(logged)
  if (receiver === undefined) {
    for (const webhook of webhooks) await compareStream(world.redis, webhook, owed.get(webhook) ?? [], differences)
  } else {
    await receiver.compare(world.sql, owed, differences)
    for (const webhook of webhooks) await compareStream(world.redis, webhook, [], differences)
  }
  watermarks.compare(logged, owed, differences)
  await compareSlot(world, differences)
  for (const line of complaintsOf(world)) differences.add(line)
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

/** Nothing that we do loses the slot or goes back in time: all is one epoch, and the WAL is released. */
const compareSlot = async ({ sql }: World, differences: Differences): Promise<void> => {
  const [found] = await sql.query<{ readonly epochs: string; readonly lag: string }>(
    `select (select count(*) from rackwire_epoch)::text as epochs,
            (select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), confirmed_flush_lsn) from pg_replication_slots)::text as lag`
  )
  if (found?.epochs !== "1") differences.add(`there are ${found?.epochs} epochs`)
  if (!(Number(found?.lag) < lagMax)) differences.add(`${found?.lag} bytes of WAL are not confirmed`)
}

/** WAL that may wait to be confirmed in the end, bytes: what the services write by themselves is more than nothing. */
const lagMax = 1_000_000

/** Lines of the services' logs by which they say that something is wrong that no fault explains. */
const complaint = /capture stopped|defect|TypeError|RangeError|ReferenceError|unhandled/i

const complaintsOf = ({ directory, services }: World): ReadonlyArray<string> =>
  services.flatMap(({ name }) =>
    readFileSync(join(directory, `service-${name}.log`), "utf8")
      .split("\n")
      .filter((line) => complaint.test(line))
      .map((line) => `log of ${name}: ${line.slice(0, 500)}`)
  )
