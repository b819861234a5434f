/** The places of devices in a picture of a topology. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { rowsOfGroup } from "../../src/topology/Groups.ts"
import { type Layout, layoutOf, nodeSize, titleHeight } from "../../src/topology/Layout.ts"
import { runs } from "../support/Seed.ts"

const finished = (work: Generator<void, Layout>): { readonly layout: Layout; readonly steps: number } => {
  let steps = 0
  let step = work.next()
  for (; step.done !== true; step = work.next()) steps += 1
  return { layout: step.value, steps }
}

const network = fc
  .record({
    groups: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 60 }),
    pairs: fc.array(fc.tuple(fc.nat(59), fc.nat(59)), { maxLength: 120 })
  })
  .map(({ groups, pairs }) => ({
    devices: groups.map((group, at) => ({ id: at + 1, group: `${group}` })),
    lines: pairs.flatMap(([a, b]) => (a < b && b < groups.length ? [{ a: a + 1, b: b + 1 }] : []))
  }))

describe("the layout of a topology", () => {
  it("has every device once, in the box of its group, and none above another", () => {
    fc.assert(
      fc.property(network, ({ devices, lines }) => {
        const { layout } = finished(layoutOf(devices, lines))
        expect([...layout.places.keys()].sort((a, b) => a - b)).toEqual(devices.map(({ id }) => id))
        for (const { id, group } of devices) {
          const { x, y } = layout.places.get(id)!
          const box = layout.boxes.find((each) => each.group === group)!
          expect(x - nodeSize.width / 2).toBeGreaterThanOrEqual(box.x)
          expect(x + nodeSize.width / 2).toBeLessThanOrEqual(box.x + box.width)
          expect(y - nodeSize.height / 2).toBeGreaterThanOrEqual(box.y + titleHeight)
          expect(y + nodeSize.height / 2).toBeLessThanOrEqual(box.y + box.height)
        }
        const places = [...layout.places.values()]
        for (const [at, one] of places.entries()) {
          for (const other of places.slice(at + 1)) {
            const isApart = Math.abs(one.x - other.x) >= nodeSize.width || Math.abs(one.y - other.y) >= nodeSize.height
            expect(isApart).toBe(true)
          }
        }
        for (const box of layout.boxes) {
          expect([box.x >= 0, box.x + box.width <= layout.width]).toEqual([true, true])
          expect([box.y >= 0, box.y + box.height <= layout.height]).toEqual([true, true])
        }
      }),
      { numRuns: runs(100) }
    )
  })

  it("is the same each time", () => {
    fc.assert(
      fc.property(network, ({ devices, lines }) => {
        expect(finished(layoutOf(devices, lines)).layout).toEqual(finished(layoutOf(devices, lines)).layout)
      }),
      { numRuns: runs(50) }
    )
  })

  it("is made in bounded steps of bounded work", () => {
    const devices = Array.from({ length: 1000 }, (_, at) => ({ id: at, group: `${at % 40}` }))
    const lines = Array.from({ length: 5000 }, (_, at) => ({ a: (at * 7) % 1000, b: (at * 13 + 1) % 1000 }))
    const { steps } = finished(
      layoutOf(
        devices,
        lines.filter(({ a, b }) => a !== b)
      )
    )
    // Ten for the lines, forty for the groups and as many for their sequence, and six passes over a few shelves.
    expect(steps).toBeGreaterThan(90)
    expect(steps).toBeLessThan(400)
  })

  it("has the best connected device of a group above, the others below it in layers, and single ones last", () => {
    const near = (...ids: ReadonlyArray<number>) => ({ near: ids, outside: 0 })
    const rows = rowsOfGroup(
      [near(1), near(0, 2, 3), near(1), near(1, 4), near(3), near(), { near: [], outside: 2 }],
      3
    )
    expect(rows).toEqual([[1], [0, 2, 3], [4], [6, 5]])
  })
})
