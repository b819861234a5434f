/**
 * Compares the delivery log and a receiver's records with what webhooks are owed: every delivery ends with success or
 * with its schedule, its attempts are logged without gaps and with their answers, and every repetition has a reason.
 */
import { everyAttempt } from "../../src/inventory/AttemptLog.ts"
import type { Sql } from "../support/Sql.ts"
import type { Differences } from "./Differences.ts"
import type { HostileReceiver, Request } from "./HostileReceiver.ts"
import type { Owed } from "./StreamOracle.ts"

/** A disturbance, from its start until the service has noticed it: milliseconds since the receiver's start. */
export interface Disturbance {
  readonly fault: string
  readonly from: number
  to: number
}

export interface Expected {
  readonly owed: ReadonlyMap<number, ReadonlyArray<Owed>>
  /** Attempts after which a webhook gives up, by its id; others never do. */
  readonly attemptsMax: ReadonlyMap<number, number>
  readonly receiver: HostileReceiver
  readonly disturbances: ReadonlyArray<Disturbance>
}

interface LoggedAttempt {
  readonly number: number
  readonly status: number | null
  readonly reason: string
}

interface LoggedDelivery {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly each: ReadonlyArray<LoggedAttempt>
}

const query = `
  select d.delivery_id as id, d.status, d.attempts::int as attempts,
         (select coalesce(json_agg(json_build_object('number', a.number, 'status', a.response_status, 'reason', a.reason)
                                   order by a.number), '[]')
            from ${everyAttempt} a where a.delivery_id = d.delivery_id) as each
    from extras_delivery d`

export const compareAttempts = async (sql: Sql, expected: Expected, differences: Differences): Promise<void> => {
  const { owed, attemptsMax, receiver, disturbances } = expected
  const logged = new Map((await sql.query<LoggedDelivery>(query)).map((one) => [one.id, one]))
  const requests = Map.groupBy(receiver.requests, ({ delivery }) => delivery)
  const ids = new Set<string>()
  const webhooks = new Set(
    (await sql.query<{ id: number }>("select id::int as id from extras_webhook")).map(({ id }) => id)
  )
  for (const [webhook, each] of owed) {
    for (const { id } of each) {
      const delivery = `${webhook}-${id}`
      ids.add(delivery)
      // Deliveries of a deleted webhook may end with any outcome.
      if (!webhooks.has(webhook)) continue
      const one = logged.get(delivery)
      if (one === undefined) differences.add(`delivery ${delivery} is missing in the log`)
      else compareDelivery(one, attemptsMax.get(webhook), requests.get(delivery) ?? [], disturbances, differences)
    }
  }
  for (const id of [...logged.keys(), ...requests.keys()]) {
    if (!ids.has(id)) differences.add(`delivery ${id} is not owed`)
  }
}

/**
 * Whether the receiver answered a request with success and the service logged it so. On a busy machine an answer may arrive
 * when the service has given the request up: then it is repeated.
 */
export const acceptedBy = async (sql: Sql): Promise<(request: Request) => boolean> => {
  const failed = await sql.query<{ readonly attempt: string }>(
    `select delivery_id || ' ' || number as attempt from ${everyAttempt} a where reason <> ''`
  )
  const names = new Set(failed.map(({ attempt }) => attempt))
  return ({ delivery, attempt, status }) => isSuccess(status) && !names.has(`${delivery} ${attempt}`)
}

const compareDelivery = (
  { id, status, attempts, each }: LoggedDelivery,
  attemptsMax: number | undefined,
  requests: ReadonlyArray<Request>,
  disturbances: ReadonlyArray<Disturbance>,
  differences: Differences
): void => {
  const history = requests.map(({ attempt, at, status }) => `${attempt} at ${Math.round(at)} ms: ${status}`).join(", ")
  const wrong = (what: string) => differences.add(`delivery ${id}: ${what}; requests were ${history || "none"}`)
  const isGone = each.at(-1)?.reason === "Gone" && requests.some((request) => request.status === 410)
  const isSpent = isGone || (attempts === attemptsMax && each.every(({ reason }) => reason !== ""))
  if (status !== "successful" && !(status === "failed" && isSpent)) wrong(`${status} after ${attempts} attempts`)
  if (each.length !== attempts || each.some(({ number }, at) => number !== at + 1)) {
    wrong(`${attempts} attempts, logged are ${each.map(({ number }) => number).join(", ")}`)
  }
  for (const { number, status } of each) {
    const answers = requests.filter(({ attempt }) => attempt === number).map((request) => request.status)
    if (status !== null && !answers.includes(status)) {
      wrong(`attempt ${number} is logged with ${status}, answered was ${answers.join(", ") || "nothing"}`)
    }
  }
  for (const [at, request] of requests.entries()) {
    if (request.attempt > attempts) wrong(`attempt ${request.attempt} is not logged`)
    const before = requests[at - 1]
    if (before === undefined) continue
    // The next attempt follows those that failed, of which some never came here; all else repeats what may have been
    // lost.
    const failed = !isSuccess(before.status) || each[before.attempt - 1]?.reason !== ""
    const between = each.slice(before.attempt, request.attempt - 1)
    const follows = failed && request.attempt > before.attempt && between.every(({ reason }) => reason !== "")
    // Once Redis has lost data, an entry may exist more than once, and each copy is delivered.
    const copied = disturbances.some(
      ({ fault, from, to }) => isLoss(fault) && from <= request.at && to >= requests[0]!.at
    )
    // The receiver shares the machine: it may read a request after the service has given it up and tried again.
    const isLate = request.attempt < before.attempt && each[request.attempt - 1]?.reason === "Timeout"
    const excused = copied || isLate || disturbances.some(({ from, to }) => from <= request.at && to >= before.at)
    if (!follows && !excused) {
      wrong(
        `attempt ${request.attempt} came after attempt ${before.attempt}, answered ${before.status}, without reason`
      )
    }
  }
}

/** Whether a fault lost data of Redis, by the beginning of its name. */
export const isLoss = (fault: string): boolean => fault.startsWith("Redis loses")

export const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300
