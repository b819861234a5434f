/**
 * The audit: lines of the log about logins, refusals, and changes of accounts, and rows of users.signin about those that
 * concern sign-ins (audit/SignInRows.ts). Lines begin with `audit:`. Text from a client is quoted, so that no client can
 * forge a line; secrets are never logged.
 */
import { Effect } from "effect"
import type { SignInKind } from "../inventory/types/users/SignIn.ts"
import type { Author } from "../inventory/write/Transaction.ts"
import { overLimit } from "./audit/RefusalBudget.ts"
import { admitsProxySignIn, writeRefusal, writeSignIn } from "./audit/SignInRows.ts"
import type { Denied } from "./Denied.ts"
import { type Principal, username } from "./Principal.ts"

/** Most characters of a text from a client. */
const textCharsMax = 150

const quoted = (text: string): string => JSON.stringify(text.slice(0, textCharsMax))

const from = (address: string | undefined): string => `from ${quoted(address ?? "an unknown address")}`

export const auditTokenUse = (token: string, name: string | null, address: string | undefined) =>
  Effect.logInfo(`audit: token ${token} of ${quoted(name ?? "")} is used ${from(address)}`)

type Words = Readonly<Record<string, readonly [kind: SignInKind, way: string]>>

/** The words of a line, with the kind and the way of its row. */
const logins = {
  "logged in": ["logged_in", "password"],
  "logged in by the header of a proxy": ["logged_in", "proxy"],
  "was created by the header of a proxy": ["user_created", "proxy"],
  "logged out": ["logged_out", ""],
  "provisioned a token": ["token_provisioned", "password"]
} as const satisfies Words

export const auditLogin = Effect.fnUntraced(function* (
  how: keyof typeof logins,
  name: string,
  address: string | undefined
) {
  const [kind, way] = logins[how]
  yield* Effect.logInfo(`audit: ${quoted(name)} ${how} ${from(address)}`)
  if (how === "logged in by the header of a proxy" && !(yield* admitsProxySignIn(name))) return
  yield* writeSignIn({ entries: [{ kind, way, name }], by: name, address })
})

/** The words of a line about a second factor, with the kind and the way of its row. */
const factors = {
  "logged in with a code": ["logged_in", "password"],
  "logged in with a recovery code": ["logged_in", "password"],
  "set up an authenticator app": ["factor_changed", ""],
  "made recovery codes": ["factor_changed", ""],
  "removed an authenticator app": ["factor_changed", ""],
  "logged in with a passkey": ["logged_in", "password"],
  "logged in by a passkey": ["logged_in", "passkey"],
  "added a passkey": ["factor_changed", ""],
  "removed a passkey": ["factor_changed", ""]
} as const satisfies Words

/** A login with a second factor, and changes of second factors. */
export const auditFactor = Effect.fnUntraced(function* (
  how: keyof typeof factors,
  name: string,
  address: string | undefined
) {
  const [kind, way] = factors[how]
  yield* Effect.logInfo(`audit: ${quoted(name)} ${how} ${from(address)}`)
  yield* writeSignIn({ entries: [{ kind, way, name, details: how }], by: name, address })
})

/** The reset of another user's second factors, by an administrator or a command. */
export const auditFactorReset = Effect.fnUntraced(function* (
  name: string,
  by: { readonly name: string; readonly address: string | undefined }
) {
  yield* Effect.logInfo(`audit: ${quoted(by.name)} reset the second factors of ${quoted(name)} ${from(by.address)}`)
  const entry = { kind: "factor_changed", name, details: `reset by ${quoted(by.name)}` } as const
  yield* writeSignIn({ entries: [entry], by: by.name, address: by.address })
})

/** The end of sessions of a user, by that user or by an administrator. */
export const auditSessionsEnded = Effect.fnUntraced(function* (
  { by, of, sessions }: { readonly by: string; readonly of: string; readonly sessions: number },
  address: string | undefined
) {
  yield* Effect.logInfo(`audit: ${quoted(by)} ended ${sessions} sessions of ${quoted(of)} ${from(address)}`)
  const details = `${counted(sessions)}${by === of ? "" : `, by ${quoted(by)}`}`
  yield* writeSignIn({ entries: [{ kind: "sessions_ended", name: of, details }], by, address })
})

