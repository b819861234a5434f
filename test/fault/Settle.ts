/** The end of a run: waits until all work is done, and checks what must then be true of every service. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { keysOf } from "../../src/queue/Keys.ts"
import type { ApiWriter } from "./ApiWriter.ts"
import { type InGap, compareChangeLog, readChangeLog } from "./ChangeLogOracle.ts"
import type { Committed } from "./Committed.ts"
import type { Differences } from "./Differences.ts"
import { settleDoubts } from "./Doubts.ts"
import { owedTo } from "./StreamOracle.ts"
import type { Verdict } from "./Suite.ts"
import { pause } from "./Timeline.ts"
import type { World } from "./World.ts"

/**
 * Time in which something more has to be logged, queued or delivered after the last fault, milliseconds: longer than a
 * connection to Postgres may owe an answer.
 */
const stuckMillis = 100_000

/** Time in which servers that were killed last answer again, milliseconds. */
const upMillis = 60_000

/**
 * Asks until nothing differs or nothing moves any more. While 200,000 events are judged on a busy machine, this process
 * passes on nothing of what its proxies get: the services need longer than that to connect again and go on.
 */
export const settle = async (world: World, judge: () => Promise<Verdict>): Promise<Verdict> => {
  const began = performance.now()
  let last = { done: "", at: began }
  let judgedMillis = 0
  while (performance.now() - began < upMillis && !(await isUp(world))) await pause(50)
  for (let wait = 250; ; wait = Math.min(wait * 1.5, 3000)) {
    await pause(Math.max(wait, 2 * judgedMillis))
    const { done, lag } = await progressOf(world)
    const now = performance.now()
    if (done !== last.done) last = { done, at: now }
    const isStuck = now - last.at > stuckMillis
    if (lag > lagMax && !isStuck) continue
    const verdict = await judge()
    judgedMillis = performance.now() - now
    if (verdict.differences.count > 0 && !isStuck) continue
    world.timeline.note(verdict.differences.count === 0 ? "nothing differs" : "nothing moves any more")
    return { ...verdict, settleMillis: Math.round(now - began) }
  }
}

const isUp = ({ sql, redis }: World): Promise<boolean> =>
  Promise.all([sql.query("select 1 as one"), redis.ping()]).then(
    () => true,
    () => false
  )

interface Progress {
  /** Changes when something more was done. */
  readonly done: string
  /** WAL that is not confirmed, bytes. */
  readonly lag: number
}

const progressOf = async (world: World): Promise<Progress> => {
  const { sql } = world
  const [found] = await sql.query<Progress>(
    `select (select count(*) from extras_objectchange) || ' ' || (select sum(attempts) from extras_delivery) as done,
            pg_wal_lsn_diff(pg_current_wal_insert_lsn(), confirmed_flush_lsn)::float8 as lag
       from pg_replication_slots`
  )
  const { done, lag } = found ?? { done: "", lag: Number.POSITIVE_INFINITY }
  // Streams that Redis lost are filled again before anything is logged: minutes, if they had 200,000 entries each.
  return { done: `${done} ${await queuedIn(world)}`, lag }
}

/** How many entries the streams of the webhooks have. */
const queuedIn = async ({ sql, redis }: World): Promise<number> => {
  const webhooks = await sql.query<{ readonly id: number }>("select id::int from extras_webhook")
  const lengths = await Promise.all(webhooks.map(({ id }) => redis.xlen(keysOf(id).queue)))
  return lengths.reduce((sum, length) => sum + length, 0)
}

/** Holds the change log against what was committed; answers it, and what webhooks are owed of it. */
export const compareCommitted = async (
  world: World,
  committed: Committed,
  { refusals }: ApiWriter,
  differences: Differences
) => {
  const { sql } = world
  for (const refusal of refusals) differences.add(`the API refused: ${refusal}`)
  const transactions = await settleDoubts(sql, committed.transactions)
  const logged = await readChangeLog(sql)
  compareChangeLog(logged, transactions, await gapsOf(world), differences)
  return { logged, owed: owedTo(logged) }
}

/** Whether changes may be missing: a seed's gap excuses what that seed did, and nothing of the others. */
const gapsOf = async (world: World): Promise<InGap> => {
  const rows = await world.sql.query<{ readonly id: number; readonly type: string }>(
    "select id::int, unnest(coalesce(object_types, array['dcim.site', 'dcim.region', 'extras.tag', 'extras.webhook'])) as type from rackwire_gap where cause = 'publication'"
  )
  const gaps = new Set(rows.flatMap(({ id, type }) => [`${type} ${world.seedOfGap(id)}`, type]))
  return (type, seed) => gaps.has(seed === undefined ? type : `${type} ${seed}`)
}

/** The type of the rows of which no event can be made. */
const asideType = "dcim.rackrole"

/** A gap has an end, and none is there that nobody made; what cannot be an event is set aside, but in a gap. */
const compareAlarms = async (world: World, differences: Differences): Promise<void> => {
  const { sql, aside, meddled } = world
  const gaps = await sql.query<{
    readonly id: number
    readonly cause: string
    readonly reason: string
    readonly types: ReadonlyArray<string> | null
    readonly has_end: boolean
  }>(
    "select id::int, cause, reason, object_types as types, until is not null as has_end from rackwire_gap where cause <> 'source'"
  )
  const noted = new Set<number>()
  const excused = new Set<number>()
  for (const { id, cause, reason, types, has_end: hasEnd } of gaps) {
    const seed = world.seedOfGap(id)
    if (cause === "publication") noted.add(seed)
    if (cause === "publication" && (types ?? [asideType]).includes(asideType)) excused.add(seed)
    if (!hasEnd) differences.add(`a gap has no end: ${reason}`)
    if (cause !== "identity" && !(cause === "publication" && meddled.has(seed))) {
      differences.add(`a gap nobody made: ${reason}`)
    }
  }
  for (const seed of meddled) if (!noted.has(seed)) differences.add(`the publication has no gap of seed ${seed}`)
  const rows = await sql.query<{ readonly id: string }>("select object_id as id from rackwire_set_aside")
  const found = new Set(rows.map(({ id }) => id))
  for (const [id, seed] of aside) if (!found.has(id) && !excused.has(seed)) differences.add(`${id} is not set aside`)
}

export const compareServices = async (world: World, differences: Differences): Promise<void> => {
  await compareSlot(world, differences)
  await compareAlarms(world, differences)
  for (const line of complaintsOf(world)) differences.add(line)
}

/** Nothing that we do loses the slot or goes back in time: all is one epoch, and the WAL is released. */
const compareSlot = async (world: World, differences: Differences): Promise<void> => {
  const epochs = await world.sql.query("select number from rackwire_epoch")
  if (epochs.length !== 1) differences.add(`there are ${epochs.length} epochs`)
  const { lag } = await progressOf(world)
  if (lag > lagMax) differences.add(`${lag} bytes of WAL are not confirmed`)
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
