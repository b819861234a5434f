/**
 * Accounts of directories (providers of OpenID Connect, an LDAP server) and the users that they belong to.
 *
 * An account is its issuer and subject, and belongs to one user from its first sign-in on. A name or an e-mail address
 * alone never leads to a user: `decide` has the only exception, which an option allows.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Clearance } from "../../inventory/Clearance.ts"
import { textsIn } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import type { Author } from "../../inventory/write/Transaction.ts"
import { create } from "../../inventory/write/Write.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import { alignGroups } from "./DirectoryGroups.ts"
import type { GroupRules } from "./GroupPlan.ts"
import { type SignInReason, SignInRefused } from "./SignInRefused.ts"

export const identityTable: Table = {
  name: "rackwire_identity",
  daily: false,
  columns: [
    { name: "issuer", type: "text", nullable: false },
    { name: "subject", type: "text", nullable: false },
    { name: "user_id", type: "bigint", nullable: false },
    { name: "bound", type: "timestamp with time zone", nullable: false, default: "now()" },
    // When the directory no longer let the account in, and its user was made inactive.
    { name: "ended", type: "timestamp with time zone", nullable: true }
  ],
  constraints: [
    { name: "rackwire_identity_subject_key", sql: "unique (issuer, subject)" },
    { name: "rackwire_identity_user_key", sql: "unique (user_id, issuer)" },
    {
      name: "rackwire_identity_user_id_fkey",
      sql: "foreign key (user_id) references users_user (id) on delete cascade"
    }
  ],
  indexes: [],
  triggers: [],
  published: false
}

export interface Account {
  /** With the subject the only identity of the account: names and e-mail addresses change owners. */
  readonly issuer: string
  readonly subject: string
  /** The user name of a new account. */
  readonly name: string
  /** "" for none. */
  readonly email: string
  readonly isEmailVerified: boolean
  readonly firstName: string
  readonly lastName: string
  /** Names of groups; undefined where groups are given by hand. */
  readonly groups: ReadonlyArray<string> | undefined
}

/** A directory, and the rules by which its accounts become users. */
export interface Directory {
  /** The name that people read. */
  readonly label: string
  /** The name under which its groups are stored, for good. */
  readonly source: string
  readonly rules: GroupRules
  /** Users of the same name that a first sign-in takes over: none, those with the same verified address, or without a password. */
  readonly adopts: "never" | "verified-email" | "no-password"
}

/** A user that the account belongs to, or whose name the account has. */
export interface Candidate {
  readonly id: string
  readonly username: string
  readonly email: string
  readonly is_active: boolean
  readonly has_password: boolean
  /** Whether an account of the issuer belongs to the user. */
  readonly is_bound: boolean
}

export type Decision =
  | { readonly kind: "signIn" | "adopt"; readonly user: Candidate }
  | { readonly kind: "create" }
  | { readonly kind: "refuse"; readonly reason: SignInReason; readonly name: string }

/** The user of an account: `owner` has it already, `rivals` have its name, whatever the case and the form of Unicode. Pure. */
export const decide = (
  { name, email, isEmailVerified }: Pick<Account, "name" | "email" | "isEmailVerified">,
  owner: Candidate | undefined,
  rivals: ReadonlyArray<Candidate>,
  { adopts }: Pick<Directory, "adopts">
): Decision => {
  if (owner !== undefined) return activeOr(owner, "signIn")
  const [rival, ...more] = rivals
  if (rival === undefined) return { kind: "create" }
  const isSame = isEmailVerified && email !== "" && rival.email.toLowerCase() === email.toLowerCase()
  const isAdopted = { never: false, "verified-email": isSame, "no-password": !rival.has_password }[adopts]
  if (!isAdopted || more.length > 0) return { kind: "refuse", reason: "NameTaken", name }
  if (rival.is_bound) return { kind: "refuse", reason: "OtherIdentity", name }
  return activeOr(rival, "adopt")
}

