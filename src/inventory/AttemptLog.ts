/**
 * Where the attempts of deliveries are: one row each, but for a delivery that succeeded at once. Its attempt is in the
 * delivery's own row, which saves a row and two entries of indexes for nearly every delivery. The log writes both
 * (`log/AttemptRows.ts`), and all reads of attempts use this one.
 */

/**
 * Columns of an attempt in the delivery's `only_attempt`. All of them: the delivery's other columns describe its last
 * attempt, and it may be sent again by hand.
 */
const own = [
  ["started", "timestamptz"],
  ["response_status", "bigint"],
  ["duration_ms", "bigint"],
  ["phases", "jsonb"],
  ["url", "text"],
  ["request_headers", "text"],
  ["response_headers", "text"],
  ["response_body", "text"]
] as const

export type OnlyAttempt = Readonly<Record<(typeof own)[number][0], unknown>>

const names = own.map(([name]) => name).join(", ")

/**
 * SQL: all attempts, to select from by `delivery_id` and `time`. Where two processes made the first attempt at once, and
 * one of them failed, there is a row beside the one in the delivery: the row counts, for both.
 */
export const everyAttempt = `(
  select time, delivery_id, number, reason, message, ${names} from rackwire_attempt
  union all
  select d.time, d.delivery_id, 1, '', '',
         ${own.map(([name, type]) => `(d.only_attempt ->> '${name}')::${type}`).join(", ")}
    from extras_delivery d
   where d.only_attempt is not null and not exists (
     select from rackwire_attempt r where r.delivery_id = d.delivery_id and r.time = d.time and r.number = 1))`
