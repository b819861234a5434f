/** Compiles statements to closures. */
import { Fault, typeFault } from "../runtime/Fault.ts"
import type {
  AssignBlock,
  Autoescape,
  Block,
  Body,
  FilterBlock,
  If,
  PluginTag,
  Statement,
  With
} from "../syntax/Ast.ts"
import { isTrue } from "../value/Compare.ts"
import { text } from "../print/Repr.ts"
import { Markup } from "../value/Values.ts"
import { compileArguments, compileFilter } from "./Calls.ts"
import { type Evaluate, type Execute, type Frame, breakLoop, continueLoop, proceed } from "../runtime/Frame.ts"
import { compileCallBlock, compileMacro } from "./Macros.ts"
import { compileFor } from "./Loops.ts"
import { compileOutput, printText } from "./Output.ts"
import type { Scope } from "./Scope.ts"
import { compileAssignment, compileCheck } from "./Assignments.ts"
import type { Unit } from "./Unit.ts"

/** The statements in sequence. */
export const compileBody = (unit: Unit, scope: Scope, body: Body): Execute => {
  const statements = body.map((statement) => compileStatement(unit, scope, statement))
  const [only, ...others] = statements
  if (only !== undefined && others.length === 0) return only
  return (frame) => {
    for (const statement of statements) {
      const signal = statement(frame)
      if (signal !== proceed) return signal
    }
    return proceed
  }
}

const compileStatement = (unit: Unit, scope: Scope, node: Statement): Execute => {
  switch (node.kind) {
    case "Output":
      return compileOutput(unit, scope, node)
    case "If":
      return compileIf(unit, scope, node)
    case "For":
      return compileFor(unit, scope, node)
    case "Assign": {
      const check = compileCheck(scope, node.target)
      const value = unit.expression(scope, node.node)
      const assign = compileAssignment(scope, node.target)
      return at(node.at, (frame) => {
        check?.(frame)
        assign(frame, value(frame))
      })
    }
    case "AssignBlock":
      return compileAssignBlock(unit, scope, node)
    case "Macro":
      return compileMacro(unit, scope, node)
    case "CallBlock":
      return compileCallBlock(unit, scope, node)
    case "FilterBlock":
      return compileFilterBlock(unit, scope, node)
    case "With":
      return compileWith(unit, scope, node)
    case "Block":
      return compileBlockCall(unit, scope, node)
    case "Autoescape":
      return compileAutoescape(unit, scope, node)
    case "PluginTag":
      return compilePluginTag(unit, scope, node)
    case "ExprStmt": {
      const value = unit.expression(scope, node.node)
      return at(node.at, value)
    }
    case "NoLoader": {
      if (node.what === "extends" && !scope.topLevel) {
        throw new Fault("Assertion", "cannot use extend from a non top-level scope", node.at)
      }
      const template = unit.expression(scope, node.template)
      return at(node.at, (frame) => {
        template(frame)
        throw typeFault("no loader for this environment specified")
      })
    }
    case "Break":
    case "Continue": {
      if (!scope.inLoop) throw new Fault("Syntax", `'${node.kind.toLowerCase()}' outside loop`, node.at)
      const signal = node.kind === "Break" ? breakLoop : continueLoop
      return () => signal
    }
  }
}

/** A statement after which the run proceeds with the next one. */
const at =
  (offset: number, execute: (frame: Frame) => unknown): Execute =>
  (frame) => {
    frame.runtime.at = offset
    execute(frame)
    return proceed
  }

const compileIf = (unit: Unit, outer: Scope, node: If): Execute => {
  const scope = outer.with({ soft: true })
  const arms = [node, ...node.elifs].map((arm) => ({
    at: arm.at,
    test: unit.expression(scope, arm.test),
    body: unit.body(scope, arm.body)
  }))
  const otherwise = unit.body(scope, node.otherwise)
  return (frame) => {
    for (const arm of arms) {
      frame.runtime.at = arm.at
      frame.runtime.tick(1)
      if (isTrue(arm.test(frame))) return arm.body(frame)
    }
    return otherwise(frame)
  }
}

