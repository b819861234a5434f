/**
 * Finds the keys of waiting deliveries that Redis lost.
 *
 * A delivery that waits is named by several keys: delayed ones by `later` and `held`, parked ones by `parked`, `held` and
 * `blocked`, due ones by `again` and `urgent`. Nothing else in Redis shows that one of these is lost, so the delivery log
 * is compared with them (queue/reconcile/Sample.ts).
 */
import type { Client } from "../redis/Redis.ts"
import { group, keysOf } from "./Keys.ts"
import { RedisScript } from "../redis/RedisScript.ts"

/** A delivery to search for. */
export interface Sought {
  readonly id: string
  /** As `placeOf` makes it. */
  readonly place: string
  /** The id of its entry in the queue, if it may be there. */
  readonly entryId: string
}

/** Entries, members or deliveries in one call: Redis does nothing else meanwhile. */
const pageSize = 200

/** Most entries of `again` and `urgent` that are compared. */
const entriesMax = 10_000

const absentScript = new RedisScript<ReadonlyArray<number>>(new URL("scripts/sweep/absent.lua", import.meta.url))
const idsScript = new RedisScript<ReadonlyArray<string>>(new URL("scripts/sweep/ids.lua", import.meta.url))
const blockersScript = new RedisScript<string>(new URL("scripts/sweep/blockers.lua", import.meta.url))
const releaseScript = new RedisScript<readonly [last: string, released: number]>(
  new URL("scripts/sweep/release.lua", import.meta.url)
)

/**
 * The sought deliveries that are nowhere in Redis; undefined if too many are due to compare with. One that moves meanwhile
 * may be among them: query again.
 */
export const missing = async (
  client: Client,
  webhook: number,
  sought: ReadonlyArray<Sought>
): Promise<ReadonlyArray<Sought> | undefined> => {
  const { later, held, parked, queue } = keysOf(webhook)
  const absent: Array<Sought> = []
  for (let at = 0; at < sought.length; at += pageSize) {
    const page = sought.slice(at, at + pageSize)
    const args = page.flatMap(({ id, place, entryId }) => [id, place, entryId])
    const numbers = await absentScript.run(client, { keys: [later, held, parked, queue], args })
    absent.push(...numbers.map((number) => page[number - 1]!))
  }
  if (absent.length === 0) return absent
  const due = await dueIds(client, webhook)
  return due && absent.filter(({ id }) => !due.has(id))
}

/** The ids of the deliveries in `again` and `urgent`; undefined if there are too many to compare. */
const dueIds = async (client: Client, webhook: number): Promise<ReadonlySet<string> | undefined> => {
  const { again, urgent } = keysOf(webhook)
  const ids = new Set<string>()
  if ((await client.xlen(again)) > entriesMax) return undefined
  for (const stream of [again, urgent]) {
    for (let after = "-"; ;) {
      const [last, ...page] = await idsScript.run(client, { keys: [stream], args: [after, pageSize] })
      if (last === undefined) break
      for (const id of page) ids.add(id)
      if (ids.size > entriesMax) return undefined
      after = `(${last}`
    }
  }
  return ids
}

/** A page of the places of deliveries that were parked without an attempt. */
export interface Places {
  readonly places: ReadonlyArray<string>
  /** After which place the next page begins; "" for the first one. */
  readonly last: string
}

export const unattempted = async (client: Client, webhook: number, after: string): Promise<Places> => {
  const from = after === "" ? "-" : `(${after}`
  const places = await client.zrangebylex(keysOf(webhook).unattempted, from, "+", "LIMIT", 0, pageSize)
  return { places, last: places.length < pageSize ? "" : places.at(-1)! }
}

/** Forgets places of deliveries that were attempted. */
export const forgetPlaces = async (client: Client, webhook: number, places: ReadonlyArray<string>): Promise<void> => {
  if (places.length > 0) await client.zrem(keysOf(webhook).unattempted, ...places)
}

/** Most pages of one kind in one round. */
const pagesMax = 100

/**
 * Names the deliveries that block their objects, if Redis lost their names, and releases parked deliveries whose object
 * nothing blocks; returns how many.
 */
export const release = async (client: Client, webhook: number): Promise<number> => {
  const { parked, blocked, held, again } = keysOf(webhook)
  // Where deliveries are under way, one is named at least.
  if ((await client.exists(blocked)) === 0) await nameBlockers(client, webhook)
  let released = 0
  for (let after = "-", pages = 0; pages < pagesMax; pages++) {
    const [last, count] = await releaseScript.run(client, {
      keys: [parked, blocked, held, again],
      args: [after, pageSize]
    })
    released += count
    if (last === "") break
    after = `(${last}`
  }
  return released
}

const nameBlockers = async (client: Client, webhook: number): Promise<void> => {
  const { held, blocked, ...keys } = keysOf(webhook)
  for (const kind of ["later", "urgent", "again", "queue"] as const) {
    let from = kind === "later" ? "0" : "-"
    for (let pages = 0; from !== "" && pages < pagesMax; pages++) {
      from = await blockersScript.run(client, {
        keys: [keys[kind], held, blocked],
        args: [kind, from, pageSize, group]
      })
    }
  }
}
