/**
 * Compares the events of a source with what its NetBox committed: for each object every event once, in the order of the
 * commits. Pure.
 *
 * Where rows may have been read from the table, the transactions of one request may be one event, and an event may carry
 * what a later transaction of the request made of its row. Where the database was restored from a copy, there may be no
 * events of transactions that the copy lacks. Nothing else is excused.
 */
import { isDeepStrictEqual } from "node:util"
import type { ChangeRow, CommittedTransaction, ExpectedEvent } from "../../source/Expectation.ts"
import type { Snapshot } from "../../source/NetBoxModels.ts"
import type { Differences } from "../Differences.ts"

/** An event of the change log. */
export interface SourceEvent extends Omit<ExpectedEvent, "changeIds"> {
  /** Id of the last row that it is made of. */
  readonly change: number
  /** Its delivery is `<webhook>-<position>-<idx>`. */
  readonly id: string
}

/** An event that is owed. */
interface Owed extends ExpectedEvent {
  /** It may have been read from the table. */
  readonly mayBeFolded: boolean
  /** Its transaction was lost: perhaps nobody has read it. */
  readonly isLost: boolean
  /** States of its last row that later transactions made. */
  readonly amended: ReadonlyArray<Snapshot | null>
}

/** Facts about transactions, by their number. */
export interface Excuses {
  /** Its rows may have been read from the table. */
  readonly mayBeFolded: (transaction: number) => boolean
  /** It is missing in a copy that was restored since. */
  readonly isLost: (transaction: number) => boolean
}

export const compareSource = (
  committed: ReadonlyArray<CommittedTransaction>,
  events: ReadonlyArray<SourceEvent>,
  excuses: Excuses,
  differences: Differences
): void => {
  const owed = Map.groupBy(owedBy(committed, excuses), objectOf)
  const actual = Map.groupBy(events, objectOf)
  for (const object of new Set([...owed.keys(), ...actual.keys()])) {
    const [own, found] = [owed.get(object) ?? [], actual.get(object) ?? []]
    if (!matches(own, found)) differences.add(`${object}: ${firstDifference(own, found)}`)
  }
}

const objectOf = ({ type, objectId }: Pick<ExpectedEvent, "type" | "objectId">): string => `${type} ${objectId}`

const owedBy = (
  committed: ReadonlyArray<CommittedTransaction>,
  { mayBeFolded, isLost }: Excuses
): ReadonlyArray<Owed> => {
  const amended = Map.groupBy(
    committed.flatMap((transaction): ReadonlyArray<ChangeRow> => transaction.amended),
    rowKey
  )
  return committed.flatMap(({ events }, at) =>
    events.map((event) => ({
      ...event,
      mayBeFolded: mayBeFolded(at),
      isLost: isLost(at),
      amended: (amended.get(rowKey({ id: event.changeIds.at(-1)!, requestId: event.requestId })) ?? []).map(
        ({ after }) => after
      )
    }))
  )
}

/** A database that is restored uses ids again. */
const rowKey = ({ id, requestId }: Pick<ChangeRow, "id" | "requestId">): string => `${requestId} ${id}`

/** Whether the events are the owed ones, each once: all of both are used. */
const matches = (owed: ReadonlyArray<Owed>, events: ReadonlyArray<SourceEvent>): boolean => {
  const refused = new Set<string>()
  const from = (at: number, next: number): boolean => {
    if (at === owed.length) return next === events.length
    const place = `${at} ${next}`
    if (refused.has(place)) return false
    const isMatch =
      (owed[at]!.isLost && from(at + 1, next)) ||
      runsAt(owed, at).some((run) => {
        const event = foldOwed(run)
        if (event === undefined) return from(at + run.length, next)
        const found = events[next]
        return found !== undefined && isSame(event, found) && from(at + run.length, next + 1)
      })
    if (!isMatch) refused.add(place)
    return isMatch
  }
  return from(0, 0)
}

/** The events from there on that may be one: the first alone, and as many as the request has. */
const runsAt = (owed: ReadonlyArray<Owed>, at: number): ReadonlyArray<ReadonlyArray<Owed>> => {
  const runs = [[owed[at]!]]
  for (let end = at + 1; owed[end]?.requestId === owed[at]!.requestId; end++) {
    const run = owed.slice(at, end + 1)
    if (run.every(({ mayBeFolded }) => mayBeFolded)) runs.push(run)
  }
  return runs
}

/** One event of several; undefined for an object that did not exist before nor after. */
const foldOwed = (run: ReadonlyArray<Owed>): Owed | undefined => {
  const [first, last] = [run[0]!, run.at(-1)!]
  if (run.length === 1) return first
  const existed = first.kind !== "created"
  const exists = last.kind !== "deleted"
  if (!existed && !exists) return undefined
  const kind = existed ? (exists ? "updated" : "deleted") : "created"
  return { ...last, kind, before: existed ? first.before : null }
}

const isSame = (owed: Owed, event: SourceEvent): boolean =>
  factsOf(owed) === factsOf({ ...event, changeIds: [event.change] }) &&
  isDeepStrictEqual(owed.before, event.before) &&
  [owed.after, ...(owed.mayBeFolded ? owed.amended : [])].some((after) => isDeepStrictEqual(after, event.after))

const factsOf = ({ kind, user, requestId, changeIds }: ExpectedEvent): string =>
  `${kind} by ${user} of request ${requestId} with change ${changeIds.at(-1)}`

const firstDifference = (owed: ReadonlyArray<Owed>, events: ReadonlyArray<SourceEvent>): string => {
  const length = Math.max(owed.length, events.length)
  for (let at = 0; at < length; at++) {
    const [one, other] = [owed[at], events[at]]
    if (one !== undefined && other !== undefined && isSame(one, other)) continue
    const expected = one === undefined ? "nothing" : factsOf(one)
    const found = other === undefined ? "nothing" : `${factsOf({ ...other, changeIds: [other.change] })} (${other.id})`
    const isSnapshot = expected === found.replace(/ \([^)]*\)$/, "")
    const states = JSON.stringify({ owed: [one?.before, one?.after], found: [other?.before, other?.after] })
    return `event ${at + 1} of ${owed.length} owed and ${events.length} found: owed ${expected}, found ${found}${isSnapshot ? ` ${states}` : ""}`
  }
  return "an order of events that nothing explains"
}
