/** Names of the channels and messages between processes, functions in the database and capture. */

/** Prefix of the logical message that carries a transaction's author and request; capture uses it too. */
export const contextPrefix = "rackwire:ctx:v1"

/** Longest reason for a change, characters. */
export const messageCharsMax = 200

/** Channel that announces changes of announced object types, as `<object type> <id>`. */
export const announceChannel = "rackwire"
