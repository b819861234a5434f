/** The span of time of a query about deliveries. Pure. */
import type { Query } from "../../inventory/derive/filter/Filter.ts"
import type { Where } from "../../inventory/derive/filter/Where.ts"

/** Milliseconds since 1970; `since` belongs to it, `until` does not. */
export interface Window {
  readonly sinceMillis: number
  readonly untilMillis: number
}

/** The span of a query that names none. */
export const usualMillis = 86_400_000

/** Filters that bound the time of a delivery. */
const lower = ["time__gte", "time__gt"]
const upper = ["time__lt", "time__lte"]

/** Filters that name few deliveries, whenever they were made. */
const exact = new Set(["id", "delivery_id", "request_id", "time", "position"])

/** Whether the query says of which time it is, or means deliveries of any time. */
export const isPlaced = (query: Query): boolean =>
  query.some(([name]) => exact.has(name) || [...lower, ...upper].includes(name))

/** The narrowest span that the valid filters of a query allow: up to now, or the day before its end. */
export const windowOf = (query: Query, nowMillis: number): Window => {
  const times = (names: ReadonlyArray<string>) =>
    query.flatMap(([name, value]) => {
      const millis = Date.parse(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00Z` : value)
      return names.includes(name) && Number.isFinite(millis) ? [millis] : []
    })
  const untilMillis = Math.min(...times(upper), nowMillis)
  const since = times(lower)
  const sinceMillis = since.length === 0 ? untilMillis - usualMillis : Math.max(...since)
  return { sinceMillis: Math.min(sinceMillis, untilMillis), untilMillis }
}

export const within = ({ sinceMillis, untilMillis }: Window): Where => ({
  sql: "t.time >= to_timestamp($1::float8 / 1000) and t.time < to_timestamp($2::float8 / 1000)",
  parameters: [sinceMillis, untilMillis]
})

/** Lengths of a histogram's buckets, seconds. */
const stepsSeconds = [1, 5, 15, 60, 300, 600, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400]

/** Most buckets of a histogram, but for one that begins before its span. */
const bucketsMax = 36

/** The shortest length with which a span has few enough buckets, seconds. */
export const stepOf = ({ sinceMillis, untilMillis }: Window): number => {
  const least = (untilMillis - sinceMillis) / 1000 / bucketsMax
  const day = stepsSeconds.at(-1)!
  return stepsSeconds.find((step) => step >= least) ?? Math.ceil(least / day) * day
}
