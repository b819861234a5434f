/** Facts about a subtree that the compiler needs first. They are computed once for each node, from the leaves up. */
import { type Node, childrenOf } from "../syntax/Ast.ts"

interface Facts {
  /** Special names that are read before they are set, so they refer to the outside. Blocks do not count. */
  readonly reads: ReadonlySet<string>
  /** Special names that are set before they are read. */
  readonly sets: ReadonlySet<string>
  /** Offset of an assignment to `loop`. */
  readonly loopSetAt: number | undefined
  readonly hasScopedBlock: boolean
}

/** The names that the compiler needs. */
const specialNames: ReadonlySet<string> = new Set(["loop", "self", "super", "caller", "kwargs", "varargs"])

const known = new WeakMap<Node, Facts>()

const none: Facts = { reads: new Set(), sets: new Set(), loopSetAt: undefined, hasScopedBlock: false }

/** The facts of nodes in sequence. */
export const factsOf = (nodes: Iterable<Node>): Facts => {
  let all = none
  for (const node of nodes) all = combine(all, factsOfNode(node))
  return all
}

const combine = (first: Facts, second: Facts): Facts => {
  if (second === none) return first
  if (first === none) return second
  const only = (names: ReadonlySet<string>, but: ReadonlySet<string>) => [...names].filter((name) => !but.has(name))
  return {
    reads: new Set([...first.reads, ...only(second.reads, first.sets)]),
    sets: new Set([...first.sets, ...only(second.sets, first.reads)]),
    loopSetAt: first.loopSetAt ?? second.loopSetAt,
    hasScopedBlock: first.hasScopedBlock || second.hasScopedBlock
  }
}

const factsOfNode = (node: Node): Facts => {
  const before = known.get(node)
  if (before !== undefined) return before
  const facts = compute(node)
  known.set(node, facts)
  return facts
}

const compute = (node: Node): Facts => {
  if (node.kind === "Name") {
    if (!specialNames.has(node.name)) return none
    const name = new Set([node.name])
    return node.use === "load"
      ? { ...none, reads: name }
      : { ...none, sets: name, loopSetAt: node.use === "store" && node.name === "loop" ? node.at : undefined }
  }
  const inside = factsOf(childrenOf(node))
  return node.kind === "Block"
    ? { ...none, loopSetAt: inside.loopSetAt, hasScopedBlock: inside.hasScopedBlock || node.scoped }
    : inside
}
