/**
 * The permissions of a principal: which object types it may use, and which of their objects.
 *
 * A superuser may do everything, and everybody may read what is exempt from permission. The rest needs an object
 * permission of the user or of one of the user's groups; several add up.
 */
import { Effect } from "effect"
import { Settings } from "../Config.ts"
import { Vault } from "../inventory/Vault.ts"
import { type Action, Clearance } from "../inventory/Clearance.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { objectType, registry } from "../inventory/Registry.ts"
import { type Where, allOf, anyOf, everything, isEverything, isNothing } from "../inventory/derive/filter/Where.ts"
import { kindsNamingWebhooks } from "../telemetry/ProblemKinds.ts"
import { constraintFor } from "./Constraint.ts"
import { Denied } from "./Denied.ts"
import type { Permission, Principal } from "./Principal.ts"

/** Types that `EXEMPT_VIEW_PERMISSIONS=*` does not open; the option must name them. */
const guarded = new Set([
  ...["users.user", "users.group", "users.token", "users.objectpermission", "users.signin"],
  ...["extras.webhook", "extras.alarm"]
])

const safeMethods = new Set(["GET", "HEAD"])

const isSuperuser = ({ user }: Principal): boolean => user?.is_superuser === true

/** Fails with `Denied` if the principal may do the action to no object of the type. */
export const authorize = Effect.fnUntraced(function* (
  principal: Principal,
  method: string,
  action: Action,
  type: ObjectType
) {
  const { exemptViewPermissions: exempt } = yield* Settings
  if (action === "view" && isExempt(exempt, type)) return
  if (principal.user === undefined) return yield* new Denied({ reason: "NoCredentials" })
  if (!safeMethods.has(method) && !principal.mayWrite) return yield* new Denied({ reason: "NoPermission" })
  if (isSuperuser(principal)) return
  if (granted(principal, type, action).length > 0) return
  return yield* new Denied({ reason: "NoPermission", missing: { action, objectType: type.id } })
})

/** The clearance of a principal. It makes each condition once. */
export const clearanceOf = Effect.fnUntraced(function* (principal: Principal) {
  const { exemptViewPermissions: exempt, allowTokenRetrieval } = yield* Settings
  const { open } = yield* Vault
  const known = new Map<string, Where>()
  const where: Clearance["Service"]["where"] = (type, action) => {
    if (isSuperuser(principal)) return everything
    const key = `${action} ${type.id}`
    const made = known.get(key) ?? whereOf(principal, type, action, exempt, where)
    known.set(key, made)
    return made
  }
  return Clearance.of({ where, reveal: allowTokenRetrieval ? open : undefined })
})

const whereOf = (
  principal: Principal,
  type: ObjectType,
  action: Action,
  exempt: ReadonlyArray<string>,
  where: Clearance["Service"]["where"]
): Where => {
  if (action === "refer") return mayGrant(principal) && type.id === "users.user" ? everything : where(type, "view")
  const allowed = action === "view" && isExempt(exempt, type) ? everything : grantedWhere(principal, type, action)
  if (type.owner !== undefined && (action === "add" || action === "change")) {
    const owner = `t.${type.columns[type.owner]}`
    const granted = allOf(ofOrdinaryUsers(owner), grantedWhere(principal, type, "grant"))
    return allOf(allowed, anyOf(ofPrincipal(owner, principal), granted))
  }
  // Otherwise anyone who may change users or grant tokens could become a superuser, by a password or token of one.
  if (type.id === "users.user" && action !== "view") return allOf(allowed, ordinaryUsers)
  if (type.id === "extras.webhook" && (action === "add" || action === "change") && !isEverything(eventsSeen(where))) {
    return allOf(allowed, ownScope(principal))
  }
  if (type.id === "extras.savedfilter" && action !== "add") return allOf(allowed, usableFilters(principal))
  return type.isReadOnly ? allOf(allowed, ...tellingOfVisible(type, where)) : allowed
}

const isExempt = (exempt: ReadonlyArray<string>, type: ObjectType): boolean =>
  exempt.includes(type.id) || (exempt.includes("*") && !guarded.has(type.id))

/** The permissions of a principal that allow the action on some objects of the type. */
const granted = (principal: Principal, type: ObjectType, action: string): ReadonlyArray<Permission> => {
  if (principal.user === undefined) return []
  return principal.permissions.filter(({ types, actions }) => types.includes(type.id) && actions.includes(action))
}

/** Whether the principal may make tokens of other users. */
export const mayGrant = (principal: Principal): boolean =>
  isSuperuser(principal) || granted(principal, objectType("users.token"), "grant").length > 0

/** Saving checks constraints; a wrong one, left by plain SQL or an earlier version, allows nothing. */
const grantedWhere = (principal: Principal, type: ObjectType, action: string): Where => {
  const { user } = principal
  if (user === undefined) return anyOf()
  const wheres = granted(principal, type, action).flatMap(({ constraints }) => {
    const compiled = constraintFor(type, constraints, user.id)
    return "where" in compiled ? [compiled.where] : []
  })
  return wheres.find(isEverything) ?? anyOf(...wheres)
}

