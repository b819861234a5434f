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
    /** Hash, where order matters: the delivery under way or waiting, by object. Nothing else of the object goes out. */
    blocked: `${prefix}:blocked`,
    /** Sorted set, where order matters: deliveries that stand behind those, by object and position. */
    parked: `${prefix}:parked`,
    /** Sorted set, where order matters: deliveries that are out of the queue and were never attempted, by position. */
    unattempted: `${prefix}:unattempted`,
    /** Text, where the rate is limited: when the next attempt may begin, microseconds. */
    pace: `${prefix}:pace`,
    /** Hash: until when the circuit breaker is open, milliseconds, and how often it opened (`until`, `openings`). */
    breaker: `${prefix}:breaker`,
    /** Text: the process that probes the receiver. */
    probe: `${prefix}:probe`,
    /** Hash: who appended last (`generation`). */
    notes: `${prefix}:notes`
  } as const
}

/** The consumer group of every stream. */
export const group = "deliver"

/** Channel on which a webhook's id is told when something was put into one of its streams. */
export const wakeChannel = "rackwire:wake"

/**
 * Channel on which it is told how a webhook's circuit breaker stands. Channels, unlike keys, are those of all
 * databases.
 */
export const breakerChannel = (database: number): string => `rackwire:breaker:${database}`

/** Written to learn when what came before it is on disk: one of these lies on each node of a cluster. */
export const diskKey = (number: number): string => `rackwire:disk:${number}`

/** Names that concern all webhooks; they lie in one slot of a cluster. */
export const sweepKeys = {
  /** Sorted set: webhooks that have something in Redis, by the time they are to be looked at, milliseconds. */
  marks: "rackwire:{sweep}:marks",
  /** Text: the process that looks. */
  sweeper: "rackwire:{sweep}:sweeper"
} as const
