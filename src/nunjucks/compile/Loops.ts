/** `for` over lists, texts and objects, by JavaScript's rules. */
import { Frame } from "../runtime/Frame.ts"
import type { TemplateRun } from "../runtime/TemplateRun.ts"
import { type Obj, SafeText, type Value, isObject } from "../value/Values.ts"
import type { ForNode } from "../syntax/Nodes.ts"
import { propertyOf } from "../filters/Inputs.ts"
import { keysOf, lookup } from "../value/Lookup.ts"
import { numberOf } from "../value/Operators.ts"
import { Scope } from "./Scope.ts"
import type { Execute, Unit } from "./Unit.ts"

type Write = (run: TemplateRun, value: Value) => void

interface Loop {
  readonly names: ReadonlyArray<string>
  /** Writers of the names. */
  readonly writes: ReadonlyArray<Write>
  readonly body: Execute
}

export const compileFor = (unit: Unit, node: ForNode, around: Scope): Execute => {
  const scope = new Scope(around.body, around)
  const values = unit.expression(node.arr, scope)
  const names = namesOf(unit, node)
  for (const name of names) scope.define(name)
  const loop: Loop = {
    names,
    writes: names.map((name) => scope.write(name)!),
    body: unit.body(node.body, scope)
  }
  const otherwise = node.else_ === null ? undefined : unit.body(node.else_, scope)
  const at = unit.at(node)
  return (run) => {
    run.at = at
    const { frame } = run
    run.frame = new Frame(frame)
    const length = turns(run, loop, values(run))
    if (!length) otherwise?.(run)
    run.frame = frame
  }
}

const namesOf = (unit: Unit, { name }: ForNode): ReadonlyArray<string> =>
  (name.typename === "Array" ? name.children : [name]).map((each) => {
    if (each.typename !== "Symbol") throw unit.fault(each, "the name of a variable is expected")
    if (each.value === "loop") throw unit.fault(each, "loop is the state of the loop, and no name for a variable")
    return each.value
  })

/** Runs the turns; returns the length, if there is one. */
const turns = (run: TemplateRun, loop: Loop, given: Value): Value => {
  if (!given) return undefined
  const values = given instanceof SafeText ? [...given.text] : given
  if (loop.names.length === 1) return overItems(run, loop, values)
  return Array.isArray(values) ? overTuples(run, loop, values) : overObject(run, loop, values)
}

const overItems = (run: TemplateRun, loop: Loop, values: Value): Value => {
  const length = lookup(run, values, "length")
  const state = new State(run, length)
  const [name, write] = [loop.names[0]!, loop.writes[0]!]
  const isList = Array.isArray(values)
  // A list that grows meanwhile has more turns.
  for (let at = 0; at < (isList ? values.length : numberOf(run, length)); at++) {
    const item = isList ? values[at] : lookup(run, values, at)
    write(run, item)
    run.frame.variables.set(name, item)
    state.turn(at)
    loop.body(run)
  }
  return length
}

/** Only the locals are set, as in the package: a macro does not see these names. */
const overTuples = (run: TemplateRun, loop: Loop, values: ReadonlyArray<Value>): number => {
  const { length } = values
  const state = new State(run, length)
  for (let at = 0; at < values.length; at++) {
    loop.writes.forEach((write, index) => write(run, propertyOf(run, values[at], index)))
    state.turn(at)
    loop.body(run)
  }
  return length
}

const overObject = (run: TemplateRun, loop: Loop, values: Value): number => {
  const keys = typeof values === "string" || isObject(values) ? keysOf(run, Object(values) as object) : []
  const state = new State(run, keys.length)
  keys.forEach((key, at) => {
    ;[key, lookup(run, values, key)].forEach((value, index) => {
      loop.writes[index]!(run, value)
      run.frame.variables.set(loop.names[index]!, value)
    })
    state.turn(at)
    loop.body(run)
  })
  return keys.length
}

/** The variable `loop` of templates: one object for all turns. */
class State {
  private readonly run: TemplateRun
  private readonly loop: Obj
  private readonly length: number

  constructor(run: TemplateRun, length: Value) {
    this.run = run
    this.length = numberOf(run, length)
    const names = { index: 0, index0: 0, revindex: 0, revindex0: 0, first: false, last: false, length }
    this.loop = names
  }

  turn(at: number): void {
    const { run, loop, length } = this
    run.tick(2)
    loop["index"] = at + 1
    loop["index0"] = at
    loop["revindex"] = length - at
    loop["revindex0"] = length - at - 1
    loop["first"] = at === 0
    loop["last"] = at === length - 1
    run.frame.variables.set("loop", loop)
  }
}
