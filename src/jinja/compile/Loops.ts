/** Compiles for loops to closures. */
import { Fault } from "../runtime/Fault.ts"
import type { Runtime, Next, Value } from "../value/Value.ts"
import type { For } from "../syntax/Ast.ts"
import { isTrue } from "../value/Compare.ts"
import { iterate } from "../value/Iterate.ts"
import { Iterator, Markup, plain } from "../value/Values.ts"
import { compileAssignment } from "./Assignments.ts"
import { factsOf } from "./Facts.ts"
import { type Execute, Frame, type Signal, breakLoop, proceed } from "../runtime/Frame.ts"
import { LoopContext, type Recurse } from "../runtime/Loop.ts"
import { FunctionScope, type Scope } from "./Scope.ts"
import type { Unit } from "./Unit.ts"

/** Cost of one turn, in steps. */
const turnSteps = 2

export const compileFor = (unit: Unit, scope: Scope, node: For): Execute => {
  const { loopSetAt } = factsOf([node])
  if (loopSetAt !== undefined) {
    throw new Fault("Assertion", "Can't assign to special loop variable in for-loop target", loopSetAt)
  }
  const owner = node.recursive ? new FunctionScope(scope.owner) : scope.owner
  const iter = unit.expression(scope, node.iter)
  const filter = compileLoopFilter(unit, scope, node)
  const run = compileTurns(unit, scope, node, owner)
  const elements = (frame: Frame, value: Value): Value => (filter === undefined ? value : filter(frame, value))
  if (!node.recursive) {
    return (frame) => {
      frame.runtime.at = node.at
      run(frame, elements(frame, iter(frame)), undefined, 0)
      return proceed
    }
  }
  const render = (outer: Frame, value: Value, depth: number): string | Markup => {
    const { runtime } = outer
    const recurse: Recurse = (_runtime, iterable, deeper) => {
      runtime.enter()
      const rendered = render(outer, iterable, deeper)
      runtime.leave()
      return rendered
    }
    const frame = new Frame(runtime, outer, owner.size)
    const text = runtime.capture(() => run(frame, elements(outer, value), recurse, depth))
    return (scope.autoescape ?? runtime.autoescape) ? new Markup(text) : text
  }
  return (frame) => {
    frame.runtime.at = node.at
    frame.runtime.write(plain(render(frame, iter(frame), 0)))
    return proceed
  }
}

/** `for … if test`: filters the elements by the test. It is a function with its own frame. */
const compileLoopFilter = (
  unit: Unit,
  scope: Scope,
  node: For
): ((outer: Frame, iterable: Value) => Value) | undefined => {
  if (node.test === undefined) return undefined
  const owner = new FunctionScope(scope.owner)
  const loop = scope.inner({}, owner)
  loop.symbols.visit([node.target], true)
  loop.symbols.visit([node.test])
  const test = unit.expression(loop, node.test)
  const assign = compileAssignment(loop, node.target)
  const entry = loop.entry()
  return (outer, iterable) => {
    const { runtime } = outer
    const frame = new Frame(runtime, outer, owner.size)
    entry?.(frame)
    const next = iterate(runtime, iterable)
    return new Iterator("generator object", () => {
      for (let item = next(); item !== undefined; item = next()) {
        runtime.tick(1)
        assign(frame, item)
        if (isTrue(test(frame))) return item
      }
      return undefined
    })
  }
}

type Run = (frame: Frame, iterable: Value, recurse: Recurse | undefined, depth: number) => void

const compileTurns = (unit: Unit, scope: Scope, node: For, owner: FunctionScope): Run => {
  const loop = scope.inner({ inLoop: true }, owner)
  const usesLoop = node.recursive || factsOf(node.body).reads.has("loop") || factsOf([node]).hasScopedBlock
  const loopVariable = usesLoop ? loop.indexOf(loop.symbols.declareParameter("loop")) : undefined
  loop.symbols.visit([node.target], true)
  loop.symbols.visit(node.body)
  const otherwise = compileElse(unit, scope, node, owner)
  const assign = compileAssignment(loop, node.target)
  const entry = loop.entry()
  const body = unit.body(loop, node.body)
  const exit = loop.exit()
  const turn = (frame: Frame, item: Value): Signal => {
    frame.runtime.tick(turnSteps)
    assign(frame, item)
    entry?.(frame)
    return body(frame)
  }
  return (frame, iterable, recurse, depth) => {
    const next = start(
      frame.runtime,
      iterable,
      recurse,
      depth,
      (context) => {
        if (loopVariable !== undefined) frame.slots[loopVariable] = context
      },
      usesLoop
    )
    let empty = true
    for (let item = next(); item !== undefined; item = next()) {
      empty = false
      if (turn(frame, item) === breakLoop) break
    }
    exit(frame)
    if (empty) otherwise?.(frame)
  }
}

/** The elements, through a LoopContext if the body uses `loop`. */
const start = (
  runtime: Runtime,
  iterable: Value,
  recurse: Recurse | undefined,
  depth: number,
  setLoop: (context: LoopContext) => void,
  usesLoop: boolean
): Next => {
  const next = iterate(runtime, iterable)
  if (!usesLoop) return next
  const context = new LoopContext(runtime, iterable, next, recurse, depth)
  setLoop(context)
  return () => context.advance()
}

/** The `else` branch: runs if there was no element. */
const compileElse = (unit: Unit, scope: Scope, node: For, owner: FunctionScope): Execute | undefined => {
  if (node.otherwise.length === 0) return undefined
  const inner = scope.inner({}, owner)
  inner.symbols.visit(node.otherwise)
  const entry = inner.entry()
  const body = unit.body(inner, node.otherwise)
  const exit = inner.exit()
  return (frame) => {
    entry?.(frame)
    const signal = body(frame)
    exit(frame)
    return signal
  }
}
