/**
 * Compares the change log with what was committed: every change is there exactly once, in order for each object, folded
 * to one event per transaction, and there is nothing else. The service itself turns the health of webhooks: what nobody
 * else wrote is only that, and each turn begins with the health that the one before it left.
 */
import { isDeepStrictEqual } from "node:util"
import { type LoggedEvent, loggedEvent } from "../../src/changelog/LoggedEvent.ts"
import { windowMessages } from "../../src/capture/fold/TransactionWindows.ts"
import type { Sql } from "../support/Sql.ts"
import { type Change, type Transaction, kinds, readStamp, seedOf } from "./Committed.ts"
import type { Differences } from "./Differences.ts"

type Json = Readonly<Record<string, unknown>> | null

export interface Logged extends LoggedEvent {
  readonly before: Json
  readonly after: Json
  /** Object type and key. */
  readonly object: string
}

const keyColumns = new Map(kinds.map(({ id, key }) => [id as string, key]))

/** The change log without alarms and sign-ins, which no writer of the world makes, in the order of the WAL. */
export const readChangeLog = async (sql: Sql): Promise<ReadonlyArray<Logged>> => {
  const rows = await sql.query<LoggedEvent>(
    `select ${loggedEvent} from extras_objectchange c where c.changed_object_type not in ('extras.alarm', 'users.signin') order by c.position, c.idx`
  )
  return rows.map((row) => {
    const before = JSON.parse(row.prechange) as Json
    const after = JSON.parse(row.postchange) as Json
    const key = String((after ?? before)?.[keyColumns.get(row.object_type) ?? "id"])
    return { ...row, before, after, object: `${row.object_type} ${key}` }
  })
}

interface Step extends Change {
  readonly transaction: Transaction
}

/** Steps that must have happened to each object. */
const stepsOf = (transactions: ReadonlyArray<Transaction>): ReadonlyMap<string, ReadonlyArray<Step>> => {
  const steps = new Map<string, Array<Step>>()
  for (const transaction of transactions) {
    if (transaction.fate !== "committed") continue
    for (const change of transaction.changes) {
      const object = `${change.kind.id} ${change.key}`
      const list = steps.get(object) ?? []
      steps.set(object, list)
      list.push({ ...change, transaction })
    }
  }
  return steps
}

/** Whether changes of an object type by a seed may be missing; undefined: by anybody. */
export type InGap = (type: string, seed: number | undefined) => boolean

export const compareChangeLog = (
  logged: ReadonlyArray<Logged>,
  transactions: ReadonlyArray<Transaction>,
  isInGap: InGap,
  differences: Differences
): void => {
  const steps = stepsOf(transactions)
  compareHealth(logged, isInGap, differences)
  const events = Map.groupBy(
    logged.filter((event) => !isTurn(event)),
    ({ object }) => object
  )
  for (const object of new Set([...steps.keys(), ...events.keys()])) {
    const type = object.split(" ")[0]!
    // Changes of the same object by other seeds are compared too.
    const ofSteps = steps.get(object)?.filter(({ transaction }) => !isInGap(type, seedOf(transaction.label)))
    const ofEvents = events.get(object)?.filter((event) => !isInGap(type, seedOf(labelOf(event) ?? "")))
    compareObject(object, ofSteps ?? [], ofEvents ?? [], differences)
  }
  comparePositions(logged, differences)
}

const healthOf = (json: Json) => ({ health: json?.["health"], health_since: json?.["health_since"] })

/** Whether it tells that the health of a webhook turned, and nothing else. */
const isTurn = ({ object_type: type, before, after, user_name: author }: Logged): boolean =>
  type === "extras.webhook" &&
  author === "" &&
  before?.["health"] !== after?.["health"] &&
  isDeepStrictEqual({ ...before, ...healthOf(after) }, after)

