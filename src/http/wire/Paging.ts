/**
 * Pages of a list: what a request asks for, and the links to the pages beside. Pure.
 *
 * By `limit` and `offset`, or, with `start`, from an id on: then a page costs the same wherever it lies, nothing is
 * counted, and what is written meanwhile shifts nothing.
 */
import type { Where } from "../../inventory/derive/filter/Where.ts"
import { HttpRefused } from "../HttpRefused.ts"

export interface PageBounds {
  /** Most objects; undefined for all. */
  readonly limit: number | undefined
  readonly offset: number
}

interface PageSizes {
  /** Where the request names none. */
  readonly usual: number
  /** Most; 0 for no bound. */
  readonly max: number
}

/** Numbers that make no sense count as absent; `limit=0` asks for as many as there may be. */
export const pageBounds = (query: URLSearchParams, sizes: PageSizes): PageBounds => {
  const asked = natural(query.get("limit"))
  const most = sizes.max === 0 ? undefined : sizes.max
  const wanted = asked ?? sizes.usual
  const limit = wanted === 0 ? most : Math.min(wanted, most ?? wanted)
  return { limit, offset: natural(query.get("offset")) ?? 0 }
}

const natural = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined

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

/** The least id of the page that is asked for by `start`; undefined where the request pages by offset. */
export const cursorOf = (query: URLSearchParams): number | undefined | HttpRefused => {
  const start = query.get("start")
  if (start === null) return undefined
  const message = query.has("offset")
    ? "'start' and 'offset' are mutually exclusive."
    : query.has("ordering")
      ? "Ordering cannot be specified in conjunction with cursor-based pagination."
      : natural(start) === undefined
        ? "Invalid 'start' parameter: must be a non-negative integer."
        : undefined
  return message === undefined ? natural(start) : new HttpRefused({ reason: "InvalidQuery", body: [message] })
}

/** What lies at or behind a cursor. */
export const from = (start: number): Where => ({ sql: "t.id >= $1::bigint", parameters: [`${start}`] })

/** The page behind one that ends with this id; none behind one that was not full. */
export const cursorLink = (address: URL, limit: number | undefined, ids: ReadonlyArray<number>): string | null =>
  limit === undefined || ids.length < limit ? null : linked(address, { limit, start: ids.at(-1)! + 1 })
