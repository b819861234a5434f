/** State that is shared while one template is compiled to closures. */
import { type Fault, limitFault } from "../../jinja/runtime/Fault.ts"
import type { Limits } from "../../jinja/runtime/Limits.ts"
import type { TemplateRun } from "../runtime/TemplateRun.ts"
import type { Environment, Value } from "../value/Values.ts"
import type { Node } from "../syntax/Nodes.ts"
import type { Source } from "../syntax/Source.ts"
import type { Scope } from "./Scope.ts"

export type Evaluate = (run: TemplateRun) => Value
export type Execute = (run: TemplateRun) => void

/** The compilers of expressions and statements: each part of the compiler calls them, so none can import them. */
interface Compilers {
  readonly expression: (unit: Unit, node: Node, scope: Scope) => Evaluate
  readonly body: (unit: Unit, node: Node, scope: Scope) => Execute
}

export class Unit {
  readonly source: Source
  readonly environment: Environment
  private readonly compilers: Compilers
  private readonly limits: Limits
  private depth = 0

  constructor(source: Source, environment: Environment, limits: Limits, compilers: Compilers) {
    this.compilers = compilers
    this.source = source
    this.environment = environment
    this.limits = limits
  }

  at(node: Node): number {
    return this.source.offset(node)
  }

  fault(node: Node, message: string): Fault {
    return this.source.syntaxFault(message, node)
  }

  /** Expressions hold each other only so deep, chains of operators, attributes and filters included. */
  expression(node: Node, scope: Scope): Evaluate {
    this.deeper(++this.depth)
    const compiled = this.compilers.expression(this, node, scope)
    this.depth--
    return compiled
  }

  body(node: Node, scope: Scope): Execute {
    return this.compilers.body(this, node, scope)
  }

  /** Throws if it is too deep. */
  deeper(depth: number): void {
    if (depth > this.limits.chain) throw limitFault("nesting")
  }
}
