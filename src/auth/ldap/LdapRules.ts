/** The options of an LDAP directory: its faults, the filters that it makes, and the rules of its groups. Pure. */
import type { Values } from "../../Config.ts"
import { type GroupRules, mappingOf, plainRules } from "../directory/GroupPlan.ts"
import { nameFault, plainName } from "../directory/PlainName.ts"

export type LdapOptions = Pick<Values, Extract<keyof Values, `ldap${string}`>>

/** Most characters of a password: a longer one is never sent. */
const passwordCharsMax = 1024

/** Whether a name and a password may be sent to the directory. With an empty password a server binds anybody. */
export const isAskable = (name: string, password: string): boolean =>
  nameFault(name) === undefined && password !== "" && password.length <= passwordCharsMax && !password.includes("\0")

/** Puts values into a template, each escaped by `escape`. */
export const filled = (
  template: string,
  values: Readonly<Record<string, string>>,
  escape: (value: string) => string
): string =>
  template.replaceAll(/%\((\w+)\)s/g, (whole, name: string) => (name in values ? escape(values[name]!) : whole))

/** The rules by which groups of the directory become groups here. */
export const groupRules = (options: LdapOptions): GroupRules => {
  const mapping = mappingOf(options.ldapGroupsMap)
  return {
    ...plainRules,
    // The start refuses a mapping with a fault.
    mapping: typeof mapping === "string" ? plainRules.mapping : mapping,
    prefix: options.ldapGroupsPrefix,
    creates: options.ldapGroupsCreate,
    superusers: { groups: options.ldapSuperuserGroups, users: [] }
  }
}

/** Whether the groups of a user let it log in. */
export const isAdmitted = (groups: ReadonlyArray<string>, { ldapRequiredGroup }: LdapOptions): boolean =>
  ldapRequiredGroup === undefined ||
  groups.some((group) => plainName(group).toLowerCase() === plainName(ldapRequiredGroup).toLowerCase())

/** Returns the fault of the options, with what to do; undefined for none. */
export const ldapProblem = (options: LdapOptions): string | undefined => {
  const { ldapUrl, ldapBindDn, ldapBindPassword, ldapUserBase, ldapUserDnTemplate: template } = options
  if (ldapUrl.length === 0) return undefined
  const url = ldapUrl.flatMap((each) => urlProblem(each, options.ldapStartTls) ?? [])[0]
  if (url !== undefined) return `LDAP_URL: ${url}`
  if (ldapBindDn !== undefined && ldapBindPassword === undefined) {
    return "LDAP_BIND_PASSWORD: is not set, and without it LDAP_BIND_DN would be nobody. Set it, or remove LDAP_BIND_DN."
  }
  if ((ldapUserBase === undefined) === (template === undefined)) {
    return "LDAP_USER_BASE: set it, or LDAP_USER_DN_TEMPLATE, and not both."
  }
  if (template !== undefined && !/=.*%\(user\)s/.test(template)) {
    return "LDAP_USER_DN_TEMPLATE: expected the name of an entry with %(user)s, like uid=%(user)s,ou=people,dc=example,dc=org. Other forms of names could let one user log in as another."
  }
  if (!options.ldapUserFilter.includes("%(user)s")) {
    return "LDAP_USER_FILTER: it has no %(user)s, so it would find the same entry for every name."
  }
  const mapping = mappingOf(options.ldapGroupsMap)
  if (typeof mapping === "string") return `LDAP_GROUPS_MAP: ${mapping}`
  return options.ldapGroupBase === undefined ? idleProblem(options) : undefined
}

const urlProblem = (text: string, startTls: boolean): string | undefined => {
  const url = URL.parse(text)
  if (url === null || !/^ldaps?:$/.test(url.protocol) || url.hostname === "") {
    return `"${text}" is not an address like ldaps://ldap.example.org.`
  }
  if (`${url.username}${url.password}${url.search}${url.hash}` !== "" || !/^\/?$/.test(url.pathname)) {
    return `"${text}" has more than a host and a port: remove it.`
  }
  if (url.protocol === "ldaps:") {
    return startTls ? `${text} is encrypted without StartTLS: remove LDAP_START_TLS, or use ldap://.` : undefined
  }
  return startTls || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
    ? undefined
    : `${text} would send passwords that everybody on the way can read: use ldaps://, or set LDAP_START_TLS=true.`
}

/** An option that has no effect without groups. */
const idleProblem = (options: LdapOptions): string | undefined => {
  const idle = Object.entries({
    LDAP_REQUIRED_GROUP: options.ldapRequiredGroup !== undefined,
    LDAP_SUPERUSER_GROUPS: options.ldapSuperuserGroups.length > 0,
    LDAP_GROUPS_MAP: options.ldapGroupsMap !== undefined,
    LDAP_GROUPS_PREFIX: options.ldapGroupsPrefix !== "",
    LDAP_GROUPS_CREATE: options.ldapGroupsCreate
  }).find(([, isSet]) => isSet)
  return idle === undefined
    ? undefined
    : `${idle[0]}: it has no effect without LDAP_GROUP_BASE. Set that, or remove it.`
}
