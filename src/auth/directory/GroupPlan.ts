/**
 * The groups of a user after a directory has named some. Pure.
 *
 * A membership that a source gave ends when the source no longer names the group. One that was given by hand stays, and
 * so does one that another source gave.
 */
import { folded, nameFault, plainName } from "./PlainName.ts"

/** A right of some groups and users. Without any the source does not decide about it. */
interface RoleRule {
  /** Names of groups here. Only the names of the directory count: a membership given by hand gives no role. */
  readonly groups: ReadonlyArray<string>
  /** Names of users here. */
  readonly users: ReadonlyArray<string>
}

/** The rules by which the names of a source become groups. */
export interface GroupRules {
  /** Groups by a name of the directory, which may mean several groups; an empty list drops the name. */
  readonly mapping: ReadonlyMap<string, ReadonlyArray<string>>
  /** Only names that begin with it are used, without it; names of the mapping always. "" for all names. */
  readonly prefix: string
  /** Whether missing groups are created; otherwise their names are ignored. */
  readonly creates: boolean
  /** Groups that every user of the source gets. */
  readonly defaults: ReadonlyArray<string>
  readonly superusers: RoleRule
  readonly staff: RoleRule
  /** Whether memberships and roles that were given by hand end too, if the source does not name them. */
  readonly replaces: boolean
}

const noRole: RoleRule = { groups: [], users: [] }

/** The rules of a source without options: groups that exist, by the same name. */
export const plainRules: GroupRules = {
  mapping: new Map(),
  prefix: "",
  creates: false,
  defaults: [],
  superusers: noRole,
  staff: noRole,
  replaces: false
}

/** The mapping in an option, by names of the directory; or the fault of the option. */
export const mappingOf = (option: Readonly<Record<string, unknown>> = {}): GroupRules["mapping"] | string => {
  const mapping = new Map<string, ReadonlyArray<string>>()
  for (const [name, value] of Object.entries(option)) {
    const groups: unknown = typeof value === "string" ? [value] : value
    if (!Array.isArray(groups) || !groups.every((group) => typeof group === "string"))
      return `"${name}" must be the name of a group, or a list of names.`
    mapping.set(plainName(name), groups)
  }
  return mapping
}

/** Most names that a directory may send for a user. */
export const sentNamesMax = 10_000

/** Most groups that a directory may give a user. */
export const groupsMax = 1000

/** A name that is not used, and why, as the end of a sentence. */
interface NameFault {
  readonly name: string
  readonly fault: string
}

interface UsedNames {
  /** Names of groups here, each once, in their order. */
  readonly names: ReadonlyArray<string>
  readonly faults: ReadonlyArray<NameFault>
}

/** The groups that the names of a directory mean by these rules; undefined if there are too many names or groups. */
export const usedNames = (sent: ReadonlyArray<string>, rules: GroupRules): UsedNames | undefined => {
  if (sent.length > sentNamesMax) return undefined
  const names = new Set<string>()
  const faults: Array<NameFault> = []
  for (const text of sent) {
    const given = plainName(text)
    const mapped = rules.mapping.get(given)
    if (mapped === undefined && !given.startsWith(rules.prefix)) continue
    for (const each of mapped ?? [given.slice(rules.prefix.length)]) {
      const name = plainName(each)
      // Separators at the end of a list make empty names.
      if (name === "") continue
      const fault = nameFault(name)
      if (fault === undefined) names.add(name)
      else faults.push({ name, fault })
    }
  }
  return names.size > groupsMax ? undefined : { names: [...names].sort(), faults }
}

/** The rights that a source gave a user. */
export interface SourceGrant {
  readonly source: string
  /** Ids of groups. */
  readonly groups: ReadonlyArray<number>
  readonly superuser: boolean
  readonly staff: boolean
}

interface Group {
  readonly id: number
  readonly name: string
}

/** A user, as the database has it. */
export interface Member {
  readonly username: string
  readonly superuser: boolean
  readonly staff: boolean
  /** Ids of groups. */
  readonly groups: ReadonlyArray<number>
  readonly given: ReadonlyArray<SourceGrant>
  /** The groups of the user, and those with a wanted name, or with one that differs only in its capital letters. */
  readonly existing: ReadonlyArray<Group>
}

