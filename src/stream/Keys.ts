/** Names in Redis. All keys of a webhook share its hash tag, so they live in one slot of a cluster. */

export const keysOf = (webhook: number) => {
  const prefix = `rackwire:{w${webhook}}`
  return {
    /** Stream: deliveries in the order of the WAL, under its positions. */
    queue: `${prefix}:queue`,
    /** Stream: deliveries whose time has come again. */
    again: `${prefix}:again`,
    /** Sorted set: ids of waiting deliveries by the time they are due, milliseconds. */
    later: `${prefix}:later`,
    /** Hash: the waiting deliveries by id. */
    held: `${prefix}:held`,
    /** Hash: who appended last (`generation`). */
    notes: `${prefix}:notes`
  } as const
}

/** The consumer group of every stream. */
export const group = "deliver"

/** Channel on which a webhook's id is told when something was put into one of its streams. */
export const wakeChannel = "rackwire:wake"
