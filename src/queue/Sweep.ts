/**
 * The sweep: it inspects the webhooks that have something in Redis, and no others.
 *
 * A process that queues something marks the webhook. One process at a time, the sweeper, inspects the marked webhooks.
 * It finds entries whose publication was missed, deliveries that are due, and entries whose process died. An idle
 * process so sends one command every few seconds, whatever the number of webhooks.
 */
import { chunksOf } from "effect/Array"
import type { PaceValues } from "../eventloop/Pace.ts"
import type { Client } from "../redis/Redis.ts"
import type { Depth } from "./Depth.ts"
import { group, keysOf, sweepKeys } from "./Keys.ts"
import { RedisScript } from "../redis/RedisScript.ts"

/** Most webhooks in one sweep. */
const claimedMax = 1000

/** A webhook that the sweeper claimed, with its new mark. */
export interface SweptWebhook {
  readonly webhook: number
  readonly mark: string
}

/** Time after which an idle consumer without entries is deleted: its process has died. Milliseconds. */
const goneMillis = 3_600_000

/** The entries of a webhook in Redis. */
export interface Inspection extends Depth {
  /** Milliseconds until the first delayed delivery is due; undefined if there is none. */
  readonly dueMillis: number | undefined
  /** Whether there are entries without a lease that the group has read past. */
  readonly stranded: boolean
  /** If order matters: deliveries that left the queue without an attempt. */
  readonly unattempted: number
  /** How many of the queued ones were read: their processes have released them, or died. */
  readonly unleased: number
  /** Id of the first entry of the queue: a position; undefined if it is empty. */
  readonly head: string | undefined
}

const claimScript = new RedisScript<
  readonly [isSweeper: number, areLost: number, marked: ReadonlyArray<readonly [webhook: string, mark: string]>]
>(new URL("scripts/sweep/claim.lua", import.meta.url))

export interface SweepClaim {
  readonly isSweeper: boolean
  /** Whether Redis has lost the marks, or never had any. */
  readonly areLost: boolean
  /** The webhooks whose inspection is due; none for processes that are not the sweeper. */
  readonly marked: ReadonlyArray<SweptWebhook>
}

/** Makes this process the sweeper, if there is none, and claims the webhooks whose inspection is due. */
export const claimMarked = async (client: Client, consumer: string, sweeperMillis: number): Promise<SweepClaim> => {
  const call = { keys: [sweepKeys.marks, sweepKeys.sweeper], args: [consumer, sweeperMillis, claimedMax] }
  const [isSweeper, areLost, marked] = await claimScript.run(client, call)
  return {
    isSweeper: isSweeper === 1,
    areLost: areLost === 1,
    marked: marked.map(([webhook, mark]) => ({ webhook: Number(webhook), mark }))
  }
}

const inspectScript = new RedisScript<
  readonly [
    ...(readonly [queued: number, pending: number, waiting: number, dueMillis: number, stranded: number]),
    ...(readonly [unattempted: number, unleased: number, head: string])
  ]
>(new URL("scripts/sweep/inspect.lua", import.meta.url))

export const inspect = async (
  client: Client,
  webhooks: ReadonlyArray<number>,
  leaseMillis: number,
  goneAfterMillis = goneMillis
): Promise<ReadonlyArray<Inspection>> => {
  const replies = await inspectScript.runFor(client, webhooks, (webhook) => {
    const { urgent, again, queue, later, parked, unattempted } = keysOf(webhook)
    return { keys: [urgent, again, queue, later, parked, unattempted], args: [group, goneAfterMillis, leaseMillis] }
  })
  return replies.map(([, [queued, pending, waiting, due, stranded, unattempted, unleased, head]]) => ({
    ...{ queued, pending, waiting, unattempted, unleased },
    dueMillis: due < 0 ? undefined : due,
    stranded: stranded === 1,
    head: head === "" ? undefined : head
  }))
}

const rescheduleScript = new RedisScript<null>(new URL("scripts/sweep/reschedule.lua", import.meta.url))

/** Sets the next inspection of each webhook; one that was marked anew meanwhile stays as it is. */
export const reschedule = async (
  client: Client,
  inspected: ReadonlyArray<SweptWebhook & { readonly inspection: Inspection }>,
  pace: PaceValues["stream"]
): Promise<void> => {
  if (inspected.length === 0) return
  const args = inspected.flatMap(({ webhook, mark, inspection }) => [webhook, mark, pauseAfter(inspection, pace)])
  await rescheduleScript.run(client, { keys: [sweepKeys.marks], args })
}

const pauseAfter = (
  { queued, pending, unattempted, dueMillis }: Inspection,
  { sweepBusyMillis, sweepIdleMillis }: PaceValues["stream"]
): number => {
  if (queued + pending + unattempted > 0) return sweepBusyMillis
  return dueMillis === undefined ? -1 : Math.min(dueMillis + sweepBusyMillis, sweepIdleMillis)
}

/** Marks in one command. */
const marksMax = 1000

/** Makes the inspection of webhooks due. */
export const mark = async (client: Client, webhooks: ReadonlyArray<number>): Promise<void> => {
  for (const some of chunksOf(webhooks, marksMax)) {
    await client.zadd(sweepKeys.marks, ...some.flatMap((webhook) => [0, `${webhook}`]))
  }
}
