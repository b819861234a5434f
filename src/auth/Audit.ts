/**
 * The audit lines of the log: logins, refusals, and changes of accounts. They begin with `audit:`. Text from a client
 * is quoted, so that no client can forge a line; secrets are never logged.
 */
import { Effect } from "effect"
import type { Denied } from "./Denied.ts"
import { type Principal, username } from "./Principal.ts"

/** Most characters of a text from a client. */
const textCharsMax = 150

const quoted = (text: string): string => JSON.stringify(text.slice(0, textCharsMax))

const from = (address: string | undefined): string => `from ${quoted(address ?? "an unknown address")}`

export const auditTokenUse = (token: string, name: string | null, address: string | undefined) =>
  Effect.logInfo(`audit: token ${token} of ${quoted(name ?? "")} is used ${from(address)}`)

export const auditLogin = (
  how:
    | "logged in"
    | "logged in by the header of a proxy"
    | "was created by the header of a proxy"
    | "logged out"
    | "provisioned a token"
    | "changed the password",
  name: string,
  address: string | undefined
) => Effect.logInfo(`audit: ${quoted(name)} ${how} ${from(address)}`)

/** A login with a second factor, and changes of second factors. */
export const auditFactor = (
  how:
    | "logged in with a code"
    | "logged in with a recovery code"
    | "set up an authenticator app"
    | "made recovery codes"
    | "removed an authenticator app"
    | "logged in with a passkey"
    | "logged in by a passkey"
    | "added a passkey"
    | "removed a passkey",
  name: string,
  address: string | undefined
) => Effect.logInfo(`audit: ${quoted(name)} ${how} ${from(address)}`)

/** The reset of another user's second factors, by an administrator or a command. */
export const auditFactorReset = (name: string, by: { readonly name: string; readonly address: string | undefined }) =>
  Effect.logInfo(`audit: ${quoted(by.name)} reset the second factors of ${quoted(name)} ${from(by.address)}`)

/** The end of sessions of a user, by that user or by an administrator. */
export const auditSessionsEnded = (
  { by, of, sessions }: { readonly by: string; readonly of: string; readonly sessions: number },
  address: string | undefined
) => Effect.logInfo(`audit: ${quoted(by)} ended ${sessions} sessions of ${quoted(of)} ${from(address)}`)

/** A sign-in by a provider: of a known account, of a new user, or of an account that takes over a user. */
export const auditSignIn = (
  how: "signIn" | "create" | "adopt",
  name: string,
  by: { readonly issuer: string; readonly subject: string },
  address: string | undefined
) => {
  const also = { signIn: "", create: ", for the first time, as a new user", adopt: ", and took over this user" }[how]
  const account = `account ${quoted(by.subject)} of ${quoted(by.issuer)}`
  return Effect.logInfo(`audit: ${quoted(name)} logged in by ${account} ${from(address)}${also}`)
}

/** A token of a user here, for one of a trusted issuer. */
export const auditExchange = (
  name: string,
  token: number,
  by: { readonly issuer: string; readonly subject: string },
  address: string | undefined
) =>
  Effect.logInfo(
    `audit: ${quoted(name)} got token ${token} for one of ${quoted(by.subject)} by ${quoted(by.issuer)} ${from(address)}`
  )

export const auditSignInRefused = (provider: string, why: string, address: string | undefined) =>
  Effect.logWarning(`audit: a sign-in by ${quoted(provider)} ${from(address)} is refused: ${quoted(why)}`)

export const auditProviderLogout = (provider: string, sessions: number) =>
  Effect.logInfo(`audit: ${quoted(provider)} ended ${sessions} sessions`)

/** A request without credentials is no failure. */
export const auditDenied = ({ reason }: Denied, what: string, name: string, address: string | undefined) =>
  reason === "NoCredentials"
    ? Effect.void
    : Effect.logWarning(`audit: ${quoted(name)} ${from(address)} is denied ${quoted(what)}: ${reason}`)

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

/** Logs which groups and roles a directory gave a user or took away. */
export const auditGroups = (
  name: string,
  { source, added, removed, created, roles }: DirectoryChange,
  address: string | undefined
) => {
  const parts = [
    ...(added.length > 0 ? [`adds the groups ${listed(added)}`] : []),
    ...(created.length > 0 ? [`creates ${listed(created)}`] : []),
    ...(removed.length > 0 ? [`removes the groups ${listed(removed)}`] : []),
    ...roles.map((role) => `makes the user ${role}`)
  ]
  return parts.length === 0
    ? Effect.void
    : Effect.logInfo(`audit: the directory ${quoted(source)} ${parts.join("; ")} for ${quoted(name)} ${from(address)}`)
}

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
