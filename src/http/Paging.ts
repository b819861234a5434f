/** Pages of a list: `limit` and `offset` of a request, and the links to the pages beside. Pure. */

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
  const link = (at: number) => {
    const url = new URL(address)
    url.searchParams.set("limit", `${limit}`)
    if (at > 0) url.searchParams.set("offset", `${at}`)
    else url.searchParams.delete("offset")
    return url.href
  }
  return {
    next: offset + limit < count ? link(offset + limit) : null,
    previous: offset > 0 ? link(Math.max(offset - limit, 0)) : null
  }
}