const activeOr = (user: Candidate, kind: "signIn" | "adopt"): Decision =>
  user.is_active ? { kind, user } : { kind: "refuse", reason: "InactiveUser", name: user.username }

/** The client who signs in. */
export interface Sender {
  readonly address: string | undefined
  readonly author: Author
}

/**
 * The user that signs in, with the groups of the account: found, made, or refused with `SignInRefused`, and then nothing
 * is stored. Sign-ins of one account wait for each other.
 */
export const userOfAccount = (account: Account, directory: Directory, by: Sender) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const key = JSON.stringify([account.issuer, account.subject])
        yield* sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))::text`
        const user = yield* ownerOrNew(account, directory, by.author)
        if (account.groups === undefined) return user
        const { source, rules, label } = directory
        yield* alignGroups(Number(user.id), { source, names: account.groups, rules }, by).pipe(
          Effect.catchTag(
            "DirectoryRefused",
            ({ detail }) =>
              new SignInRefused({
                reason: "InvalidClaims",
                provider: label,
                detail: detail.replace(/\.$/, "")
              })
          )
        )
        return user
      })
    )
  )

const ownerOrNew = Effect.fnUntraced(function* (account: Account, directory: Directory, author: Author) {
  const sql = yield* SqlClient.SqlClient
  const owner = yield* ownerOf(account)
  const rivals = owner === undefined ? yield* rivalsOf(account) : []
  const decision = decide(account, owner, rivals, directory)
  const refused = (reason: SignInReason, detail: string) =>
    new SignInRefused({ reason, provider: directory.label, detail })
  if (decision.kind === "refuse") return yield* refused(decision.reason, `“${decision.name}”`)
  if (decision.kind === "signIn") return { ...decision.user, how: decision.kind }
  const user =
    decision.kind === "adopt"
      ? decision.user
      : yield* makeUser(account, directory, author).pipe(
          Effect.catchTag("WriteRefused", ({ errors }) =>
            refused("InvalidClaims", errors.flatMap((fields) => Object.values(fields).flatMap(textsIn)).join(" "))
          )
        )
  yield* sql`
    insert into rackwire_identity (issuer, subject, user_id)
    values (${account.issuer}, ${account.subject}, ${user.id}::bigint)`
  return { ...user, how: decision.kind }
})

const columns = (issuer: string) =>
  Effect.map(
    SqlClient.SqlClient,
    (sql) => sql`
      u.id::text as id, u.username, u.email, u.is_active, coalesce(u.password !~ '^!', false) as has_password,
      exists (select from rackwire_identity b where b.user_id = u.id and b.issuer = ${issuer}) as is_bound`
  )

/** The user that the account belongs to. */
const ownerOf = Effect.fnUntraced(function* ({ issuer, subject }: Account) {
  const sql = yield* SqlClient.SqlClient
  const [owner] = yield* sql<Candidate>`
    select ${yield* columns(issuer)} from rackwire_identity i join users_user u on u.id = i.user_id
     where i.issuer = ${issuer} and i.subject = ${subject}`
  return owner
})

const rivalsOf = Effect.fnUntraced(function* ({ issuer, name }: Account) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Candidate>`
    select ${yield* columns(issuer)} from users_user u
     where lower(normalize(u.username, NFKC)) = lower(normalize(${name}::text, NFKC)) order by u.id limit 2`
})

/** A user with a random password: nobody has it, and a login with it takes as long as with any other. */
const makeUser = Effect.fnUntraced(function* (account: Account, { label }: Directory, author: Author) {
  const body = {
    username: account.name,
    password: randomBytes(32).toString("base64url"),
    email: account.email,
    first_name: account.firstName,
    last_name: account.lastName
  }
  const why = { ...author, message: `First sign-in by ${label}` }
  const [made] = yield* create(objectType("users.user"), [body], why).pipe(
    // Nobody is logged in yet, and the operator decided that accounts of the provider become users.
    Effect.provideService(Clearance, Clearance.all)
  )
  return { id: String(made!.row["id"]), username: account.name }
})
