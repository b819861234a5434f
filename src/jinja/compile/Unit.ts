/** The template that is being compiled. */
import type { Body, Expression } from "../syntax/Ast.ts"
import type { RenderBlock } from "./Blocks.ts"
import type { Evaluate, Execute } from "../runtime/Frame.ts"
import type { Library, Tag } from "../value/Value.ts"
import type { Scope } from "./Scope.ts"

/** The names that a template may use beside its variables. */
export interface Names extends Pick<Library, "filters" | "tests"> {
  readonly tags: ReadonlyMap<string, Tag>
}

/** The compilers of expressions and statements: each part of the compiler calls them, so none can import them. */
interface Compilers {
  readonly expression: (unit: Unit, scope: Scope, node: Expression) => Evaluate
  readonly body: (unit: Unit, scope: Scope, body: Body) => Execute
}

export class Unit {
  readonly names: Names
  /** Filled as blocks are compiled. */
  readonly blocks = new Map<string, RenderBlock>()
  private readonly source: string
  private readonly compilers: Compilers

  constructor(names: Names, source: string, compilers: Compilers) {
    this.names = names
    this.source = source
    this.compilers = compilers
  }

  /** Compiles an expression. The compilers of nodes that contain expressions call this. */
  expression(scope: Scope, node: Expression): Evaluate {
    return this.compilers.expression(this, scope, node)
  }

  /** Compiles statements in sequence. The compilers of nodes that contain statements call this. */
  body(scope: Scope, body: Body): Execute {
    return this.compilers.body(this, scope, body)
  }

  /** Number of the line that contains the offset, from 1. */
  lineOf(at: number): number {
    let line = 1
    for (let end = this.source.indexOf("\n"); end >= 0 && end < at; end = this.source.indexOf("\n", end + 1)) line++
    return line
  }
}
