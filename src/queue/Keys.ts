/**
 * Names in Redis. All keys of a webhook share its hash tag, so they live in one slot of a cluster. The connection puts the
 * installation's prefix before each key (redis/Installation.ts).
 */
import type { Client } from "../redis/Redis.ts"

export const keysOf = (webhook: number) => {
  const prefix = `{w${webhook}}`
  return {
    /** Stream: deliveries in the order of the WAL, under its positions. */
    queue: `${prefix}:queue`,
    /** Stream: tests, and retries that users requested one by one. They do not wait for an open circuit breaker. */
    urgent: `${prefix}:urgent`,
    /** Stream: retries and replays that are due. */
    again: `${prefix}:again`,
    /** Sorted set: ids of delayed deliveries by the time they are due, milliseconds. */
    later: `${prefix}:later`,
    /** Hash: the delayed and the parked deliveries by id. */
    held: `${prefix}:held`,
    /** Hash, if order matters: the delivery under way or delayed, by object. It blocks the others of the object. */
    blocked: `${prefix}:blocked`,
    /** Sorted set, if order matters: the deliveries that are parked behind it, by object and position. */
    parked: `${prefix}:parked`,
    /** Sorted set, if order matters: deliveries that left the queue without an attempt, by position. */
    unattempted: `${prefix}:unattempted`,
    /** Text, if the rate is limited: the next free time slot, microseconds. */
    pace: `${prefix}:pace`,
    /** Hash: until when the circuit breaker is open, milliseconds, and how often it opened (`until`, `openings`). */
    breaker: `${prefix}:breaker`,
    /** Text: the process that probes the receiver. */
    probe: `${prefix}:probe`,
    /** Hash: the generation of the process that appended last (`generation`). */
    notes: `${prefix}:notes`
  } as const
}

/** The consumer group of every stream. */
export const group = "deliver"

/**
 * Channels. Unlike keys they get no prefix from the connection, and are shared by all databases of a server.
 *
 * `wake`: the id of a webhook one of whose streams has new entries. `breaker`: the state of a circuit breaker.
 */
export const channelsOf = ({ options, isCluster }: Client) => {
  const prefix = options.keyPrefix ?? ""
  return { wake: `${prefix}wake`, breaker: `${prefix}breaker:${isCluster ? 0 : (options.db ?? 0)}` }
}

/** Keys for all webhooks; they lie in one slot of a cluster. */
export const sweepKeys = {
  /** Sorted set: webhooks that have something in Redis, by the time of their next inspection, milliseconds. */
  marks: "{sweep}:marks",
  /** Text: the process that sweeps. */
  sweeper: "{sweep}:sweeper"
} as const
