/** Links to the same page with another query: every state of a page is in its address. */
import type { Request } from "../../http/wire/Request.ts"

/** The parameter of bulk pages that names the page to return to, where it is not the list. */
export const returnName = "return"

/** Parameters of a list that are no filters. */
const controls: ReadonlySet<string> = new Set([
  ...["limit", "offset", "ordering", "columns", "strict", returnName],
  // Pages that draw a list have these.
  ...["rack_face", "group_by", "cable_status"]
])

/** Parameters of pages alone, which the API does not have. */
const ofPages = ["columns", returnName, "rack_face", "group_by", "cable_status"]

type Parameters = Iterable<readonly [name: string, value: string]>

export const searchOf = (parameters: Parameters): URLSearchParams =>
  new URLSearchParams(Array.from(parameters, ([name, value]) => [name, value] as [string, string]))

/** The filters of a query that are set. */
export const filtersOf = (query: Parameters): URLSearchParams =>
  searchOf([...query].filter(([name, value]) => !controls.has(name) && value !== ""))

/** The parameters of a query that are no filters; without the place in the list, which other filters change. */
export const controlsOf = (query: Parameters): URLSearchParams =>
  searchOf([...query].filter(([name]) => controls.has(name) && name !== "offset"))

/**
 * The request as the handlers of the API read it: without the parameters that only pages have, and strict, so that the
 * page reports a mistyped filter instead of showing all objects.
 */
export const asApiReads = (request: Request): Request => {
  const url = new URL(request.url)
  for (const name of ofPages) url.searchParams.delete(name)
  if (!url.searchParams.has("strict")) url.searchParams.set("strict", "true")
  return { ...request, url }
}

/** A path with a query, if there is one. */
export const withQuery = (path: string, query: URLSearchParams): string =>
  query.size === 0 ? path : `${path}?${query}`

/** The query with these parameters changed; undefined leaves one out. */
export const changed = (query: URLSearchParams, changes: Readonly<Record<string, string | undefined>>): string => {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  }
  return `?${next}`
}

/** The query without blank values: without scripts a form sends every field that was left blank. */
export const withoutBlanks = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([, value]) => value !== ""))

export const withoutReturn = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([name]) => name !== returnName))

/** The query without one of its values. */
export const without = (query: URLSearchParams, name: string, value: string): string => {
  const next = new URLSearchParams(query)
  next.delete(name, value)
  next.delete("offset")
  return `?${next}`
}

/** The query without any filter. */
export const withoutFilters = (query: URLSearchParams): string => `?${controlsOf(query)}`