const counted = (sessions: number): string => (sessions === 1 ? "1 session" : `${sessions} sessions`)

/** Users who changed their own password; the row is written with the password (`auditPasswords`). */
export const auditOwnPassword = (name: string, address: string | undefined) =>
  Effect.logInfo(`audit: ${quoted(name)} changed the password ${from(address)}`)

/** New passwords of users, in the transaction that writes them: a line would remain if it is rolled back. */
export const auditPasswords = (users: ReadonlyArray<string>, author: Author, address: string | undefined) => {
  const token = author.request?.token
  const entries = users.map((name) => {
    const isOwn = name === author.username
    const details = [
      ...(isOwn ? [] : [`by ${quoted(author.username)}`]),
      ...(token === undefined ? [] : [`with token ${token}`])
    ]
    const way = isOwn && token === undefined ? "password" : ""
    return { kind: "password_changed", way, name, details: details.join(", ") } as const
  })
  return writeSignIn({ entries, author, address })
}

/** A provider or directory, by its source and its issuer. */
interface SignInProvider {
  /** `oidc`, `oidc:corp`. */
  readonly way: string
  readonly issuer: string
}

/** A token of a user here, for one of a trusted issuer. */
export const auditExchange = Effect.fnUntraced(function* (
  name: string,
  token: number,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  address: string | undefined
) {
  const exchanged = `token ${token} for one of ${quoted(subject)} by ${quoted(issuer)}`
  yield* Effect.logInfo(`audit: ${quoted(name)} got ${exchanged} ${from(address)}`)
  const entry = { kind: "token_provisioned", way: exchangeWay.way, name, details: exchanged } as const
  yield* writeSignIn({ entries: [entry], by: name, address })
})

/** The way of exchanged tokens. */
export const exchangeWay: SignInProvider = { way: "token exchange", issuer: "token exchange" }

/** A sign-in by a provider: of a known account, of a new user, or of an account that takes over a user. */
export const auditSignIn = Effect.fnUntraced(function* (
  how: "signIn" | "create" | "adopt",
  name: string,
  { way, issuer, subject }: SignInProvider & { readonly subject: string },
  address: string | undefined
) {
  const also = { signIn: "", create: ", for the first time, as a new user", adopt: ", and took over this user" }[how]
  const account = `account ${quoted(subject)} of ${quoted(issuer)}`
  yield* Effect.logInfo(`audit: ${quoted(name)} logged in by ${account} ${from(address)}${also}`)
  const loggedIn = { kind: "logged_in", way, name, details: `${account}${also}` } as const
  const created = how === "create" ? [{ kind: "user_created", way, name, details: account } as const] : []
  yield* writeSignIn({ entries: [...created, loggedIn], by: name, address })
})

/** `detail` may be shown to people; `cause` is for the log alone. */
export const auditSignInRefused = Effect.fnUntraced(function* (
  { way, issuer, name = "" }: SignInProvider & { readonly name?: string },
  { reason, detail = "", cause = "" }: { readonly reason: string; readonly detail?: string; readonly cause?: string },
  address: string | undefined
) {
  const why = [reason, detail, cause].filter((part) => part !== "").join(": ")
  yield* Effect.logWarning(`audit: a sign-in by ${quoted(issuer)} ${from(address)} is refused: ${quoted(why)}`)
  yield* writeRefusal({ way, name, reason, details: detail }, address)
})

/** The end of sessions by a logout token of a provider. `name`: the user of the sessions, if there were some. */
export const auditProviderLogout = Effect.fnUntraced(function* (
  { way, issuer }: SignInProvider,
  { sessions, name }: { readonly sessions: number; readonly name: string | undefined },
  address: string | undefined
) {
  yield* Effect.logInfo(`audit: ${quoted(issuer)} ended ${sessions} sessions`)
  if (name === undefined) return
  yield* writeSignIn({ entries: [{ kind: "sessions_ended", way, name, details: counted(sessions) }], address })
})

