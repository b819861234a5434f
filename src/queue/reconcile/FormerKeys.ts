/**
 * Keys of versions that did not name the installation. The leader moves them before it appends.
 *
 * They are renamed, not filled again from the change log (Reconcile.ts): that would repeat the attempts under way, and
 * forget the leases, circuit breakers and rate limits, which are in Redis alone. A webhook's keys share a slot, so one script
 * moves all of them, in a cluster too. Processes at work write under the former names until they read the note of it:
 * each of them moves what it wrote last. A webhook whose queue could not be moved has lost its stream: it is filled again.
 */
import { chunksOf } from "effect/Array"
import type { Client } from "../../redis/Redis.ts"
import { RedisScript } from "../../redis/RedisScript.ts"
import { group, keysOf, sweepKeys } from "../Keys.ts"

/** The text that keys and channels of those versions begin with. */
export const formerPrefix = "rackwire:"

/** Text: the database whose leader began to append last, in those versions. */
export const formerOwnerKey = `${formerPrefix}database`

const takeOverScript = new RedisScript<number>(new URL("../scripts/take-over.lua", import.meta.url))

/** Webhooks that are moved together. */
const movedAtOnce = 500

/**
 * Moves the keys of these webhooks, and of those that are marked, behind a prefix; returns how many there were. The client
 * adds no prefix of its own.
 */
export const moveFormerKeys = async (
  bare: Client,
  prefix: string,
  webhooks: ReadonlyArray<number>
): Promise<number> => {
  const former = (key: string) => formerPrefix + key
  const marked = await bare.zrange(former(sweepKeys.marks), "0", "-1")
  // The sweep's own mark is no webhook.
  const all = [...new Set([...webhooks, ...marked.map(Number)])].filter((webhook) => webhook > 0)
  let moved = 0
  for (const some of chunksOf(all, movedAtOnce)) {
    const replies = await takeOverScript.runFor(bare, some, (webhook) => {
      const names = Object.values(keysOf(webhook))
      return { keys: [...names.map(former), ...names.map((key) => prefix + key)], args: [group] }
    })
    moved += replies.reduce((sum, [, count]) => sum + count, 0)
    // The sweep may have inspected these webhooks under the names of today already.
    const marks = replies.flatMap(([webhook, count]) => (count > 0 ? [0, `${webhook}`] : []))
    if (marks.length > 0) await bare.zadd(prefix + sweepKeys.marks, ...marks)
  }
  await bare.unlink(...Object.values(sweepKeys).map(former))
  return moved
}