/** A captured body: returns its output as text, or as Markup if output is escaped. */
const compileCapture = (unit: Unit, scope: Scope, body: Body): Evaluate => {
  const entry = scope.entry()
  const execute = unit.body(scope, body)
  return (frame) => {
    const { runtime } = frame
    entry?.(frame)
    const captured = runtime.capture(() => execute(frame))
    return (scope.autoescape ?? runtime.autoescape) ? new Markup(captured) : captured
  }
}

const compileAssignBlock = (unit: Unit, scope: Scope, node: AssignBlock): Execute => {
  const inner = scope.inner({ inLoop: false })
  inner.symbols.visit(node.body)
  const body = compileCapture(unit, inner, node.body)
  const value = node.filter === undefined ? body : compileFilter(unit, inner, node.filter, body)
  const assign = compileAssignment(scope, node.target)
  const exit = inner.exit()
  return at(node.at, (frame) => {
    const result = value(frame)
    assign(
      frame,
      frame.runtime.autoescape && !(result instanceof Markup) ? new Markup(text(frame.runtime, result)) : result
    )
    exit(frame)
  })
}

const compileFilterBlock = (unit: Unit, scope: Scope, node: FilterBlock): Execute => {
  const inner = scope.inner({ inLoop: false })
  inner.symbols.visit([...node.body, node.filter])
  const value = compileFilter(unit, inner, node.filter, compileCapture(unit, inner, node.body))
  const exit = inner.exit()
  return at(node.at, (frame) => {
    printText(frame.runtime, value(frame))
    exit(frame)
  })
}

const compileWith = (unit: Unit, scope: Scope, node: With): Execute => {
  const inner = scope.inner()
  inner.symbols.visit(node.targets)
  inner.symbols.visit(node.body)
  const values = node.values.map((value) => unit.expression(scope, value))
  const targets = node.targets.map((target) => compileAssignment(inner, target))
  const entry = inner.entry()
  const body = unit.body(inner, node.body)
  const exit = inner.exit()
  return (frame) => {
    frame.runtime.at = node.at
    entry?.(frame)
    targets.forEach((assign, index) => assign(frame, values[index]!(frame)))
    const signal = body(frame)
    exit(frame)
    return signal
  }
}

/** Renders the block in place. CompiledTemplate.ts compiles its body. */
const compileBlockCall = (unit: Unit, scope: Scope, node: Block): Execute => {
  const { blocks } = unit
  const visible = node.scoped ? scope.stores() : undefined
  return at(node.at, (frame) => {
    if (node.required) throw new Fault("Runtime", `Required block '${node.name}' not found`)
    if (visible === undefined) return blocks.get(node.name)!(frame.runtime, frame.names)
    frame.runtime.tick(visible.length >> 2)
    const names = new Map(frame.names)
    for (const { name, read } of visible) {
      const value = read(frame)
      if (value !== undefined) names.set(name, value)
    }
    return blocks.get(node.name)!(frame.runtime, names)
  })
}

const compileAutoescape = (unit: Unit, scope: Scope, node: Autoescape): Execute => {
  const { enabled: option } = node
  const inner = scope.inner({ autoescape: option.kind === "Const" ? isTrue(option.value) : undefined })
  inner.symbols.visit([option, ...node.body])
  const enabled = unit.expression(inner, option)
  const entry = inner.entry()
  const body = unit.body(inner, node.body)
  const exit = inner.exit()
  return (frame) => {
    const { runtime } = frame
    const before = runtime.autoescape
    entry?.(frame)
    runtime.autoescape = isTrue(enabled(frame))
    const signal = body(frame)
    runtime.autoescape = before
    exit(frame)
    return signal
  }
}

const compilePluginTag = (unit: Unit, scope: Scope, node: PluginTag): Execute => {
  const tag = unit.names.tags.get(node.name)!
  const { args, keywords } = compileArguments(unit, scope, node, node.at)
  const inner = scope.inner({ inLoop: false })
  inner.symbols.visit(node.body ?? [])
  const body: Evaluate = node.body === undefined ? () => "" : compileCapture(unit, inner, node.body)
  const exit = inner.exit()
  return at(node.at, (frame) => {
    const { runtime } = frame
    runtime.tick(4)
    runtime.print(tag.run(runtime, args(frame, []), keywords(frame), () => text(runtime, body(frame))))
    exit(frame)
  })
}
