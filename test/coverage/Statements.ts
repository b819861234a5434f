/**
 * Which statements of the sources ran, from the raw coverage of V8 of all processes of a run: workers and services.
 * Node strips types without moving code, so the offsets of V8 are those of the files.
 */
import { parseAst } from "vite"

/** As V8 writes it: a range without a range inside of it that says otherwise ran `count` times. */
interface Range {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

export interface Script {
  readonly url: string
  readonly functions: ReadonlyArray<{ readonly ranges: ReadonlyArray<Range> }>
}

interface Node {
  readonly type: string
  readonly start: number
  readonly body?: unknown
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

/** Types alone are erased, a block is its statements, and a function runs where it is called. */
const uncounted = /^TS|^Block|^Import|^Export|^Function|^Empty/

/** The offsets at which the statements of a source begin, ascending; the body of an arrow function counts as one. */
export const statementsOf = (source: string): ReadonlyArray<number> => {
  const starts = new Set<number>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each)
    if (!isNode(value)) return
    const { type, start, body } = value
    if (/Statement$|Declaration$/.test(type) && !uncounted.test(type)) starts.add(start)
    if (type === "ArrowFunctionExpression" && isNode(body) && body.type !== "BlockStatement") starts.add(body.start)
    for (const child of Object.values(value)) if (typeof child === "object") visit(child)
  }
  visit(parseAst(source, { lang: "ts" }))
  return [...starts].sort((a, b) => a - b)
}

/** The offsets that ran, of some ascending ones. */
export const ranOf = (offsets: ReadonlyArray<number>, { functions }: Script): ReadonlyArray<number> => {
  const ranges = functions
    .flatMap((each) => each.ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  const open: Array<Range> = []
  let next = 0
  return offsets.filter((offset) => {
    for (; next < ranges.length && ranges[next]!.startOffset <= offset; next++) {
      while (open.length > 0 && open.at(-1)!.endOffset <= ranges[next]!.startOffset) open.pop()
      open.push(ranges[next]!)
    }
    while (open.length > 0 && open.at(-1)!.endOffset <= offset) open.pop()
    return (open.at(-1)?.count ?? 0) > 0
  })
}
