import { describe, expect, it } from "vitest"
import { type ChangeRow, type CommittedTransaction, foldRows } from "../../source/Expectation.ts"
import { Differences } from "../Differences.ts"
import { type SourceEvent, compareSource } from "./SourceOracle.ts"

const state = (version: number) => (version === 0 ? null : { name: `version ${version}` })

/** A row from one version to another, 0 for none. */
const row = (id: number, from: number, to: number, requestId = `request ${id}`): ChangeRow => ({
  ...{ id, type: "dcim.site", objectId: 1, user: "admin", requestId },
  action: from === 0 ? "create" : to === 0 ? "delete" : "update",
  before: state(from),
  after: state(to)
})

const transaction = (rows: ReadonlyArray<ChangeRow>, amended: ReadonlyArray<ChangeRow> = []): CommittedTransaction => ({
  ...{ events: foldRows(rows), amended, retired: [] }
})

const event = (row: ChangeRow): SourceEvent => {
  const [{ changeIds, ...rest }] = foldRows([row]) as [ReturnType<typeof foldRows>[number]]
  return { ...rest, change: changeIds[0]!, id: `${changeIds[0]}` }
}

const differencesOf = (
  committed: ReadonlyArray<CommittedTransaction>,
  events: ReadonlyArray<SourceEvent>,
  mayBeFolded = false,
  isLost: (transaction: number) => boolean = () => false
): number => {
  const differences = new Differences()
  compareSource(committed, events, { mayBeFolded: () => mayBeFolded, isLost }, differences)
  return differences.count
}

const [created, updated, deleted] = [row(1, 0, 1), row(2, 1, 2), row(3, 2, 0)]
const all = [created, updated, deleted].map((each) => transaction([each]))

describe("events of a source", () => {
  it("are each owed once, in the order of the commits", () => {
    const events = [created, updated, deleted].map(event)
    expect(differencesOf(all, events)).toBe(0)
    expect(differencesOf(all, events.slice(1))).toBe(1)
    expect(differencesOf(all, events.slice(0, 2))).toBe(1)
    expect(differencesOf(all, [...events, event(deleted)])).toBe(1)
    expect(differencesOf(all, events.toReversed())).toBe(1)
    expect(differencesOf([], events)).toBe(1)
  })

  it("have the states, the user, the request and the row of their change", () => {
    const one = all.slice(0, 1)
    const found = event(created)
    expect(differencesOf(one, [found])).toBe(0)
    for (const other of [
      { after: state(2) },
      { before: state(2) },
      { user: "alice" },
      { requestId: "x" },
      { change: 7 }
    ])
      expect(differencesOf(one, [{ ...found, ...other }])).toBe(1)
  })

  it("may be one of several transactions of a request where rows are read from the table", () => {
    const job = [row(1, 0, 1, "job"), row(2, 1, 2, "job"), row(3, 2, 3, "job")]
    const committed = job.map((each) => transaction([each]))
    const folded = event(row(3, 0, 3, "job"))
    expect(differencesOf(committed, [folded], true)).toBe(0)
    expect(differencesOf(committed, [event(row(2, 0, 2, "job")), event(job[2]!)], true)).toBe(0)
    expect(differencesOf(committed, [folded])).toBe(1)
    expect(differencesOf(all, [event(row(2, 0, 2)), event(deleted)], true)).toBe(1)
  })

  it("are none of an object that a request creates and deletes, where rows are read from the table", () => {
    const committed = [row(1, 0, 1, "job"), row(2, 1, 0, "job")].map((each) => transaction([each]))
    expect(differencesOf(committed, [], true)).toBe(0)
    expect(differencesOf(committed, [])).toBe(1)
  })

  it("may be missing where a restored copy lacks their transaction, and are owed once", () => {
    const [lost, after] = [row(2, 1, 2, "lost"), row(2, 1, 3, "after")]
    const committed = [created, lost, after].map((each) => transaction([each]))
    const isLost = (at: number) => at === 1
    for (const found of [
      [created, lost, after],
      [created, after]
    ])
      expect(differencesOf(committed, found.map(event), false, isLost)).toBe(0)
    for (const found of [
      [lost, after],
      [created, lost],
      [created, lost, lost, after],
      [created, after, lost]
    ])
      expect(differencesOf(committed, found.map(event), false, isLost)).toBe(1)
  })

  it("may carry what a later transaction made of their row, where rows are read from the table", () => {
    const amended = { ...created, after: state(5) }
    const committed = [transaction([created]), transaction([], [amended])]
    for (const mayBeFolded of [true, false]) expect(differencesOf(committed, [event(created)], mayBeFolded)).toBe(0)
    expect(differencesOf(committed, [event(amended)], true)).toBe(0)
    expect(differencesOf(committed, [event(amended)])).toBe(1)
  })
})
