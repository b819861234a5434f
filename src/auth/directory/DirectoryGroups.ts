/**
 * Groups from a directory: the claims of an OpenID provider, the header of a proxy, an LDAP server.
 *
 * Guarantees: one statement if nothing changes, otherwise one transaction; a user who loses a group loses its rights at
 * the next request, cached tokens included, because the row of the user changes. Does not: decide who the user is.
 */
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { type Author, asAuthor } from "../../inventory/write/Transaction.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import { auditGroups, auditUnusedNames } from "../Audit.ts"
import {
  type SourceGrant,
  type GroupPlan,
  type GroupRules,
  type Member,
  changesNothing,
  groupsMax,
  planGroups,
  sentNamesMax,
  usedNames
} from "./GroupPlan.ts"
import { plainName } from "./PlainName.ts"

/** The rights that each source gave a user. Ids of deleted groups may remain in it; no other group gets them. */
export const directoryGrantTable: Table = {
  name: "rackwire_directory_grant",
  daily: false,
  columns: [
    { name: "user_id", type: "bigint", nullable: false },
    { name: "source", type: "text", nullable: false },
    { name: "groups", type: "bigint[]", nullable: false },
    { name: "superuser", type: "boolean", nullable: false },
    { name: "staff", type: "boolean", nullable: false }
  ],
  constraints: [
    { name: "rackwire_directory_grant_user_id_source_key", sql: "unique (user_id, source)" },
    {
      name: "rackwire_directory_grant_user_id_fkey",
      sql: "foreign key (user_id) references users_user (id) on delete cascade"
    }
  ],
  indexes: [],
  triggers: [],
  published: false
}

/** Texts for people, by reason. */
const details = {
  TooManyNames: `The directory sends more than ${sentNamesMax} groups of this user, or more than ${groupsMax} that are used: use a prefix or a mapping to choose the groups that matter here.`,
  NoSuchUser: "The user was deleted."
} as const

/** The groups of a user cannot be brought in line; nothing was changed. */
export class DirectoryRefused extends Schema.TaggedError<DirectoryRefused>()("DirectoryRefused", {
  reason: Schema.Literals(Struct.keys(details))
}) {
  get detail(): string {
    return details[this.reason]
  }
}

/** The names that a directory sends for a user. */
interface DirectoryNames {
  /** A name of the directory that never changes: `oidc`, `oidc:keycloak`, `proxy`. Each has memberships of its own. */
  readonly source: string
  /** The groups of the user as the directory names them; too many are refused, not cut. */
  readonly names: ReadonlyArray<string>
  readonly rules: GroupRules
}

/**
 * Brings the groups and roles of a user in line with a directory, at each sign-in: call it after the user is found or
 * created and before the session begins. Names that no rule uses, that are too long or that have invisible characters
 * are left out and named in the log. Fails with `DirectoryRefused`; then refuse the sign-in, because the user may have
 * rights that the directory has taken away. Returns whether the row of the user changed: read it again then.
 */
export const alignGroups = Effect.fnUntraced(function* (
  user: number,
  { source, names, rules }: DirectoryNames,
  by: { readonly address: string | undefined; readonly author: Author }
) {
  const used = usedNames(names, rules)
  if (used === undefined) return yield* new DirectoryRefused({ reason: "TooManyNames" })
  const wanted = [...used.names, ...rules.defaults.map(plainName)]
  const plan = Effect.fnUntraced(function* (lock: "" | "for update of u") {
    const member = yield* memberOf(user, wanted, lock)
    return { member, plan: planGroups(member, used, source, rules) }
  })
  const first = yield* plan("")
  if (first.plan.faults.length > 0) yield* auditUnusedNames(first.member.username, source, first.plan.faults)
  if (changesNothing(first.plan, first.member)) return { isChanged: false }
  const { member, plan: done } = yield* plan("for update of u").pipe(
    Effect.tap((locked) => store(user, locked.member, locked.plan)),
    asAuthor({ ...by.author, message: `groups of the directory ${source}` })
  )
  const nameOf = new Map(member.existing.map(({ id, name }) => [id, name]))
  const added = [...done.add.map((id) => nameOf.get(id) ?? ""), ...done.create]
  const removed = done.remove.map((id) => nameOf.get(id) ?? "")
  const roles = [
    ...(done.superuser === member.superuser ? [] : [`${done.superuser ? "a" : "no"} superuser`]),
    ...(done.staff === member.staff ? [] : [`${done.staff ? "" : "no "}staff`])
  ]
  yield* auditGroups(member.username, { source, added, removed, created: done.create, roles }, by.address)
  return { isChanged: true }
})

