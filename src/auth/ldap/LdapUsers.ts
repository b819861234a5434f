/** Users of a directory: whether a password is right, and the account and groups of its entry. */
import { randomBytes } from "node:crypto"
import {
  AndFilter,
  type Client,
  ConstraintViolationError,
  DN,
  EqualityFilter,
  type Filter,
  FilterParser,
  InappropriateAuthError,
  InvalidCredentialsError,
  InvalidDNSyntaxError,
  NoSuchObjectError,
  OrFilter,
  ResultCodeError,
  SizeLimitExceededError,
  UnwillingToPerformError,
  escapeFilter
} from "ldapts"
import { reveal } from "../../Config.ts"
import type { Account } from "../directory/Account.ts"
import { sentNamesMax } from "../directory/GroupPlan.ts"
import { ProviderFault } from "../directory/SignInRefused.ts"
import {
  type Entry,
  accountIn,
  binaryIdentifier,
  isDisabled,
  subjectValues,
  textsIn,
  userAttributes
} from "./LdapEntry.ts"
import { type LdapOptions, filled, isAdmitted } from "./LdapRules.ts"
import type { LdapServers } from "./LdapServers.ts"

/** Entries per page: Active Directory sends 1,000 at most. */
const pageEntries = 500

/** Most levels of groups in groups, and most of their names in one filter. */
const levelsMax = 10
const namesPerFilter = 100

/** Refusals of a bind that mean a wrong password, or an account that the directory locked. */
const refusals = [
  InvalidCredentialsError,
  NoSuchObjectError,
  InappropriateAuthError,
  InvalidDNSyntaxError,
  ConstraintViolationError,
  UnwillingToPerformError
]

/** An entry, and the connection that read it. */
interface UserEntry {
  readonly client: Client
  readonly entry: Entry & { readonly dn: string }
}

export class LdapUsers {
  private readonly options: LdapOptions
  private readonly servers: LdapServers

  constructor(options: LdapOptions, servers: LdapServers) {
    this.options = options
    this.servers = servers
  }

  /**
   * The account of a user; undefined for a wrong name or password, the reason as a part of a sentence where the entry
   * cannot be used. Rejects with `ProviderFault`.
   */
  accountOf(name: string, password: string): Promise<Account | undefined | string> {
    return this.asking(async (client) => {
      const entry = await this.entryOf(client, name, password)
      return entry === undefined ? undefined : this.withGroups({ client, entry })
    })
  }

  /** The account of this identifier; undefined where it is disabled, or nobody may log in by it any more. */
  accountBy(subject: string): Promise<Account | undefined | string> {
    return this.asking(async (client) => {
      await this.bind(client)
      // Any name: the filter may have conditions beside it.
      const who = this.options.ldapUserFilter.replaceAll("%(user)s", "*")
      // Not as a text: parsing it would read the bytes of a binary identifier as characters.
      const identified = new OrFilter({ filters: subjectValues(subject).map((each) => new EqualityFilter(each)) })
      const filters = [identified, FilterParser.parseString(who)]
      const [entry] = await this.search(client, new AndFilter({ filters }))
      return entry === undefined || isDisabled(entry) ? undefined : this.withGroups({ client, entry })
    })
  }

  /** Binds by the name of the options, and reads the entries below which users and groups are searched. */
  async probe(url: string): Promise<void> {
    await this.servers.conversation(url, async (client) => {
      await this.bind(client)
      for (const base of [this.options.ldapUserBase, this.options.ldapGroupBase]) {
        if (base !== undefined) await client.search(base, { scope: "base", attributes: ["1.1"] })
      }
    })
  }

  /** The fault of a filter in the options; undefined for none. */
  filterProblem(): string | undefined {
    const values = { user: "x", dn: "x" }
    const filters = { LDAP_USER_FILTER: this.options.ldapUserFilter, LDAP_GROUP_FILTER: this.options.ldapGroupFilter }
    for (const [option, filter] of Object.entries(filters)) {
      try {
        FilterParser.parseString(filled(filter, values, escaped))
      } catch (error) {
        return `${option}: ${filter} is no filter: ${(error as Error).message}.`
      }
    }
    return undefined
  }

  private async asking<A>(work: (client: Client) => Promise<A>): Promise<A> {
    try {
      return await this.servers.use(work)
    } catch (error) {
      if (!(error instanceof ResultCodeError)) throw error
      throw new ProviderFault(`the directory answered ${error.name}: ${error.message}`, false)
    }
  }

  private async bind(client: Client): Promise<void> {
    const { ldapBindDn: dn, ldapBindPassword: password } = this.options
    if (dn !== undefined && password !== undefined) await client.bind(dn, reveal(password))
  }

