/** Whether the API's state of an object has a change already. Pure. */
import { isDictionary } from "../../inventory/Field.ts"
import type { FoundObject } from "./FetchedObject.ts"

/**
 * - `Current`: the state is that of the change.
 * - `Newer`: the object was changed again since.
 * - `Older`: the state is from before the change: of a replica or a cache, or of a transaction that is not visible yet.
 * - `Unknown`: one of both has no time.
 */
export type Freshness = "Current" | "Newer" | "Older" | "Unknown"

/**
 * Compares `last_updated` of a snapshot after a change with that of the API's object. Times are compared by the
 * millisecond: NetBox writes milliseconds into snapshots, and microseconds into answers of its API.
 */
export const freshness = (postchange: unknown, found: Pick<FoundObject, "lastUpdated">): Freshness => {
  const changed = millisOf(isDictionary(postchange) ? postchange["last_updated"] : undefined)
  const read = millisOf(found.lastUpdated)
  if (Number.isNaN(changed) || Number.isNaN(read)) return "Unknown"
  return read === changed ? "Current" : read > changed ? "Newer" : "Older"
}

/** A time with its zone: `2026-11-29T02:00:00.123456Z`. */
const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/

/** Milliseconds since 1970, further digits cut off; NaN for anything else. */
const millisOf = (value: unknown): number =>
  typeof value === "string" && time.test(value) ? Date.parse(value) : Number.NaN