export interface GroupPlan {
  readonly add: ReadonlyArray<number>
  readonly remove: ReadonlyArray<number>
  /** Names of groups to create and to add. */
  readonly create: ReadonlyArray<string>
  /** The roles of the user afterwards. */
  readonly superuser: boolean
  readonly staff: boolean
  /** The rights of this source afterwards, without the groups to create. */
  readonly given: SourceGrant
  readonly faults: ReadonlyArray<NameFault>
}

/** The change that brings a user in line with the names of a source. */
export const planGroups = (
  member: Member,
  { names, faults }: UsedNames,
  source: string,
  rules: GroupRules
): GroupPlan => {
  const own = member.given.find((given) => given.source === source) ?? {
    source,
    groups: [],
    superuser: false,
    staff: false
  }
  const others = member.given.filter((given) => given.source !== source)
  const ofOthers = new Set(others.flatMap(({ groups }) => groups))
  const has = new Set(member.groups)
  const before = new Set(own.groups)
  const defaults = rules.defaults.map(plainName)
  const { wanted, create, more } = resolved([...names, ...defaults], member.existing, rules)
  const exists = new Set(member.existing.map(({ name }) => name))
  const missing = defaults.filter((name) => !rules.creates && !exists.has(name))
  const remove = member.groups.filter(
    (id) => !wanted.has(id) && !ofOthers.has(id) && (before.has(id) || rules.replaces)
  )
  const isBy = ({ groups, users }: RoleRule) =>
    groups.some((name) => names.includes(plainName(name))) || users.includes(member.username)
  const role = (name: "superuser" | "staff", rule: RoleRule) => {
    const isWanted = isBy(rule)
    const isOfOthers = others.some((given) => given[name])
    const isDecided = own[name] || (rules.replaces && rule.groups.length + rule.users.length > 0)
    const after = isWanted || (member[name] && (isOfOthers || !isDecided))
    // A role that was given by hand is not recorded, so that it stays.
    return { after, given: isWanted && (own[name] || isOfOthers || !member[name]) }
  }
  const superuser = role("superuser", rules.superusers)
  const staff = role("staff", rules.staff)
  return {
    add: [...wanted].filter((id) => !has.has(id)),
    remove,
    create,
    superuser: superuser.after,
    staff: staff.after,
    given: {
      source,
      groups: [...wanted].filter((id) => !has.has(id) || before.has(id) || ofOthers.has(id)).sort((a, b) => a - b),
      superuser: superuser.given,
      staff: staff.given
    },
    faults: [...faults, ...more, ...missing.map((name) => ({ name, fault: "is a default group that does not exist" }))]
  }
}

/** The groups of these names: ids of existing ones, and names to create. */
const resolved = (names: ReadonlyArray<string>, existing: ReadonlyArray<Group>, { creates }: GroupRules) => {
  const byName = new Map(existing.map(({ id, name }) => [name, id]))
  const similar = new Map(existing.map(({ name }) => [folded(name), name]))
  const wanted = new Set<number>()
  const create = new Set<string>()
  const more: Array<NameFault> = []
  for (const name of names) {
    const id = byName.get(name)
    const other = similar.get(folded(name))
    if (id !== undefined) wanted.add(id)
    else if (!creates || create.has(name)) continue
    // Two groups that people cannot distinguish would invite mistakes.
    else if (other !== undefined) more.push({ name, fault: `differs only in its letters' case from ${other}` })
    else {
      create.add(name)
      similar.set(folded(name), name)
    }
  }
  return { wanted, create: [...create], more }
}

/** Whether the plan changes nothing that is stored. */
export const changesNothing = (plan: GroupPlan, member: Member): boolean => {
  const own = member.given.find(({ source }) => source === plan.given.source)
  const same = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) => one.join() === other.join()
  return (
    plan.add.length + plan.remove.length + plan.create.length === 0 &&
    plan.superuser === member.superuser &&
    plan.staff === member.staff &&
    plan.given.superuser === (own?.superuser ?? false) &&
    plan.given.staff === (own?.staff ?? false) &&
    same(plan.given.groups, own?.groups ?? [])
  )
}
