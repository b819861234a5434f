/**
 * Compares the streams with the change log: a webhook's stream holds exactly the events that it asked for at the time,
 * in order, each once under its position, and byte for byte as in the change log.
 */
import { createHash } from "node:crypto"
import type { Redis } from "ioredis"
import { loggedDelivery } from "../../src/changelog/LoggedEvent.ts"
import { pack, unpack } from "../../src/queue/Entry.ts"
import { keysOf } from "../../src/queue/Keys.ts"
import { type Document, type Json, evaluate } from "../match/NaiveCondition.ts"
import type { Logged } from "./ChangeLogOracle.ts"
import type { Differences } from "./Differences.ts"

export interface Owed {
  /** Id in the stream. */
  readonly id: string
  readonly digest: string
  readonly event: Logged
}

interface WebhookRow {
  readonly enabled: boolean
  readonly content_types: ReadonlyArray<string>
  readonly type_create: boolean
  readonly type_update: boolean
  readonly type_delete: boolean
  readonly conditions: Document | null
}

/** Deliveries that each webhook is owed of all that the change log tells, by its id. */
export const owedTo = (logged: ReadonlyArray<Logged>): ReadonlyMap<number, ReadonlyArray<Owed>> => {
  const webhooks = new Map<number, WebhookRow>()
  const owed = new Map<number, Array<Owed>>()
  for (const event of logged) {
    if (event.object_type === "extras.webhook") {
      if (event.after === null) webhooks.delete(Number(event.object_id))
      else webhooks.set(Number(event.object_id), event.after as unknown as WebhookRow)
    }
    for (const [webhook, row] of webhooks) {
      if (!asksFor(row, event)) continue
      const list = owed.get(webhook) ?? []
      owed.set(webhook, list)
      list.push({ id: `${event.position}-${event.idx}`, digest: digestOf(textOf(event, webhook)), event })
    }
  }
  return owed
}

const asksFor = (row: WebhookRow, event: Logged): boolean =>
  row.enabled &&
  row.content_types.includes(event.object_type) &&
  row[`type_${event.action}`] &&
  (row.conditions === null || evaluate(row.conditions, JSON.parse(event.data) as Json) === true)

const textOf = (event: Logged, webhook: number): string => pack(loggedDelivery(event, webhook))

/** An entry without the times that its queueing adds, of which the change log knows nothing. */
const withoutTimes = (text: string): string => {
  const { due: _due, webhookChanged: _changed, ...delivery } = unpack(text)
  return pack(delivery)
}

const digestOf = (text: string): string => createHash("sha1").update(text).digest("base64")

/** Entries read at once. */
const pageSize = 2000

export const compareStream = async (
  redis: Redis,
  webhook: number,
  owed: ReadonlyArray<Owed>,
  differences: Differences
): Promise<void> => {
  let at = 0
  let from = "-"
  for (;;) {
    const page = await redis.xrange(keysOf(webhook).queue, from, "+", "COUNT", pageSize)
    for (const [id, [, text]] of page as ReadonlyArray<readonly [string, ReadonlyArray<string>]>) {
      // An entry that is not owed leaves our place; one that is owed and missing moves it.
      while (at < owed.length && isBelow(owed[at]!.id, id)) {
        differences.add(`stream ${webhook}: ${owed[at]!.id} is missing`)
        at += 1
      }
      if (owed[at]?.id !== id) differences.add(`stream ${webhook}: ${id} is not owed: ${text!.slice(0, 200)}`)
      else if (owed[at++]!.digest !== digestOf(withoutTimes(text!))) {
        const logged = textOf(owed[at - 1]!.event, webhook)
        differences.add(`stream ${webhook}: ${id} reads ${text}, and in the change log ${logged}`)
      }
    }
    if (page.length < pageSize) break
    from = `(${page.at(-1)![0]}`
  }
  for (const { id } of owed.slice(at)) differences.add(`stream ${webhook}: ${id} is missing`)
}

/** Whether an id of a stream comes before another. */
export const isBelow = (a: string, b: string): boolean => {
  const [[a1, a2], [b1, b2]] = [a, b].map((id) => id.split("-").map(BigInt)) as [[bigint, bigint], [bigint, bigint]]
  return a1 === b1 ? a2 < b2 : a1 < b1
}
