/** What is known about the template that is being compiled. */
import type { Environment } from "../Environment.ts"
import type { RenderBlock } from "./Blocks.ts"

export class Unit {
  readonly environment: Environment
  /** Filled as blocks are compiled. */
  readonly blocks = new Map<string, RenderBlock>()
  private readonly source: string

  constructor(environment: Environment, source: string) {
    this.environment = environment
    this.source = source
  }

  /** Number of the line that the offset is in, from 1. */
  lineOf(at: number): number {
    let line = 1
    for (let end = this.source.indexOf("\n"); end >= 0 && end < at; end = this.source.indexOf("\n", end + 1)) line++
    return line
  }
}
