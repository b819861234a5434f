/** The options of sign-in by a proxy's header: names of headers, rules of groups, and faults of the options. Pure. */
import type { Settings } from "../../Config.ts"
import { parseIpNetwork } from "../../inventory/field/Networks.ts"
import { type GroupRules, plainRules } from "../directory/GroupPlan.ts"

type Options = Settings["Service"]

/** The options that say from whom which headers are believed. */
export type ProxyOptions = Pick<
  Options,
  | "trustedProxies"
  | "remoteAuthEnabled"
  | "remoteAuthHeader"
  | "remoteAuthCreateUsers"
  | "remoteAuthGroupSync"
  | "remoteAuthGroupSeparator"
  | "remoteAuthGroupHeader"
  | "remoteAuthSuperuserGroups"
  | "remoteAuthSuperusers"
  | "remoteAuthStaffGroups"
  | "remoteAuthStaff"
>

/** Names of headers, in small letters and with hyphens. */
export interface HeaderNames {
  readonly user: string
  /** Undefined where groups follow no header. */
  readonly groups: string | undefined
  readonly separator: string
}

/** The name of a header, also from its spelling in WSGI, in the form in which all its spellings are equal. */
export const headerName = (text: string): string =>
  text
    .replace(/^HTTP_(?=[A-Z0-9_]+$)/, "")
    .replaceAll("_", "-")
    .toLowerCase()

/** The headers that a trusted proxy names users in; undefined where the option is off. */
export const headersOf = (options: ProxyOptions): HeaderNames | undefined =>
  options.remoteAuthEnabled
    ? {
        user: headerName(options.remoteAuthHeader),
        groups: options.remoteAuthGroupSync ? headerName(options.remoteAuthGroupHeader) : undefined,
        separator: options.remoteAuthGroupSeparator
      }
    : undefined

/** The rules of the groups that the proxy names. */
export const syncedRules = (options: Options): GroupRules => ({
  ...plainRules,
  creates: options.remoteAuthCreateGroups,
  replaces: options.remoteAuthGroupReplace,
  superusers: { groups: options.remoteAuthSuperuserGroups, users: options.remoteAuthSuperusers },
  staff: { groups: options.remoteAuthStaffGroups, users: options.remoteAuthStaff }
})

/** The rules of a new user whose groups follow no header. */
export const initialRules = (options: Options): GroupRules => ({
  ...plainRules,
  defaults: options.remoteAuthDefaultGroups
})

/** Headers with a meaning of their own. */
const otherHeaders = new Set(["authorization", "cookie", "host", "origin", "x-forwarded-for", "x-forwarded-host"])

/** Returns the fault of the options, with what to do; undefined for none. */
export const proxyProblem = (options: ProxyOptions): string | undefined => {
  if (!options.remoteAuthEnabled) return undefined
  const { trustedProxies, remoteAuthHeader, remoteAuthGroupHeader } = options
  if (trustedProxies.length === 0) {
    return "REMOTE_AUTH_ENABLED: no proxy is trusted, so every client could name any user. Set TRUSTED_PROXIES to the address of the proxy."
  }
  const every = trustedProxies.find((text) => parseIpNetwork(text)?.prefixLength === 0)
  if (every !== undefined) {
    return `TRUSTED_PROXIES: ${every} has every address, so with REMOTE_AUTH_ENABLED every client could name any user. Set it to the address of the proxy.`
  }
  const names = { REMOTE_AUTH_HEADER: remoteAuthHeader, REMOTE_AUTH_GROUP_HEADER: remoteAuthGroupHeader }
  for (const [option, text] of Object.entries(names)) {
    if (!/^[\w-]+$/.test(text) || otherHeaders.has(headerName(text))) {
      return `${option}: ${text} cannot be used. Expected the name of a header of your own, like X-Remote-User or HTTP_X_REMOTE_USER.`
    }
  }
  if (headerName(remoteAuthHeader) === headerName(remoteAuthGroupHeader)) {
    return "REMOTE_AUTH_GROUP_HEADER: it is the header of REMOTE_AUTH_HEADER. Use two headers."
  }
  const needsSync = {
    REMOTE_AUTH_SUPERUSER_GROUPS: options.remoteAuthSuperuserGroups,
    REMOTE_AUTH_SUPERUSERS: options.remoteAuthSuperusers,
    REMOTE_AUTH_STAFF_GROUPS: options.remoteAuthStaffGroups,
    REMOTE_AUTH_STAFF_USERS: options.remoteAuthStaff
  }
  const idle = Object.entries(needsSync).find(([, value]) => value.length > 0)
  return idle === undefined || options.remoteAuthGroupSync
    ? undefined
    : `${idle[0]}: it has no effect without the groups of the proxy. Set REMOTE_AUTH_GROUP_SYNC_ENABLED=true, or remove it.`
}
