/** The destination of a request with this address, as far as it is known before a template is rendered. Pure. */
import { authorityIn } from "./Authority.ts"
import { hiddenMark } from "./Hiding.ts"
import { userInformation } from "./UserInformation.ts"

/** Engines whose text before a slash stays before it, whatever is behind. */
const plainEngines: ReadonlySet<string> = new Set(["jinja", "liquid", "nunjucks"])

/**
 * Scheme, host and port of an address, without its user information. A template that makes them in a way that cannot be
 * seen, or is of another engine, is a destination as a whole.
 */
export const destinationOf = (address: string, engine: string): string => {
  if (!plainEngines.has(engine)) return `${engine} ${address}`
  const { shown } = userInformation.hide(address)
  const authority = authorityIn(shown)
  if (authority === undefined) return `${engine} ${address}`
  const origin = shown.slice(0, authority.to).replace(`${hiddenMark}@`, "")
  return origin.includes("{{") ? `${engine} ${origin}` : origin.toLowerCase()
}
