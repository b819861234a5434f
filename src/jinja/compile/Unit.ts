/** The template that is being compiled. */
import type { Environment } from "../Environment.ts"
import type { Body, Expression } from "../syntax/Ast.ts"
import type { RenderBlock } from "./Blocks.ts"
import { compileExpression } from "./Expressions.ts"
import type { Evaluate, Execute } from "../runtime/Frame.ts"
import type { Scope } from "./Scope.ts"
import { compileBody } from "./Statements.ts"

export class Unit {
  readonly environment: Environment
  /** Filled as blocks are compiled. */
  readonly blocks = new Map<string, RenderBlock>()
  private readonly source: string

  constructor(environment: Environment, source: string) {
    this.environment = environment
    this.source = source
  }

  /** Compiles an expression. The compilers of nodes that contain expressions call this. */
  expression(scope: Scope, node: Expression): Evaluate {
    return compileExpression(this, scope, node)
  }

  /** Compiles statements in sequence. The compilers of nodes that contain statements call this. */
  body(scope: Scope, body: Body): Execute {
    return compileBody(this, scope, body)
  }

  /** Number of the line that contains the offset, from 1. */
  lineOf(at: number): number {
    let line = 1
    for (let end = this.source.indexOf("\n"); end >= 0 && end < at; end = this.source.indexOf("\n", end + 1)) line++
    return line
  }
}
