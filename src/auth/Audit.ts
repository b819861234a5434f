/**
 * The lines of the log that tell who came in, who was refused, and who granted what. They begin with `audit:`. What a
 * client sent stands in quotes, so that no line can be forged; secrets never stand there.
 */
import { Effect } from "effect"
import type { Denied } from "./Denied.ts"
import { type Principal, username } from "./Principal.ts"

/** Most characters of a text that a client sent. */
const lengthMax = 150

const quoted = (text: string): string => JSON.stringify(text.slice(0, lengthMax))

const from = (address: string | undefined): string => `from ${quoted(address ?? "an unknown address")}`

export const auditTokenUse = (token: string, name: string | null, address: string | undefined) =>
  Effect.logInfo(`audit: token ${token} of ${quoted(name ?? "")} is used ${from(address)}`)

export const auditLogin = (
  how: "logged in" | "logged out" | "provisioned a token" | "changed the password",
  name: string,
  address: string | undefined
) => Effect.logInfo(`audit: ${quoted(name)} ${how} ${from(address)}`)

/** That nobody says who they are is no failure. */
export const auditDenied = ({ reason }: Denied, what: string, name: string, address: string | undefined) =>
  reason === "NoCredentials"
    ? Effect.void
    : Effect.logWarning(`audit: ${quoted(name)} ${from(address)} is denied ${quoted(what)}: ${reason}`)

/** Ids in one line; an import has thousands. */
const idsPerLine = 500

/** A write of accounts: users, groups, permissions, tokens. */
export const auditGrant = (principal: Principal, what: string, ids: ReadonlyArray<number>) => {
  const lines = Array.from({ length: Math.max(1, Math.ceil(ids.length / idsPerLine)) }, (_, line) =>
    ids.slice(line * idsPerLine, (line + 1) * idsPerLine).join(", ")
  )
  const by = `audit: ${quoted(username(principal))} did ${quoted(what)}`
  return Effect.forEach(lines, (line) => Effect.logInfo(`${by}: ${line}`), { discard: true })
}
