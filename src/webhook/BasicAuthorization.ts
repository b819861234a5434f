/**
 * Basic authorization from the user information of an address, as the Python package `requests` makes it, and so NetBox.
 *
 * `https://user:pass@host/` is requested as `https://host/` with the header, which replaces an `Authorization` of the
 * webhook's own. Both parts are percent-decoded, and encoded in Latin-1 where that has all their characters (UTF-8
 * otherwise, where `requests` fails). Without a colon, or with two blank parts, there is no header.
 */
import { unescape as decoded } from "node:querystring"

interface AddressParts {
  /** Without user information. */
  readonly url: string
  /** The value of the header; undefined for none. */
  readonly authorization: string | undefined
}

/** `address` is a sound one (`addressProblem`). */
export const withoutUserInformation = (address: string): AddressParts => {
  if (!address.includes("@")) return { url: address, authorization: undefined }
  // The information begins after all white space: tried from each of its characters, this would take quadratic time.
  const [whole, scheme = "", information = ""] = /^(\s*https?:[/\\\s]*)((?:[^/?#\\\s][^/?#\\]*)?)@/i.exec(address) ?? []
  if (whole === undefined) return { url: address, authorization: undefined }
  return { url: scheme + address.slice(whole.length), authorization: basicOf(information) }
}

const basicOf = (information: string): string | undefined => {
  const colon = information.indexOf(":")
  if (colon < 0 || information === ":") return undefined
  const text = `${decoded(information.slice(0, colon))}:${decoded(information.slice(colon + 1))}`
  // eslint-disable-next-line no-control-regex
  const encoding = /^[\0-\u00ff]*$/.test(text) ? "latin1" : "utf8"
  return `Basic ${Buffer.from(text, encoding).toString("base64")}`
}