interface MemberRow {
  readonly username: string
  readonly superuser: boolean
  readonly staff: boolean
  readonly groups: ReadonlyArray<string>
  readonly given: ReadonlyArray<Omit<SourceGrant, "groups"> & { readonly groups: ReadonlyArray<string> }>
  readonly existing: ReadonlyArray<{ readonly id: string; readonly name: string }>
}

/** The user with its memberships, and the groups that these names may mean. Ids are texts in JSON: a bigint is exact. */
const memberOf = Effect.fnUntraced(function* (user: number, names: ReadonlyArray<string>, lock: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly found: MemberRow }>(
    `select json_build_object(
              'username', u.username, 'superuser', u.is_superuser, 'staff', u.is_staff, 'groups', u.groups::text[],
              'given', coalesce((
                select json_agg(json_build_object('source', d.source, 'groups', d.groups::text[], 'superuser', d.superuser,
                                                  'staff', d.staff))
                  from rackwire_directory_grant d where d.user_id = u.id), '[]'),
              'existing', coalesce((
                select json_agg(json_build_object('id', g.id::text, 'name', g.name))
                  from users_group g
                 where g.id = any (u.groups) or lower(g.name) in (select lower(n) from unnest($2::text[]) n)), '[]')) as found
       from users_user u where u.id = $1::bigint ${lock}`,
    [`${user}`, names]
  )
  if (row === undefined) return yield* new DirectoryRefused({ reason: "NoSuchUser" })
  const { groups, given, existing, ...others } = row.found
  return {
    ...others,
    groups: groups.map(Number),
    given: given.map((each) => ({ ...each, groups: each.groups.map(Number) })),
    existing: existing.map(({ id, name }) => ({ id: Number(id), name }))
  } satisfies Member
})

/** Stores a plan for the locked user: missing groups, the user, and the rights of the source. */
const store = Effect.fnUntraced(function* (user: number, member: Member, plan: GroupPlan) {
  const sql = yield* SqlClient.SqlClient
  const created =
    plan.create.length === 0
      ? []
      : yield* sql.unsafe<{ readonly id: string }>(
          "insert into users_group (name) select unnest($1::text[]) returning id::text as id",
          [plan.create]
        )
  const ids = created.map(({ id }) => id)
  const removed = new Set(plan.remove)
  const groups = [...member.groups.filter((id) => !removed.has(id)), ...plan.add].map(String)
  yield* sql.unsafe(
    "update users_user set groups = $2::text[]::bigint[], is_superuser = $3, is_staff = $4 where id = $1::bigint",
    [`${user}`, [...groups, ...ids], plan.superuser, plan.staff]
  )
  const { source, superuser, staff } = plan.given
  yield* sql.unsafe(
    `insert into rackwire_directory_grant (user_id, source, groups, superuser, staff)
     values ($1::bigint, $2, $3::text[]::bigint[], $4, $5)
     on conflict (user_id, source) do update
        set groups = excluded.groups, superuser = excluded.superuser, staff = excluded.staff`,
    [`${user}`, source, [...plan.given.groups.map(String), ...ids], superuser, staff]
  )
})
