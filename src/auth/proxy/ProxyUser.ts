/** The user whom a trusted proxy names in the headers of a request. Pure. */
import { digest } from "../../inventory/Vault.ts"
import { Denied } from "../Denied.ts"
import { nameFault, plainName } from "../directory/PlainName.ts"
import { type HeaderNames, headerName } from "./ProxyRules.ts"

export interface ProxyUser {
  readonly name: string
  /** Names of groups; undefined where groups follow no header. */
  readonly groups: ReadonlyArray<string> | undefined
}

/**
 * The user in the headers of a request, which are names and values by turns, as they arrived; undefined without the
 * header. Refuses a header that arrived twice, in any spelling: one of them may be the client's.
 */
export const proxyUserIn = (raw: ReadonlyArray<string>, names: HeaderNames): ProxyUser | undefined | Denied => {
  const users = valuesOf(raw, names.user)
  const groups = names.groups === undefined ? [] : valuesOf(raw, names.groups)
  if (users.length > 1 || groups.length > 1) return new Denied({ reason: "ProxyHeaderTwice" })
  const [value] = users
  if (value === undefined) return undefined
  const name = textOf(value)
  const list = textOf(groups[0] ?? "")
  const fault = name === undefined || list === undefined ? "is not in UTF-8" : faultOf(plainName(name))
  if (name === undefined || list === undefined || fault !== undefined) {
    return new Denied({ reason: "ProxyUserName", fault: fault ?? "" })
  }
  return { name: plainName(name), groups: names.groups === undefined ? undefined : list.split(names.separator) }
}

const valuesOf = (raw: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  raw.filter((_, at) => at % 2 === 1 && sameName(raw[at - 1]!, name))

/** Proxies and clients may write `_` for `-`. */
const sameName = (given: string, name: string): boolean => given.length === name.length && headerName(given) === name

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of a header, of which Node makes one character of each byte; undefined if it is no UTF-8. */
const textOf = (value: string): string | undefined => {
  try {
    return utf8.decode(Buffer.from(value, "latin1"))
  } catch {
    return undefined
  }
}

const faultOf = (name: string): string | undefined =>
  // Apache writes this for a variable that is not set.
  name === "(null)" ? "is (null): the proxy found no user" : nameFault(name)

/** A digest of the headers that a session began with; null for a session that began without them. */
export const proxyMark = (sent: ProxyUser | undefined): string | null =>
  sent === undefined ? null : digest(JSON.stringify([sent.name, sent.groups ?? null]))
