/**
 * A transaction of rows that are moved here from elsewhere (move/Move.ts): no events are made of its changes, so that no
 * webhook fires and the change log does not name them.
 *
 * Everybody who may connect to the database may write such a message. So ours are sealed with SECRET_KEY, and count only
 * in the transaction for which they were made.
 */

export const movedPrefix = "rackwire:moved:v1"

/** The message before it is sealed. `xid`: the lower 32 bits of the transaction's number. */
export const movedText = (xid: number): string => `moved ${xid}`

/** Whether a message that was opened is of this transaction. */
export const isMoved = (text: string | undefined, xid: number): boolean => text === movedText(xid)
