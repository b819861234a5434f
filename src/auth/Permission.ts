/**
 * What a principal may do: to which object types at all, and to which objects of them.
 *
 * A superuser may do everything; anybody may read what is exempt from permission; for the rest an object permission is
 * needed, of the user or of one of the user's groups. Several add up.
 */
import { Effect } from "effect"
import { Settings } from "../Config.ts"
import { Vault } from "../Vault.ts"
import { type Action, Clearance, type Premise } from "../inventory/Clearance.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { objectType, registry } from "../inventory/Registry.ts"
import { type Where, allOf, anyOf, everything, isEverything } from "../inventory/derive/filter/Where.ts"
import { constraintFor } from "./Constraint.ts"
import { Denied } from "./Denied.ts"
import type { Permission, Principal } from "./Principal.ts"

/** Types that `EXEMPT_VIEW_PERMISSIONS=*` does not open; they must be named. */
const guarded = new Set(["users.user", "users.group", "users.token", "users.objectpermission", "extras.webhook"])

const safeMethods = new Set(["GET", "HEAD"])

const isSuperuser = ({ user }: Principal): boolean => user?.is_superuser === true

/** Refuses who may do the action to no object of the type. */
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
  if (granted(principal, type, action).length === 0) return yield* new Denied({ reason: "NoPermission" })
})

/** The objects to which a principal, if the premise holds, may do what; each condition is made once. */
export const clearanceOf = Effect.fnUntraced(function* (principal: Principal, premise?: Premise) {
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
  return Clearance.of({ where, premise, reveal: allowTokenRetrieval ? open : undefined })
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
  if (type.id === "users.token" && (action === "add" || action === "change")) {
    return allOf(allowed, anyOf(ownTokens(principal), allOf(ordinaryTokens, grantedWhere(principal, type, "grant"))))
  }
  // Who may change users or grant tokens would otherwise be a superuser by way of a password or token of one.
  if (type.id === "users.user" && action !== "view") return allOf(allowed, ordinaryUsers)
  if (type.id === "extras.webhook" && (action === "add" || action === "change") && !isEverything(eventsSeen(where))) {
    return allOf(allowed, ownScope(principal))
  }
  return type.kind === "record" ? allOf(allowed, ...tellingOfVisible(type, where)) : allowed
}

const isExempt = (exempt: ReadonlyArray<string>, type: ObjectType): boolean =>
  exempt.includes(type.id) || (exempt.includes("*") && !guarded.has(type.id))

/** The permissions of a principal that allow the action on some objects of the type. */
const granted = (principal: Principal, type: ObjectType, action: string): ReadonlyArray<Permission> => {
  if (principal.user === undefined) return []
  return principal.permissions.filter(({ types, actions }) => types.includes(type.id) && actions.includes(action))
}

/** Whether somebody may make tokens of other users. */
export const mayGrant = (principal: Principal): boolean =>
  isSuperuser(principal) || granted(principal, objectType("users.token"), "grant").length > 0

/** Constraints are checked when they are saved; one that plain SQL or an earlier version has left allows nothing. */
const grantedWhere = (principal: Principal, type: ObjectType, action: string): Where => {
  const wheres = granted(principal, type, action).flatMap(({ constraints }) => {
    const compiled = constraintFor(type, constraints, principal.user!.id)
    return "where" in compiled ? [compiled.where] : []
  })
  return wheres.find(isEverything) ?? anyOf(...wheres)
}

const ownTokens = ({ user }: Principal): Where => ({ sql: "t.user_id = $1::bigint", parameters: [user?.id ?? 0] })

const ordinaryTokens: Where = {
  sql: "t.user_id in (select u.id from users_user u where not u.is_superuser)",
  parameters: []
}

const ordinaryUsers: Where = { sql: "not t.is_superuser", parameters: [] }

/** Who writes a webhook receives what its `scope_user` may view: nobody may borrow the eyes of another. */
const ownScope = ({ user }: Principal): Where => ({
  sql: "(t.scope_user_id is null or t.scope_user_id = $1::bigint)",
  parameters: [user?.id ?? 0]
})

/** The columns in which records name the object that they tell of. */
const subjects: Readonly<Record<string, readonly [type: string, id: string]>> = {
  "extras.objectchange": ["changed_object_type", "changed_object_id"],
  "extras.delivery": ["object_type", "object_id"]
}

/**
 * Records tell of others: they are seen by who sees those. What is gone meets no constraint, so who sees only some
 * objects of a type does not see what is told of deleted ones.
 */
const tellingOfVisible = (type: ObjectType, where: Clearance["Service"]["where"]): ReadonlyArray<Where> => {
  const pointing = Object.entries(type.fields).flatMap(([name, { reference }]) => {
    if (reference === undefined || reference.many) return []
    const column = `t.${type.columns[name]}`
    const visible = among(column, objectType(reference.type), where)
    return isEverything(visible) ? [] : [anyOf({ sql: `${column} is null`, parameters: [] }, visible)]
  })
  const [typeColumn, idColumn] = subjects[type.id] ?? []
  return typeColumn === undefined ? pointing : [...pointing, toldOf(`t.${typeColumn}`, `t.${idColumn}`, where)]
}

/** The events that somebody may see, over the change log under an alias: those of objects that may be viewed. */
export const eventsSeen = (where: Clearance["Service"]["where"], alias = "c"): Where =>
  toldOf(`${alias}.changed_object_type`, `${alias}.changed_object_id`, where)

const toldOf = (typeColumn: string, idColumn: string, where: Clearance["Service"]["where"]): Where => {
  const types = [...registry.values()].filter(({ kind }) => kind === "object")
  const whole = types.filter((type) => isEverything(where(type, "view")))
  if (whole.length === types.length) return everything
  const some = types.filter((type) => !whole.includes(type) && where(type, "view").sql !== "false")
  return anyOf(
    { sql: `${typeColumn} = any ($1::text[])`, parameters: [whole.map(({ id }) => id)] },
    ...some.map((type) => allOf({ sql: `${typeColumn} = $1`, parameters: [type.id] }, among(idColumn, type, where)))
  )
}

/** What holds where the column names an object of the type that may be seen. */
const among = (column: string, type: ObjectType, where: Clearance["Service"]["where"]): Where => {
  const visible = where(type, "view")
  const { sql, parameters } = visible
  return isEverything(visible)
    ? everything
    : { sql: `${column} in (select t.id from ${type.table} t where ${sql})`, parameters }
}
