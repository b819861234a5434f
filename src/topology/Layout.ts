/**
 * Devices in groups and the lines between them -> a place for each, in bounded steps. The same input gives the same
 * picture: nothing is left to chance. Pure.
 *
 * Within a group devices are in layers (Groups.ts). Groups are boxes on shelves: those with most lines in the middle, and
 * on a shelf each near the groups that it is connected with.
 */
import { type Placed, rowsOfGroup } from "./Groups.ts"

interface Grouped {
  readonly id: number
  /** The key of its group. */
  readonly group: string
}

interface Ends {
  readonly a: number
  readonly b: number
}

/** Pixels; a device has its place by its centre. */
export interface Point {
  readonly x: number
  readonly y: number
}

export interface Box extends Point {
  readonly group: string
  readonly width: number
  readonly height: number
}

export interface Layout {
  readonly width: number
  readonly height: number
  readonly places: ReadonlyMap<number, Point>
  readonly boxes: ReadonlyArray<Box>
}

/** Pixels of a device, and between two. */
export const nodeSize = { width: 148, height: 28 }
const gap = { x: 22, y: 34 }

/** Pixels around the devices of a box, of its title, and between two boxes. */
const padding = 18
export const titleHeight = 26
const between = 56

/** The shape of the whole, and of a box among others: width by height. */
const wholeShape = 1.6
const boxShape = 1.1

/** Lines that are counted in one step. */
const linesOfStep = 500

/** Passes that move boxes on their shelves towards the boxes with which they are connected. */
const passesMax = 6

interface Group {
  readonly key: string
  readonly rows: ReadonlyArray<ReadonlyArray<number>>
  readonly width: number
  readonly height: number
}

/** Yields between its steps. */
export function* layoutOf(devices: ReadonlyArray<Grouped>, lines: ReadonlyArray<Ends>): Generator<void, Layout> {
  const groupOf = new Map(devices.map(({ id, group }) => [id, group]))
  const near = new Map(devices.map(({ id }) => [id, [] as Array<number>]))
  const outside = new Map<number, number>()
  const weights = new Map<string, Map<string, number>>()
  for (const [at, { a, b }] of lines.entries()) {
    if (at % linesOfStep === 0) yield
    const [one, other] = [groupOf.get(a), groupOf.get(b)]
    if (one === undefined || other === undefined) continue
    if (one === other) {
      near.get(a)!.push(b)
      near.get(b)!.push(a)
    } else {
      for (const id of [a, b]) outside.set(id, (outside.get(id) ?? 0) + 1)
      add(weights, one, other)
      add(weights, other, one)
    }
  }
  yield
  const byGroup = Map.groupBy(devices, ({ group }) => group)
  const groups: Array<Group> = []
  for (const [key, members] of byGroup) {
    groups.push(groupFrom(key, members, near, outside, byGroup.size === 1 ? wholeShape : boxShape))
    yield
  }
  const sequence = yield* bySequence(groups, weights)
  const shelves = shelved(sequence, groups)
  for (let pass = 0; pass < passesMax; pass++) yield* pulled(shelves, weights)
  return placed(shelves)
}

const add = (weights: Map<string, Map<string, number>>, one: string, other: string): void => {
  const of = weights.get(one) ?? new Map<string, number>()
  weights.set(one, of.set(other, (of.get(other) ?? 0) + 1))
}

const groupFrom = (
  key: string,
  members: ReadonlyArray<Grouped>,
  near: ReadonlyMap<number, ReadonlyArray<number>>,
  outside: ReadonlyMap<number, number>,
  shape: number
): Group => {
  const [cellWidth, cellHeight] = [nodeSize.width + gap.x, nodeSize.height + gap.y]
  const columns = Math.max(Math.round(Math.sqrt((members.length * shape * cellHeight) / cellWidth)), 1)
  const at = new Map(members.map(({ id }, n) => [id, n]))
  const placed = members.map(({ id }): Placed => ({
    near: near.get(id)!.map((other) => at.get(other)!),
    outside: outside.get(id) ?? 0
  }))
  const rows = rowsOfGroup(placed, columns).map((row) => row.map((n) => members[n]!.id))
  const widest = Math.max(...rows.map(({ length }) => length))
  return {
    ...{ key, rows, width: widest * cellWidth - gap.x + 2 * padding },
    height: rows.length * cellHeight - gap.y + 2 * padding + titleHeight
  }
}