  /** The entry of the user, after its password was accepted; undefined for a wrong one. */
  private async entryOf(client: Client, name: string, password: string): Promise<UserEntry["entry"] | undefined> {
    const template = this.options.ldapUserDnTemplate
    if (template !== undefined) {
      const dn = filled(template, { user: name }, escapedName)
      if (!(await isAccepted(client, dn, password))) return undefined
      const [entry] = await this.read(client, dn)
      return entry
    }
    await this.bind(client)
    const [entry, other] = await this.search(client, filled(this.options.ldapUserFilter, { user: name }, escaped))
    if (other !== undefined) throw new ProviderFault(`two entries match the name "${name}"`, false)
    // An unknown name takes as long as a wrong password.
    const unknown = `cn=${randomBytes(16).toString("hex")},${this.options.ldapUserBase}`
    const secret = entry === undefined ? randomBytes(16).toString("hex") : password
    const isRight = await isAccepted(client, entry?.dn ?? unknown, secret)
    if (!isRight || entry === undefined) return undefined
    await this.bind(client)
    return entry
  }

  private async read(client: Client, dn: string) {
    const { ldapUserNameAttribute: name } = this.options
    const { searchEntries } = await client.search(dn, {
      scope: "base",
      attributes: [...userAttributes(name)],
      explicitBufferAttributes: [binaryIdentifier]
    })
    return searchEntries
  }

  /** Users that the filter finds, two at most. */
  private async search(client: Client, filter: Filter | string) {
    const { ldapUserNameAttribute: name, ldapUserBase, ldapUserDnTemplate = "" } = this.options
    const base = ldapUserBase ?? ldapUserDnTemplate.replace(/^.*?%\(user\)s[^,]*,/, "")
    try {
      const { searchEntries } = await client.search(base, {
        scope: "sub",
        filter,
        attributes: [...userAttributes(name)],
        explicitBufferAttributes: [binaryIdentifier],
        sizeLimit: 2
      })
      return searchEntries
    } catch (error) {
      if (error instanceof SizeLimitExceededError) throw new ProviderFault("several entries match one name", false)
      throw error
    }
  }

  private async withGroups({ client, entry }: UserEntry): Promise<Account | string> {
    const account = accountIn(entry, this.options.ldapUserNameAttribute)
    if (typeof account === "string" || this.options.ldapGroupBase === undefined) return account
    const groups = await this.groupsOf(client, entry.dn, account.name)
    return isAdmitted(groups, this.options)
      ? { ...account, groups }
      : `it is not in the group ${this.options.ldapRequiredGroup}`
  }

  /** The names of the groups of a user, and of the groups that these are in. */
  private async groupsOf(client: Client, dn: string, user: string): Promise<ReadonlyArray<string>> {
    const { ldapGroupBase = "", ldapGroupFilter, ldapGroupNameAttribute: attribute, ldapNestedGroups } = this.options
    const names = new Set<string>()
    const seen = new Set<string>()
    let filters: ReadonlyArray<string> = [filled(ldapGroupFilter, { dn, user }, escaped)]
    for (let level = 0; level < levelsMax && filters.length > 0; level++) {
      const fresh: Array<string> = []
      for (const filter of filters) {
        const { searchEntries } = await client.search(ldapGroupBase, {
          scope: "sub",
          filter,
          attributes: [attribute],
          paged: { pageSize: pageEntries }
        })
        for (const group of searchEntries) {
          for (const name of textsIn(group, attribute)) names.add(name)
          if (!seen.has(group.dn)) fresh.push(group.dn)
          seen.add(group.dn)
        }
        if (names.size > sentNamesMax) return [...names]
      }
      filters = ldapNestedGroups ? memberFilters(fresh) : []
    }
    return [...names]
  }
}

/** Filters that find the groups of these groups. */
const memberFilters = (groups: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(groups.length / namesPerFilter) }, (_, at) => {
    const some = groups.slice(at * namesPerFilter, (at + 1) * namesPerFilter)
    return `(|${some.map((dn) => `(member=${escaped(dn)})(uniqueMember=${escaped(dn)})`).join("")})`
  })

const isAccepted = async (client: Client, dn: string, password: string): Promise<boolean> => {
  try {
    await client.bind(dn, password)
    return true
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return false
    throw error
  }
}

const escaped = (value: string): string => escapeFilter`${value}`

/** A value as it is written in the name of an entry. */
const escapedName = (value: string): string => new DN({ x: value }).toString().slice("x=".length)
