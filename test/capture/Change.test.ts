import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Change, type ObjectChange, fold } from "../../src/capture/fold/Change.ts"
import type { Row } from "../../src/inventory/Field.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import { runs } from "../support/Seed.ts"

const tag = objectType("extras.tag")
const region = objectType("dcim.region")

const rowOf = (id: number, name: string): Row => ({ id, name })

const before = rowOf(1, "before")
const between = rowOf(1, "between")
const after = rowOf(1, "after")

const change = (idx: number, before: Row | undefined, after: Row | undefined, type = tag): Change<Row> => ({
  type,
  before,
  after,
  idx,
  context: { username: `author ${idx}`, requestId: `request ${idx}` }
})

const told = (folded: ReadonlyArray<ObjectChange<Row>>) =>
  folded.map(({ kind, before, after, last, idx }) => ({ kind, before, after, last, idx }))

describe("changes of one object in one window", () => {
  test("created then updated is created, as it was left", () => {
    const folded = fold([change(0, undefined, before), change(1, before, after)])
    expect(told(folded)).toEqual([{ kind: "created", before: undefined, after, last: after, idx: 1 }])
  })

  test("updated twice is updated, from the first state before to the last state after", () => {
    const folded = fold([change(0, before, between), change(1, between, after)])
    expect(told(folded)).toEqual([{ kind: "updated", before, after, last: after, idx: 1 }])
  })

  test("updated then deleted is deleted, with its first and its last state", () => {
    const folded = fold([change(0, before, between), change(1, between, undefined)])
    expect(told(folded)).toEqual([{ kind: "deleted", before, after: undefined, last: between, idx: 1 }])
  })

  test("created then deleted is nothing", () => {
    expect(fold([change(0, undefined, before), change(1, before, undefined)])).toEqual([])
  })

  test("created, updated and deleted is nothing", () => {
    const changes = [change(0, undefined, before), change(1, before, after), change(2, after, undefined)]
    expect(fold(changes)).toEqual([])
  })

  test("deleted then created is updated", () => {
    const folded = fold([change(0, before, undefined), change(1, undefined, after)])
    expect(told(folded)).toEqual([{ kind: "updated", before, after, last: after, idx: 1 }])
  })

  test("the deletion of an append-only row is nothing, however the row changed before", () => {
    const signIn = objectType("users.signin")
    expect(fold([change(0, before, undefined, signIn)])).toEqual([])
    expect(fold([change(0, before, between, signIn), change(1, between, undefined, signIn)])).toEqual([])
    const kinds = fold([change(0, before, undefined), change(1, undefined, after, signIn)]).map(({ kind }) => kind)
    expect(kinds).toEqual(["deleted", "created"])
  })

  test("carries the author of the last change", () => {
    const [folded] = fold([change(0, before, between), change(7, between, after)])
    expect(folded?.context).toEqual({ username: "author 7", requestId: "request 7" })
  })

  test("stay apart from those of an object of another type with the same id", () => {
    const folded = fold([change(0, undefined, before, tag), change(1, before, undefined, region)])
    expect(folded.map(({ type, kind }) => [type.id, kind])).toEqual([
      ["extras.tag", "created"],
      ["dcim.region", "deleted"]
    ])
  })
})

/** A step of somebody's transaction. */
type Step =
  | { readonly does: "write"; readonly id: number; readonly name: string }
  | { readonly does: "delete"; readonly id: number }

const id = fc.integer({ min: 1, max: 5 })
const name = fc.constantFrom("a", "b", "c")
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: fc.constant("write" as const), id, name }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant("delete" as const), id }) }
  ),
  { maxLength: 30 }
)

/** Objects that exist before the transaction. */
const existing = fc.uniqueArray(id).map((ids) => ids.map((each) => rowOf(each, `old ${each}`)))

/**
 * Plays the steps on a table, as Postgres would; answers the changes it would tell of, the table after each of them,
 * and for each id the state of the object and the place when it was last touched.
 */
const play = (rows: ReadonlyArray<Row>, steps: ReadonlyArray<Step>, idxOf: (at: number) => number) => {
  const table = new Map(rows.map((row) => [row.id, row]))
  const changes: Array<Change<Row>> = []
  const touched = new Map<number, number>()
  const lastSeen = new Map<number, Row>()
  const note = (was: Row | undefined, is: Row | undefined) => {
    const idx = idxOf(changes.length)
    changes.push(change(idx, was, is))
    if (was !== undefined) touched.set(was.id, idx)
    if (is !== undefined) touched.set(is.id, idx)
    // An object that ends leaves the state before its end behind.
    if (was !== undefined && is?.id !== was.id) lastSeen.set(was.id, was)
  }
  for (const step of steps) {
    const was = table.get(step.id)
    if (step.does === "write") {
      const is = rowOf(step.id, step.name)
      table.set(step.id, is)
      note(was, is)
    } else if (was !== undefined && step.does === "delete") {
      table.delete(step.id)
      note(was, undefined)
    }
  }
  return { table, changes, touched, lastSeen }
}

describe("folding any transaction", () => {
  const transaction = fc.tuple(existing, steps, fc.integer({ min: 1, max: 9 }))

  test("gives exactly the difference between the table before and after", () => {
    fc.assert(
      fc.property(transaction, ([rows, done, stride]) => {
        const { table, changes, touched, lastSeen } = play(rows, done, (at) => at * stride)
        const old = new Map(rows.map((row) => [row.id, row]))
        const expected = [...touched]
          .filter(([each]) => old.has(each) || table.has(each))
          .map(([each, idx]) => ({
            kind: !old.has(each) ? "created" : table.has(each) ? "updated" : "deleted",
            before: old.get(each),
            after: table.get(each),
            last: table.get(each) ?? lastSeen.get(each),
            idx
          }))
        const byId = (a: { readonly last?: Row | undefined }, b: { readonly last?: Row | undefined }) =>
          a.last!.id - b.last!.id
        expect(told(fold(changes)).sort(byId)).toEqual(expected.sort(byId))
      }),
      { numRuns: runs(1000) }
    )
  })

  test("gives each object once, in the order of last changes", () => {
    fc.assert(
      fc.property(transaction, ([rows, done, stride]) => {
        const folded = fold(play(rows, done, (at) => at * stride).changes)
        expect(new Set(folded.map(({ last }) => last.id)).size).toBe(folded.length)
        const order = folded.map(({ idx }) => idx)
        expect(order).toEqual([...order].sort((a, b) => a - b))
      })
    )
  })

  test("in two halves gives the same final state as in one piece", () => {
    fc.assert(
      fc.property(transaction, fc.nat(30), ([rows, done], at) => {
        const { changes } = play(rows, done, (each) => each)
        const apply = (windows: ReadonlyArray<ReadonlyArray<ObjectChange<Row>>>) => {
          const table = new Map(rows.map((row) => [row.id, row]))
          for (const { after, last } of windows.flat()) {
            if (after === undefined) table.delete(last.id)
            else table.set(last.id, after)
          }
          return table
        }
        const halves = [fold(changes.slice(0, at)), fold(changes.slice(at))]
        expect(apply(halves)).toEqual(apply([fold(changes)]))
      })
    )
  })
})
