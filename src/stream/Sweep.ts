/**
 * Which webhooks have to be looked at, and when: those that have something in Redis, and no others.
 *
 * Whoever queues something marks the webhook. One process at a time, the sweeper, inspects what is marked: it finds
 * what was announced to nobody, what fell due while nobody waited for it, and entries whose holders died. So a process
 * with nothing to do asks one question every few seconds, however many webhooks there are.
 */
import { chunksOf } from "effect/Array"
import type { Client } from "../Redis.ts"
import type { Depth } from "./Depth.ts"
import { group, keysOf, sweepKeys } from "./Keys.ts"
import { RedisScript } from "../RedisScript.ts"

/**
 * Time after which another process may become the sweeper, milliseconds; also until a look that came to no end is
 * repeated.
 */
const leaseMillis = 15_000

/** Most webhooks in one sweep. */
const claimedMax = 1000

/** Pause between two inspections of a webhook that has something to read or to end, milliseconds. */
const busyMillis = 5000

/** Longest time without a look at a webhook that only waits, milliseconds. */
const idleMillis = 300_000

/** A mark that was taken to be looked at, with the time that it has meanwhile. */
export interface Marked {
  readonly webhook: number
  readonly mark: string
}

/** Time after which a consumer that holds nothing is taken for one whose process is gone, milliseconds. */
const forgottenMillis = 3_600_000

/** What was found. */
export interface Inspection extends Depth {
  /** Until the first of those that wait is due, milliseconds; undefined when none waits. */
  readonly dueMillis: number | undefined
  /** Whether there are entries that nobody holds and nobody is going to read. */
  readonly stranded: boolean
}

const claimScript = new RedisScript<ReadonlyArray<readonly [webhook: string, mark: string]>>(
  new URL("scripts/sweep/claim.lua", import.meta.url)
)

/** The webhooks that are to be looked at now, for the sweeper; none for other processes. */
export const claimMarked = async (client: Client, consumer: string): Promise<ReadonlyArray<Marked>> => {
  const call = { keys: [sweepKeys.marks, sweepKeys.sweeper], args: [consumer, leaseMillis, claimedMax] }
  const found = await claimScript.run(client, call)
  return found.map(([webhook, mark]) => ({ webhook: Number(webhook), mark }))
}

const inspectScript = new RedisScript<
  readonly [queued: number, pending: number, waiting: number, dueMillis: number, stranded: number]
>(new URL("scripts/sweep/inspect.lua", import.meta.url))

export const inspect = async (
  client: Client,
  webhooks: ReadonlyArray<number>,
  forgotten = forgottenMillis
): Promise<ReadonlyArray<Inspection>> => {
  const calls = webhooks.map((webhook) => {
    const { again, queue, later, parked } = keysOf(webhook)
    return { keys: [again, queue, later, parked], args: [group, forgotten] }
  })
  const replies = await inspectScript.runAll(client, calls)
  return replies.map(([queued, pending, waiting, due, stranded]) => ({
    ...{ queued, pending, waiting },
    dueMillis: due < 0 ? undefined : due,
    stranded: stranded === 1
  }))
}

const rescheduleScript = new RedisScript<null>(new URL("scripts/sweep/reschedule.lua", import.meta.url))

/** Says when each webhook is to be looked at again; one that was marked anew meanwhile is left as it is. */
export const reschedule = async (
  client: Client,
  inspected: ReadonlyArray<Marked & { readonly inspection: Inspection }>
): Promise<void> => {
  if (inspected.length === 0) return
  const args = inspected.flatMap(({ webhook, mark, inspection }) => [webhook, mark, pauseAfter(inspection)])
  await rescheduleScript.run(client, { keys: [sweepKeys.marks], args })
}

const pauseAfter = ({ queued, pending, dueMillis }: Inspection): number => {
  if (queued + pending > 0) return busyMillis
  return dueMillis === undefined ? -1 : Math.min(dueMillis + busyMillis, idleMillis)
}

/** Marks in one command. */
const marksMax = 1000

/** Has webhooks looked at. */
export const mark = async (client: Client, webhooks: ReadonlyArray<number>): Promise<void> => {
  for (const some of chunksOf(webhooks, marksMax)) {
    await client.zadd(sweepKeys.marks, ...some.flatMap((webhook) => [0, `${webhook}`]))
  }
}