/** The best connected group first, then always the one that has most lines to those before it. */
function* bySequence(
  groups: ReadonlyArray<Group>,
  weights: ReadonlyMap<string, ReadonlyMap<string, number>>
): Generator<void, ReadonlyArray<Group>> {
  const total = ({ key }: Group) => (weights.get(key) ?? new Map<string, number>()).values().reduce((a, b) => a + b, 0)
  const left = new Map(groups.map((group, at) => [group.key, { group, at, total: total(group), pull: 0 }]))
  const sequence: Array<Group> = []
  while (left.size > 0) {
    let best: { group: Group; at: number; total: number; pull: number } | undefined
    for (const each of left.values()) {
      const order = best === undefined ? -1 : best.pull - each.pull || best.total - each.total || each.at - best.at
      if (order < 0) best = each
    }
    const { group } = best!
    sequence.push(group)
    left.delete(group.key)
    for (const [other, weight] of weights.get(group.key) ?? []) {
      const pulled = left.get(other)
      if (pulled !== undefined) pulled.pull += weight
    }
    yield
  }
  return sequence
}

/** Shelves from above. The first groups of the sequence are on the shelf in the middle. */
const shelved = (sequence: ReadonlyArray<Group>, groups: ReadonlyArray<Group>): Array<Array<Group>> => {
  const area = groups.reduce((sum, { width, height }) => sum + (width + between) * (height + between), 0)
  const widthMax = Math.max(Math.sqrt(area * wholeShape), ...groups.map(({ width }) => width))
  const filled: Array<Array<Group>> = [[]]
  let width = 0
  for (const group of sequence) {
    if (width > 0 && width + group.width > widthMax) {
      filled.push([])
      width = 0
    }
    filled.at(-1)!.push(group)
    width += group.width + between
  }
  // The first is in the middle, the second below it, the third above.
  const shelves: Array<Array<Group>> = []
  for (const [at, shelf] of filled.entries()) {
    if (at % 2 === 1) shelves.push(shelf)
    else shelves.unshift(shelf)
  }
  return shelves
}

/** Sorts each shelf by the middle of the groups that its groups are connected with. */
function* pulled(
  shelves: Array<Array<Group>>,
  weights: ReadonlyMap<string, ReadonlyMap<string, number>>
): Generator<void> {
  const { boxes } = placed(shelves)
  const middles = new Map(boxes.map(({ group, x, width }) => [group, x + width / 2]))
  for (const shelf of shelves) {
    yield
    const wanted = new Map(
      shelf.map(({ key }, at) => {
        const pulls = [...(weights.get(key) ?? [])]
        const sum = pulls.reduce((all, [, weight]) => all + weight, 0)
        const own = middles.get(key)!
        const mean = pulls.reduce((all, [other, weight]) => all + middles.get(other)! * weight, 0) / (sum || 1)
        return [key, { x: sum === 0 ? own : (own + mean) / 2, at }] as const
      })
    )
    shelf.sort((a, b) => wanted.get(a.key)!.x - wanted.get(b.key)!.x || wanted.get(a.key)!.at - wanted.get(b.key)!.at)
  }
}

const placed = (shelves: ReadonlyArray<ReadonlyArray<Group>>): Layout => {
  const widthOf = (shelf: ReadonlyArray<Group>) => shelf.reduce((sum, { width }) => sum + width + between, -between)
  const whole = Math.max(...shelves.map(widthOf), nodeSize.width)
  const places = new Map<number, Point>()
  const boxes: Array<Box> = []
  let top = between / 2
  for (const shelf of shelves) {
    let left = between / 2 + (whole - widthOf(shelf)) / 2
    for (const { key, rows, width, height } of shelf) {
      boxes.push({ group: key, x: left, y: top, width, height })
      for (const [row, ids] of rows.entries()) {
        const indent = (width - ids.length * (nodeSize.width + gap.x) + gap.x) / 2
        for (const [column, id] of ids.entries()) {
          const x = left + indent + column * (nodeSize.width + gap.x) + nodeSize.width / 2
          const y = top + padding + titleHeight + row * (nodeSize.height + gap.y) + nodeSize.height / 2
          places.set(id, { x: Math.round(x), y: Math.round(y) })
        }
      }
      left += width + between
    }
    top += Math.max(...shelf.map(({ height }) => height), 0) + between
  }
  return { width: Math.ceil(whole + between), height: Math.ceil(Math.max(top - between / 2, 120)), places, boxes }
}
