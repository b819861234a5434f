/**
 * Brings the users of the LDAP directory in line with it, without waiting for their next sign-in.
 *
 * A user whose account is deleted, disabled or no longer admitted becomes inactive: its sessions and tokens end. It becomes
 * active again with its account, unless somebody made it inactive by hand. Everything is read before anything changes.
 */
import { randomUUID } from "node:crypto"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Clearance } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { update } from "../../inventory/write/Write.ts"
import type { Account } from "../directory/Account.ts"
import { alignGroups } from "../directory/DirectoryGroups.ts"
import { LdapDirectory, type NamedDirectory } from "./LdapDirectory.ts"
import { ldapIssuer } from "./LdapEntry.ts"

/** The users are not brought in line; nothing was changed. */
export class SyncRefused extends Schema.TaggedError<SyncRefused>()("SyncRefused", {
  reason: Schema.Literals(["NoDirectory", "NoBindName", "ManyEnd"]),
  /** Number of users who would become inactive, and of all users of the directory. */
  ending: Schema.Number,
  all: Schema.Number
}) {}

/** The change of a user; `groups`: others, or the same. */
interface UserChange {
  readonly username: string
  readonly change: "ended" | "active again" | "groups"
}

/** Users who may become inactive without a question. More are half of all users at most: an option with a fault would end everybody. */
const endingMin = 10

/** Questions to the directory at a time. */
const questionsAtOnce = 8

interface Bound {
  readonly id: string
  readonly username: string
  readonly subject: string
  readonly is_active: boolean
  readonly has_ended: boolean
}

/**
 * Brings all users in line, and returns the changes. Fails with `SyncRefused` if more than ten, and more than half
 * of them, would become inactive, unless `many` are expected, and where a template makes the names of users and nobody
 * may search them; with `SignInRefused` if the directory does not answer.
 */
export const syncUsers = Effect.fnUntraced(function* (many: boolean) {
  const { named } = yield* LdapDirectory
  if (named === undefined) return yield* new SyncRefused({ reason: "NoDirectory", ending: 0, all: 0 })
  if (!named.searches) return yield* new SyncRefused({ reason: "NoBindName", ending: 0, all: 0 })
  const sql = yield* SqlClient.SqlClient
  const bound = yield* sql<Bound>`
    select u.id::text as id, u.username, i.subject, u.is_active, i.ended is not null as has_ended
      from rackwire_identity i join users_user u on u.id = i.user_id
     where i.issuer = ${ldapIssuer} order by u.id`
  const read = yield* Effect.forEach(
    bound,
    (user) => Effect.map(accountOf(named, user), (account) => ({ user, account })),
    {
      concurrency: questionsAtOnce
    }
  )
  const ending = read.filter(({ user, account }) => account === undefined && user.is_active).length
  if (!many && ending > Math.max(endingMin, bound.length / 2)) {
    return yield* new SyncRefused({ reason: "ManyEnd", ending, all: bound.length })
  }
  const changed = yield* Effect.forEach(read, ({ user, account }) => bringInLine(named, user, account))
  return changed.flatMap((change) => change ?? [])
})

/** The account of a user; undefined where it may not log in any more. */
const accountOf = (named: NamedDirectory, { subject }: Bound) =>
  named.accountBy(subject).pipe(
    Effect.catchIf(
      (refusal) => refusal.reason === "InvalidClaims",
      () => Effect.succeed(undefined)
    )
  )

const author = { username: "rackwire users sync", requestId: randomUUID() }

const bringInLine = Effect.fnUntraced(function* (named: NamedDirectory, user: Bound, account: Account | undefined) {
  const sql = yield* SqlClient.SqlClient
  const changed = (change: UserChange["change"]): UserChange => ({ username: user.username, change })
  if (account === undefined) {
    if (!user.is_active) return undefined
    yield* sql.withTransaction(
      Effect.andThen(
        activate(user, false),
        sql`update rackwire_identity set ended = now() where issuer = ${ldapIssuer} and subject = ${user.subject}`
      )
    )
    return changed("ended")
  }
  const { source, rules } = named.directory
  const { isChanged } =
    account.groups === undefined
      ? { isChanged: false }
      : yield* alignGroups(Number(user.id), { source, names: account.groups, rules }, { address: undefined, author })
  if (!user.has_ended) return isChanged ? changed("groups") : undefined
  yield* sql.withTransaction(
    Effect.andThen(
      activate(user, true),
      sql`update rackwire_identity set ended = null where issuer = ${ldapIssuer} and subject = ${user.subject}`
    )
  )
  return changed("active again")
})

const activate = ({ id }: Bound, isActive: boolean) =>
  update(objectType("users.user"), [{ id: Number(id), body: { is_active: isActive } }], false, {
    ...author,
    message: isActive ? "admitted by the directory again" : "no longer admitted by the directory"
  }).pipe(
    // The operator decided that accounts of the directory become users.
    Effect.provideService(Clearance, Clearance.all)
  )
