/**
 * The place in the WAL of a NetBox from which on webhooks are sent here, and not there: a message in the transaction that
 * disables them there (attach/Switch.ts). It is sealed with SECRET_KEY, since everybody who may connect to that database
 * may write a message.
 */

export const switchPrefix = "rackwire:switch:v1"

/** Servers from this version on send messages. */
export const messagesVersion = 140_000

/** The message before it is sealed: ids of webhooks here, and of their source. */
export const switchText = (source: number, webhooks: ReadonlyArray<number>): string =>
  JSON.stringify({ source, webhooks })

/** The webhooks of a message that was opened; none if it is of another source. */
export const switchedIn = (text: string | undefined, source: number): ReadonlyArray<number> => {
  if (text === undefined) return []
  const found = JSON.parse(text) as { readonly source: number; readonly webhooks: ReadonlyArray<number> }
  return found.source === source ? found.webhooks : []
}
