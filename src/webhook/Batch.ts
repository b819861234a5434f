/**
 * A batch: the content of one request about several deliveries of a webhook.
 *
 * Its default body is a list of events, and its templates see `events`; each has the `delivery_id` of its delivery and
 * the number of its `attempt`. The id of the batch is made of its members' ids: a batch that is tried again with the
 * same members has the same id, another one never.
 */
import { createHash } from "node:crypto"
import { templateContextOf } from "./ConfigContexts.ts"
import { placeOf } from "./JsonText.ts"
import { comparePositions, positionOf } from "../event/Position.ts"
import type { DeliveryWithBody } from "../changelog/EventBodies.ts"
import type { BatchPolicy } from "../inventory/types/extras/WebhookBatch.ts"

/** A batch in the place of a delivery. */
export interface Batch extends DeliveryWithBody {
  /** How many deliveries it has. */
  readonly size: number
  /** The context of its templates, as JSON text. */
  readonly context: () => string
}

/** Characters of a batch's id, in hexadecimal digits of SHA-256. */
const idDigits = 32

/** A delivery as it is sent by itself: where its webhook has a batch, as a batch of one. */
export const sentAlone = (delivery: DeliveryWithBody, hasBatch: boolean): DeliveryWithBody | Batch =>
  hasBatch ? batchOf([delivery], { isLatest: false }) : delivery

/** The batch of these deliveries, one at least; their bodies are loaded. */
export const batchOf = (
  members: ReadonlyArray<DeliveryWithBody>,
  { isLatest }: Pick<BatchPolicy, "isLatest">
): Batch => {
  const told = isLatest ? latestOf(members) : members
  const [first] = members
  const ids = members.map(({ id }) => id).sort()
  return {
    ...first!,
    ...contentOf(told),
    id: `${first!.webhook}-batch-${createHash("sha256").update(ids.join(" ")).digest("hex").slice(0, idDigits)}`,
    attempts: Math.max(...members.map(({ attempts }) => attempts)),
    // A change that the batch causes follows from all of its members.
    ...longestChain(members),
    size: members.length,
    context: () => `{"events":[${told.map((each) => asMember(each, templateContextOf(each))).join(",")}]}`
  }
}

const longestChain = (members: ReadonlyArray<DeliveryWithBody>): Pick<DeliveryWithBody, "chain"> => {
  const [longest] = members.flatMap(({ chain }) => (chain === undefined ? [] : [chain])).toSorted(byLength)
  return { chain: longest }
}

const byLength = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => b.length - a.length

const asMember = ({ id, attempts }: DeliveryWithBody, object: string): string =>
  `{"delivery_id":${JSON.stringify(id)},"attempt":${attempts + 1},${object.slice(1)}`

/** A long event stays in the bytes that attempts share; it is the only one of its batch. */
const contentOf = (told: ReadonlyArray<DeliveryWithBody>): Pick<DeliveryWithBody, "body" | "bytes"> => {
  const [{ bytes } = { bytes: undefined }] = told
  if (bytes === undefined) return { body: `[${told.map((each) => asMember(each, each.body)).join(",")}]` }
  const [begin, end] = [asMember(told[0]!, "{"), "]"]
  return { body: "", bytes: Buffer.concat([Buffer.from(`[${begin}`), bytes.subarray(1), Buffer.from(end)]) }
}

/** The newest event of each object, with the state before the oldest. */
const latestOf = (members: ReadonlyArray<DeliveryWithBody>): ReadonlyArray<DeliveryWithBody> => {
  const byObject = Map.groupBy(members, ({ objectType, objectId }) => `${objectType} ${objectId}`)
  const newest = new Map(
    Array.from(byObject.values(), (each) => {
      const sorted = each.toSorted((one, other) => comparePositions(positionOf(one), positionOf(other)))
      return [sorted.at(-1)!, merged(sorted[0]!, sorted.at(-1)!)]
    })
  )
  return members.flatMap((each) => newest.get(each) ?? [])
}

/** The newer event, as if it had been one change with the older; a created object stays created. */
const merged = (older: DeliveryWithBody, newer: DeliveryWithBody): DeliveryWithBody => {
  if (older === newer) return newer
  const event = older.event === "created" && newer.event === "updated" ? "created" : newer.event
  const told = replaced(newer.body, placeOf(newer.body, "event"), JSON.stringify(event))
  const before = placeOfPrechange(older.body)
  const body = replaced(told, placeOfPrechange(told), older.body.slice(...before))
  return { ...newer, event, body }
}

const placeOfPrechange = (body: string) => placeOf(body, "prechange", placeOf(body, "snapshots")![0])!

const replaced = (text: string, place: ReturnType<typeof placeOf>, by: string): string =>
  text.slice(0, place![0]) + by + text.slice(place![1])
