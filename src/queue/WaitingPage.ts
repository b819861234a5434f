/** A webhook's deliveries that wait in Redis or are under way, a page at a time: no order between the places. */
import type { Delivery } from "../event/Delivery.ts"
import type { Client } from "../redis/Redis.ts"
import { entriesOf, streams, unpack } from "./Entry.ts"
import { group, type keysOf } from "./Keys.ts"

type Keys = ReturnType<typeof keysOf>

/** Where deliveries wait, in the order of the pages. */
const places = [...streams, "parked", "later"] as const
type Place = (typeof places)[number]

export interface WaitingDelivery {
  readonly delivery: Delivery
  /** `sending`: a process works on it. `parked`: another delivery of its object comes first. `delayed`: it is not due yet. */
  readonly state: "sending" | "queued" | "parked" | "delayed"
  /** When it is due, milliseconds since 1970 on Redis' clock; undefined for now. */
  readonly due: number | undefined
  /** Behind which the next page begins. */
  readonly cursor: string
}

/** Up to `count` deliveries behind the cursor ("" for the first page); fewer only at the end. */
export const waitingPage = async (
  client: Client,
  keys: Keys,
  cursor: string,
  count: number,
  leaseMillis: number
): Promise<ReadonlyArray<WaitingDelivery>> => {
  const [, from = "", after = ""] = /^([a-z]+):(.*)$/s.exec(cursor) ?? []
  const found: Array<WaitingDelivery> = []
  for (const place of places.slice(Math.max(places.indexOf(from as Place), 0))) {
    if (found.length >= count) break
    const within = { after: place === from ? after : "", count: count - found.length, leaseMillis }
    found.push(...(await pageOf(client, keys, place, within)))
  }
  return found
}

interface Within {
  readonly after: string
  readonly count: number
  readonly leaseMillis: number
}

const pageOf = (client: Client, keys: Keys, place: Place, within: Within) => {
  if (place === "parked") return parkedPage(client, keys, within)
  return place === "later" ? delayedPage(client, keys, within) : streamPage(client, keys, place, within)
}

const streamPage = async (
  client: Client,
  keys: Keys,
  stream: (typeof streams)[number],
  { after, count, leaseMillis }: Within
): Promise<ReadonlyArray<WaitingDelivery>> => {
  const raw = await client.xrange(keys[stream], after === "" ? "-" : `(${after}`, "+", "COUNT", count)
  const [first, last] = [raw[0]?.[0], raw.at(-1)?.[0]]
  if (first === undefined || last === undefined) return []
  const pending = (await client.xpending(keys[stream], group, first, last, count).catch(() => [])) as ReadonlyArray<
    readonly [entryId: string, consumer: string, idleMillis: number]
  >
  const leased = new Set(pending.flatMap(([entryId, , idleMillis]) => (idleMillis < leaseMillis ? entryId : [])))
  return entriesOf(stream, raw, false).map(({ entryId, delivery }) => ({
    delivery,
    state: leased.has(entryId) ? "sending" : "queued",
    due: undefined,
    cursor: `${stream}:${entryId}`
  }))
}

const parkedPage = async (client: Client, keys: Keys, { after, count }: Within) => {
  const members = await client.zrangebylex(keys.parked, after === "" ? "-" : `(${after}`, "+", "LIMIT", 0, count)
  const ids = members.map((member) => member.slice(member.lastIndexOf("|") + 1))
  return withContents(client, keys, ids, (at) => ({
    state: "parked",
    due: undefined,
    cursor: `parked:${members[at]!}`
  }))
}

const delayedPage = async (client: Client, keys: Keys, { after, count }: Within) => {
  const rank = after === "" ? 0 : Number(after) + 1
  const scored = await client.zrange(keys.later, `${rank}`, `${rank + count - 1}`, "WITHSCORES")
  const ids = scored.filter((_, at) => at % 2 === 0)
  return withContents(client, keys, ids, (at) => ({
    state: "delayed",
    due: Number(scored[2 * at + 1]),
    cursor: `later:${rank + at}`
  }))
}

const withContents = async (
  client: Client,
  { held }: Keys,
  ids: ReadonlyArray<string>,
  about: (at: number) => Omit<WaitingDelivery, "delivery">
): Promise<ReadonlyArray<WaitingDelivery>> => {
  if (ids.length === 0) return []
  const contents = await client.hmget(held, ...ids)
  return contents.flatMap((text, at) => (text === null ? [] : [{ ...about(at), delivery: unpack(text) }]))
}
