/** Compiles a template to closures. */
import { Fault } from "../runtime/Fault.ts"
import type { TemplateRun } from "../runtime/TemplateRun.ts"
import { type Block, type Body, type Node, childrenOf } from "../syntax/Ast.ts"
import { quote } from "../print/Repr.ts"
import { type RenderBlock, TemplateReference, noParent } from "./Blocks.ts"
import { factsOf } from "./Facts.ts"
import { Frame } from "../runtime/Frame.ts"
import { Scope } from "./Scope.ts"
import { compileExpression } from "./Expressions.ts"
import { compileBody } from "./Statements.ts"
import { type Names, Unit } from "./Unit.ts"

/** Writes the template into the run's output. */
export type Render = (run: TemplateRun) => void

/** Compiles a tree to closures; `source` is the text that the tree was parsed from. */
export const compileTemplate = (names: Names, source: string, body: Body): Render => {
  const unit = new Unit(names, source, { expression: compileExpression, body: compileBody })
  const blocks = collectBlocks(body)
  const scope = Scope.root(true)
  const selfIndex = factsOf(body).reads.has("self") ? scope.indexOf(scope.symbols.declareParameter("self")) : undefined
  scope.symbols.visit(body)
  const entry = scope.entry()
  const execute = unit.body(scope, body)
  for (const block of blocks) unit.blocks.set(block.name, compileBlock(unit, block))
  return (run) => {
    const frame = new Frame(run, undefined, scope.owner.size)
    if (selfIndex !== undefined) frame.slots[selfIndex] = new TemplateReference(run, unit.blocks, undefined)
    entry?.(frame)
    execute(frame)
  }
}

const collectBlocks = (body: Body): ReadonlyArray<Block> => {
  const blocks = new Map<string, Block>()
  const open: Array<Node> = body.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    open.push(...[...childrenOf(node)].toReversed())
    if (node.kind !== "Block") continue
    if (blocks.has(node.name)) throw new Fault("Assertion", `block ${quote(node.name)} defined twice`, node.at)
    blocks.set(node.name, node)
  }
  return [...blocks.values()]
}

const compileBlock = (unit: Unit, block: Block): RenderBlock => {
  const scope = Scope.root(false)
  const used = factsOf(block.body).reads
  const declare = (name: string) => (used.has(name) ? scope.indexOf(scope.symbols.declareParameter(name)) : undefined)
  const [selfIndex, superIndex] = [declare("self"), declare("super")]
  scope.symbols.visit(block.body)
  const entry = scope.entry()
  const execute = unit.body(scope, block.body)
  return (run, names) => {
    run.enter()
    const frame = new Frame(run, undefined, scope.owner.size, names)
    if (selfIndex !== undefined) frame.slots[selfIndex] = new TemplateReference(run, unit.blocks, names)
    if (superIndex !== undefined) frame.slots[superIndex] = noParent(block.name)
    entry?.(frame)
    execute(frame)
    run.leave()
  }
}