const ofPrincipal = (owner: string, { user }: Principal): Where => ({
  sql: `${owner} = $1::bigint`,
  parameters: [user?.id ?? 0]
})

const ofOrdinaryUsers = (owner: string): Where => ({
  sql: `${owner} in (select u.id from users_user u where not u.is_superuser)`,
  parameters: []
})

const ordinaryUsers: Where = { sql: "not t.is_superuser", parameters: [] }

/** A webhook receives what its `scope_user` may view, so nobody may name another user there. */
const ownScope = ({ user }: Principal): Where => ({
  sql: "(t.scope_user_id is null or t.scope_user_id = $1::bigint)",
  parameters: [user?.id ?? 0]
})

const sharedOrOwn = "(t.shared or t.user_id = $1::bigint)"

/** Saved filters that are private belong to their user, whatever is granted to others. */
const usableFilters = ({ user }: Principal): Where => ({ sql: sharedOrOwn, parameters: [user?.id ?? 0] })

/** Whether permissions leave out no object of a type; nobody is granted the private saved filters of others. */
const isWhole = (where: Where): boolean => isEverything(where) || where.sql === sharedOrOwn

/** The columns in which a record names its object. */
const subjects: Readonly<Record<string, readonly [type: string, id: string]>> = {
  "extras.objectchange": ["changed_object_type", "changed_object_id"],
  "extras.delivery": ["object_type", "object_id"]
}

/**
 * A record, or an alarm, may be seen by users who may see its object. A deleted object meets no constraint, so a user
 * who may see only some objects of a type does not see the records of deleted ones.
 */
const tellingOfVisible = (type: ObjectType, where: Clearance["Service"]["where"]): ReadonlyArray<Where> => {
  const pointing = Object.entries(type.fields).flatMap(([name, { reference }]) => {
    // The operation that touched a delivery last: it hides nothing of the delivery.
    if (reference === undefined || reference.many || objectType(reference.type).kind === "record") return []
    const column = `t.${type.columns[name]}`
    const visible = among(column, objectType(reference.type), where)
    return isEverything(visible) ? [] : [anyOf({ sql: `${column} is null`, parameters: [] }, visible)]
  })
  if (type.id === "extras.alarm") return [...pointing, ...withoutNames(where)]
  const [typeColumn, idColumn] = subjects[type.id] ?? []
  return typeColumn === undefined ? pointing : [...pointing, toldOf(`t.${typeColumn}`, `t.${idColumn}`, where)]
}

/** An alarm that refers to no webhook may name some in its message: it is for users who may view every webhook. */
const withoutNames = (where: Clearance["Service"]["where"]): ReadonlyArray<Where> =>
  isEverything(where(objectType("extras.webhook"), "view"))
    ? []
    : [{ sql: "(t.webhook_id is not null or t.kind <> all ($1::text[]))", parameters: [kindsNamingWebhooks] }]

/** The events that somebody may see, as a condition on the change log: those of objects that may be viewed. */
export const eventsSeen = (where: Clearance["Service"]["where"], alias = "c"): Where =>
  toldOf(`${alias}.changed_object_type`, `${alias}.changed_object_id`, where)

/** A user who may view the objects of every type sees every event, also the events of private saved filters. */
const toldOf = (typeColumn: string, idColumn: string, where: Clearance["Service"]["where"]): Where => {
  const types = [...registry.values()].filter(({ kind }) => kind === "object")
  if (types.every((type) => isWhole(where(type, "view")))) return everything
  const sources = objectType("extras.source")
  const whole = types.filter((type) => isEverything(where(type, "view")))
  const some = types.filter((type) => !whole.includes(type) && !isNothing(where(type, "view")))
  return anyOf(
    { sql: `${typeColumn} = any ($1::text[])`, parameters: [whole.map(({ id }) => id)] },
    ...some.map((type) => allOf({ sql: `${typeColumn} = $1`, parameters: [type.id] }, among(idColumn, type, where))),
    ...(isNothing(where(sources, "view")) ? [] : [ofSources(typeColumn, among("s.source", sources, where))])
  )
}

/** Everything about a source may be seen by users who may view the source: its objects have no permissions here. */
const ofSources = (typeColumn: string, { sql, parameters }: Where): Where => ({
  sql: `exists (select from (select substring(${typeColumn} from '^([1-9][0-9]*):')::bigint as source) s
                 where s.source is not null and ${sql})`,
  parameters
})

/** True where the column names an object of the type that may be seen. */
const among = (column: string, type: ObjectType, where: Clearance["Service"]["where"]): Where => {
  const visible = where(type, "view")
  const { sql, parameters } = visible
  return isEverything(visible)
    ? everything
    : { sql: `${column} in (select t.id from ${type.table} t where ${sql})`, parameters }
}
