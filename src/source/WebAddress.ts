/**
 * The address of the page that shows an object in its NetBox. The data of an event is hostile input: an address in it
 * counts only if it has the origin of the source and ends with the id of the object. Pure.
 */
import { apiBase, knownEndpoint } from "./data/Endpoint.ts"
import type { ObjectName } from "./data/FetchedObject.ts"

interface ShownObject extends ObjectName {
  /** The address of the NetBox, as its source has it; empty for none. */
  readonly apiUrl: string
  /** Its address for people, where that is another one; empty for none. */
  readonly webUrl: string
  /** The beginning of the JSON text of `data`. */
  readonly data: string
}

/** Most characters of `data` that are needed: NetBox and snapshots have addresses before other fields. */
export const dataCharsMax = 4000

/** Longest address that becomes a link, characters. */
const addressCharsMax = 2000

/**
 * `display_url` of the data, or the page of its `url`, or the page by the declarations. Undefined for a source without
 * an address, and where none of these is known.
 */
export const webAddress = ({ type, objectId, apiUrl, webUrl, data }: ShownObject): string | undefined => {
  const web = apiBase(webUrl)
  const base = apiBase(apiUrl) ?? web
  if (base === undefined) return undefined
  const own = (address: string | undefined) => pageIn(address, base, objectId)
  const { url, display_url: displayUrl } = firstTexts(data)
  const endpoint = knownEndpoint(type)
  const page = own(displayUrl) ?? own(url) ?? own(endpoint && `${base}/${endpoint}${objectId}/`)
  return web === undefined || page === undefined ? page : below(web, page, base)
}

/** The page at another address of the same NetBox; undefined for one that is not below its address. */
const below = (web: string, page: string, base: string): string | undefined =>
  page.startsWith(`${base}/`) ? `${web}${page.slice(base.length)}` : undefined

/** The page, without the user information, the query and the fragment of its address. */
const pageIn = (address: string | undefined, base: string, objectId: string): string | undefined => {
  if (address === undefined || address.length > addressCharsMax || !URL.canParse(address)) return undefined
  const [{ protocol, origin, pathname }, own] = [new URL(address), new URL(base)]
  const isOwn = (protocol === "https:" || protocol === "http:") && origin === own.origin
  if (!isOwn || !pathname.endsWith(`/${objectId}/`)) return undefined
  const api = `${own.pathname.replace(/\/$/, "")}/api/`
  return `${origin}${pathname.startsWith(api) ? `${api.slice(0, -"api/".length)}${pathname.slice(api.length)}` : pathname}`
}

/** A member of an object whose value is a text or a whole number. */
const member = /[{,]\s*"([^"\\]*)"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|-?\d+)/y

/** The addresses among the members before the first one with another kind of value. Addresses need no escapes. */
const firstTexts = (data: string): Partial<Record<"url" | "display_url", string>> => {
  const found: { url?: string; display_url?: string } = {}
  member.lastIndex = 0
  for (let each = member.exec(data); each !== null; each = member.exec(data)) {
    const [, name, text] = each
    if ((name === "url" || name === "display_url") && text !== undefined && !text.includes("\\")) found[name] ??= text
  }
  return found
}