/** A request without credentials is no failure. */
export const auditDenied = ({ reason }: Denied, what: string, name: string, address: string | undefined) =>
  reason === "NoCredentials"
    ? Effect.void
    : Effect.logWarning(`audit: ${quoted(name)} ${from(address)} is denied ${quoted(what)}: ${reason}`)

/** A sign-in that is refused. */
export const auditRefused = Effect.fnUntraced(function* (
  denied: Denied,
  { what, way, name }: { readonly what: string; readonly way: string; readonly name: string },
  address: string | undefined
) {
  yield* auditDenied(denied, what, name, address)
  yield* writeRefusal({ way, name, reason: denied.reason }, address)
})

/** An attempt over the rate limit: a line and a row for the first of a name from a network in five minutes. */
export const auditThrottled = Effect.fnUntraced(function* (name: string, address: string | undefined) {
  const isFirst = yield* writeRefusal({ way: "password", name, reason: overLimit }, address)
  if (isFirst) yield* Effect.logWarning(`audit: ${quoted(name)} ${from(address)} has to wait: ${overLimit}`)
})

/** A form of a browser whose `Origin` is not the known address of the service: of another site, or through a proxy. */
export const auditOrigin = (origin: string, base: string, host: string) =>
  Effect.logWarning(
    `audit: a form with the header Origin ${quoted(origin)} is refused: the service is known as ${quoted(base)}, and was reached with the Host ${quoted(host)}. If that origin is its own, set BASE_URL to it, or name the proxy in TRUSTED_PROXIES and have it send X-Forwarded-Host and X-Forwarded-Proto.`
  )

/** Ids per line; an import has thousands. */
const idsPerLine = 500

/** Logs a write of accounts: users, groups, permissions, tokens. */
export const auditGrant = (principal: Principal, what: string, ids: ReadonlyArray<number>) => {
  const lines = Array.from({ length: Math.max(1, Math.ceil(ids.length / idsPerLine)) }, (_, line) =>
    ids.slice(line * idsPerLine, (line + 1) * idsPerLine).join(", ")
  )
  const by = `audit: ${quoted(username(principal))} did ${quoted(what)}`
  return Effect.forEach(lines, (line) => Effect.logInfo(`${by}: ${line}`), { discard: true })
}

/** Most names in a line. */
const namesPerLine = 20

const listed = (names: ReadonlyArray<string>): string => {
  const more = names.length - namesPerLine
  return [...names.slice(0, namesPerLine).map(quoted), ...(more > 0 ? [`${more} more`] : [])].join(", ")
}

/** The change of a user by a directory. */
interface DirectoryChange {
  readonly source: string
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly created: ReadonlyArray<string>
  /** `a superuser`, `no staff`. */
  readonly roles: ReadonlyArray<string>
}

/** Groups and roles that a directory gave a user or took away. */
export const auditGroups = Effect.fnUntraced(function* (
  name: string,
  { source, added, removed, created, roles }: DirectoryChange,
  address: string | undefined
) {
  const parts = [
    ...(added.length > 0 ? [`adds the groups ${listed(added)}`] : []),
    ...(created.length > 0 ? [`creates ${listed(created)}`] : []),
    ...(removed.length > 0 ? [`removes the groups ${listed(removed)}`] : []),
    ...roles.map((role) => `makes the user ${role}`)
  ]
  if (parts.length === 0) return
  const details = parts.join("; ")
  yield* Effect.logInfo(`audit: the directory ${quoted(source)} ${details} for ${quoted(name)} ${from(address)}`)
  yield* writeSignIn({ entries: [{ kind: "groups_changed", way: source, name, details }], by: name, address })
})

/** Logs names of a directory that are not used as groups. */
export const auditUnusedNames = (
  name: string,
  source: string,
  unused: ReadonlyArray<{ readonly name: string; readonly fault: string }>
) => {
  const each = unused.slice(0, namesPerLine).map(({ name, fault }) => `${quoted(name)} ${fault}`)
  const more = unused.length - each.length
  const all = [...each, ...(more > 0 ? [`${more} more`] : [])].join("; ")
  return Effect.logWarning(`audit: groups of the directory ${quoted(source)} are not used for ${quoted(name)}: ${all}`)
}
