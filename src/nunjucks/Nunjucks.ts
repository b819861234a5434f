/**
 * Nunjucks templates: text that users write, rendered for webhooks.
 *
 * Responsible for: Nunjucks 3 as its package has it, with autoescape off. The package's lexer and parser read a
 * template, and closures of ours evaluate the tree.
 *
 * Guarantees: a template is hostile input. No text of it becomes code, no JavaScript function and no property of a
 * prototype is a value in it, and every run has budgets of steps, memory, output and time (`jinja/runtime/Limits.ts`).
 * A fault has its line and column.
 *
 * Does not: load templates, wait for anything, or know what an event is. The differences from the package are listed
 * with their reasons in `test/template/nunjucks/known.ts`.
 */
import { PlacedFault, limitFault, place, toFault } from "../jinja/runtime/Fault.ts"
import type { Limits } from "../jinja/runtime/Limits.ts"
import type { Seed } from "../jinja/runtime/Output.ts"
import { compileExpression } from "./compile/Expressions.ts"
import { Body, Scope } from "./compile/Scope.ts"
import { compileBody } from "./compile/Statements.ts"
import { Unit } from "./compile/Unit.ts"
import { builtinFilters } from "./filters/Filters.ts"
import { TemplateRun } from "./runtime/TemplateRun.ts"
import { type Environment, type Obj } from "./value/Values.ts"
import { builtinTests } from "./runtime/Tests.ts"
import { parseTemplate } from "./syntax/Parse.ts"
import { Source } from "./syntax/Source.ts"

export interface Settings {
  readonly limits: Limits
  /** Whether the output is header lines: a printed value must then not contain a line break. */
  readonly headers: boolean
  /** Additions to Nunjucks' own filters, tests and globals. */
  readonly added: Environment
}

/** The same seed makes the same random choices. */
type Render = (context: Obj, seed: Seed) => string

/** Parses and compiles the template; throws a PlacedFault, as the returned function does. The context is plain JSON. */
export const compileNunjucks = (text: string, { limits, headers, added }: Settings): Render => {
  const environment: Environment = {
    filter: (name) => builtinFilters.get(name) ?? added.filter(name),
    test: (name) => builtinTests.get(name) ?? added.test(name),
    global: added.global
  }
  const body = new Body()
  const execute = guarded(
    text,
    () => 0,
    () => {
      if (text.length > limits.sourceChars) throw limitFault("source")
      const source = new Source(text)
      const root = parseTemplate(source, limits)
      const unit = new Unit(source, environment, limits, { expression: compileExpression, body: compileBody })
      return unit.body(root, new Scope(body))
    }
  )
  return (context, seed) => {
    const run = new TemplateRun(environment, { limits, headers, context, seed, localsSize: body.size })
    return guarded(
      text,
      () => run.at,
      () => {
        execute(run)
        return run.out
      }
    )
  }
}

const guarded = <A>(text: string, position: () => number, compute: () => A): A => {
  try {
    return compute()
  } catch (error) {
    throw new PlacedFault(place(text, toFault(error), position()), error)
  }
}
