/**
 * Tickets: content that a browser keeps for some minutes and sends back. A ticket is sealed, so no client reads or
 * changes it, nothing is stored while it is out, and every process of the service can open it. Pure but for the vault.
 */
import type { Vault } from "../inventory/Vault.ts"

/** The use that a ticket was sealed for: another use does not open it. */
export type TicketPurpose =
  | "sign in by a provider"
  | "log in with a second factor"
  | "set up an authenticator app"
  | "add a passkey"
  | "prove a passkey"
  | "log in by a passkey"

/** Longest path that a ticket in a cookie names, characters: browsers refuse cookies of more than 4096 bytes. */
const pathCharsMax = 1500

/** Returns the path that a ticket in a cookie names: the home page in place of one that is too long. */
export const pathInCookie = (path: string): string => (path.length > pathCharsMax ? "/" : path)

/** Returns the sealed content, valid until `expires` in milliseconds since 1970. */
export const sealTicket = (
  { seal }: Pick<Vault["Service"], "seal">,
  purpose: TicketPurpose,
  content: object,
  expires: number
): string => seal(JSON.stringify({ ...content, purpose, expires }))

/** Returns the content of a ticket; undefined if it was changed, is for another use, or has expired. */
export const openTicket = <A extends object>(
  { open }: Pick<Vault["Service"], "open">,
  purpose: TicketPurpose,
  ticket: string | undefined,
  nowMillis: number
): A | undefined => {
  const text = ticket === undefined ? undefined : open(ticket)
  if (text === undefined) return undefined
  try {
    const read = JSON.parse(text) as A & { readonly purpose?: unknown; readonly expires?: unknown }
    return read.purpose === purpose && Number(read.expires) > nowMillis ? read : undefined
  } catch {
    return undefined
  }
}
