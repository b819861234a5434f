/**
 * Pages of a list: the page that a request selects, and the links to the next and the previous one. Pure.
 *
 * Pages are selected by `limit` and `offset`, or by cursor: with `start`, from an id on. A page by cursor costs the same anywhere
 * in the list, needs no count, and concurrent writes do not shift it.
 */
import type { Where } from "../../inventory/derive/filter/Where.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { parameterOf } from "../query/Parameter.ts"

export interface PageBounds {
  /** Most objects; undefined for all. */
  readonly limit: number | undefined
  readonly offset: number
}

interface PageSizes {
  /** Size where the request names none. */
  readonly usual: number
  /** Largest size; 0 for no limit. */
  readonly max: number
}

/** The bounds of a page. Invalid numbers count as absent; `limit=0` requests as many objects as a page may have. */
export const pageBounds = (query: URLSearchParams, sizes: PageSizes): PageBounds => {
  const asked = natural(parameterOf(query, "limit"))
  const most = sizes.max === 0 ? undefined : sizes.max
  const wanted = asked ?? sizes.usual
  const limit = wanted === 0 ? most : Math.min(wanted, most ?? wanted)
  return { limit, offset: natural(parameterOf(query, "offset")) ?? 0 }
}

const natural = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** Addresses of the next and the previous page; the other parameters stay as they were. */
export const pageLinks = (
  address: URL,
  { limit, offset }: PageBounds,
  count: number
): { readonly next: string | null; readonly previous: string | null } => {
  if (limit === undefined) return { next: null, previous: null }
  const link = (at: number) => linked(address, { limit, offset: at > 0 ? at : undefined })
  return {
    next: offset + limit < count ? link(offset + limit) : null,
    previous: offset > 0 ? link(Math.max(offset - limit, 0)) : null
  }
}

const linked = (address: URL, parameters: Readonly<Record<string, number | undefined>>): string => {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, `${value}`)
  }
  return url.href
}

/** The first id of a page by cursor; undefined where the request pages by offset. */
export const cursorOf = (query: URLSearchParams): number | undefined | HttpRefused => {
  const start = parameterOf(query, "start")
  if (start === undefined) return undefined
  const message = query.has("offset")
    ? "'start' and 'offset' are mutually exclusive."
    : query.has("ordering")
      ? "Ordering cannot be specified in conjunction with cursor-based pagination."
      : natural(start) === undefined
        ? "Invalid 'start' parameter: must be a non-negative integer."
        : undefined
  return message === undefined ? natural(start) : new HttpRefused({ reason: "InvalidQuery", body: [message] })
}

/** The objects at or behind a cursor. */
export const from = (start: number): Where => ({ sql: "t.id >= $1::bigint", parameters: [`${start}`] })

/** The link to the page behind these ids; null behind a page that is not full. */
export const cursorLink = (address: URL, limit: number | undefined, ids: ReadonlyArray<number>): string | null => {
  const last = ids.at(-1)
  if (limit === undefined || last === undefined || ids.length < limit) return null
  return linked(address, { limit, start: last + 1 })
}