/** The health of a webhook is what the last event about it left. */
const compareHealth = (logged: ReadonlyArray<Logged>, isInGap: InGap, differences: Differences): void => {
  if (isInGap("extras.webhook", undefined)) return
  const known = new Map<string, unknown>()
  for (const { object_type: type, object, before, after, position, idx } of logged) {
    if (type !== "extras.webhook") continue
    const [was, left] = [before?.["health"], known.get(object)]
    if (before !== null && was !== left) differences.add(`${object} was ${left}, and ${position}-${idx} says ${was}`)
    known.set(object, after?.["health"])
  }
}

/** Walks through an object's changes with its events: each event stands for some that follow each other. */
const compareObject = (
  object: string,
  steps: ReadonlyArray<Step>,
  events: ReadonlyArray<Logged>,
  differences: Differences
): void => {
  let at = skipNothing(steps, 0)
  for (const event of events) {
    const [from, to] = [versionOf(event.before), versionOf(event.after)]
    const run = runAt(steps, at)
    const covered = run.findLastIndex((step) => step.to === to) + 1
    const what = `${object} from version ${from} to ${to} at ${event.position}-${event.idx}`
    if (run.length === 0 || run[0]!.from !== from || covered === 0) {
      const expected = run.length === 0 ? "nothing more" : `a change from ${run[0]!.from} to ${run.at(-1)!.to}`
      return differences.add(`change log: ${what}, where ${expected} was committed`)
    }
    const { transaction } = run[0]!
    if (covered < run.length && transaction.messages < windowMessages * 0.95) {
      differences.add(`change log: ${what} is a part of what ${transaction.label} did`)
    }
    compareEvent(what, event, transaction, differences)
    at = skipNothing(steps, at + covered)
  }
  if (at < steps.length) {
    const { from, to, transaction } = steps[at]!
    differences.add(`change log: ${object} from version ${from} to ${to} (${transaction.label}) is missing`)
  }
}

const compareEvent = (what: string, event: Logged, transaction: Transaction, differences: Differences): void => {
  const kind = event.before === null ? "create" : event.after === null ? "delete" : "update"
  if (event.action !== kind) differences.add(`change log: ${what} is called ${event.action}`)
  const label = readStamp(event.after?.["description"])?.label ?? transaction.label
  if (label !== transaction.label) differences.add(`change log: ${what} is of ${label}, not ${transaction.label}`)
  const { requestId = event.request_id } = transaction
  if (event.request_id !== requestId) differences.add(`change log: ${what} has the request ${event.request_id}`)
}

const labelOf = ({ before, after }: Logged): string | undefined => readStamp((after ?? before)?.["description"])?.label

const versionOf = (json: Json): number | undefined =>
  json === null ? undefined : (readStamp(json["description"])?.version ?? Number.NaN)

/** The changes from there on that the same transaction made. */
const runAt = (steps: ReadonlyArray<Step>, at: number): ReadonlyArray<Step> => {
  const run: Array<Step> = []
  for (let n = at; n < steps.length && steps[n]!.transaction === steps[at]!.transaction; n++) run.push(steps[n]!)
  return run
}

/** A transaction that creates an object and deletes it again gives no event of it. */
const skipNothing = (steps: ReadonlyArray<Step>, from: number): number => {
  let at = from
  for (;;) {
    const run = runAt(steps, at)
    if (run.length === 0 || run[0]!.from !== undefined || run.at(-1)!.to !== undefined) return at
    at += run.length
  }
}

/** Events of one transaction share a position, and only those. */
const comparePositions = (logged: ReadonlyArray<Logged>, differences: Differences): void => {
  const labels = new Map<string, string>()
  const positions = new Map<string, string>()
  let last = ""
  for (const event of logged) {
    const { position, idx, after, object } = event
    const id = `${position}-${idx}`
    if (id === last) differences.add(`change log: ${id} is there twice`)
    last = id
    const label = readStamp(after?.["description"])?.label
    if (label === undefined || isTurn(event)) continue
    if ((labels.get(position) ?? label) !== label) {
      differences.add(`change log: ${object} of ${label} has the position ${position} of ${labels.get(position)}`)
    }
    if ((positions.get(label) ?? position) !== position) {
      differences.add(`change log: ${label} has the positions ${position} and ${positions.get(label)}`)
    }
    labels.set(position, label)
    positions.set(label, position)
  }
}
