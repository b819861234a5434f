/** `self`, which gives access to the blocks of a template. */
import { Fault, typeFault } from "../runtime/Fault.ts"
import type { TemplateRun } from "../runtime/TemplateRun.ts"
import { type Runtime, Callable, type Keywords, Obj, type Value } from "../value/Value.ts"
import { quote } from "../print/Repr.ts"
import { Markup, Undefined } from "../value/Values.ts"

/** Names that a scoped block sees in addition to the context. */
type Names = ReadonlyMap<string, Value> | undefined

/** Renders a block into the run's output. */
export type RenderBlock = (run: TemplateRun, names: Names) => void

/** `super`: always undefined, because there is no inheritance. */
export const noParent = (name: string): Undefined =>
  new Undefined(() => new Fault("Undefined", `there is no parent block called ${quote(name)}.`))

/** `self` */
export class TemplateReference extends Obj {
  readonly typeName = "TemplateReference"
  private readonly run: TemplateRun
  private readonly blocks: ReadonlyMap<string, RenderBlock>
  private readonly names: Names

  constructor(run: TemplateRun, blocks: ReadonlyMap<string, RenderBlock>, names: Names) {
    super()
    this.run = run
    this.blocks = blocks
    this.names = names
  }

  override get module(): string {
    return "jinja2.runtime"
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    const block = this.blocks.get(name)
    return block === undefined ? undefined : new BlockReference(name, () => block(this.run, this.names))
  }

  override repr(): string {
    return "<TemplateReference None>"
  }
}

/** `self.name` */
class BlockReference extends Callable {
  readonly typeName = "BlockReference"
  private readonly name: string
  private readonly render: () => void

  constructor(name: string, render: () => void) {
    super()
    this.name = name
    this.render = render
  }

  override get module(): string {
    return "jinja2.runtime"
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    return name === "name" ? this.name : name === "super" ? noParent(this.name) : undefined
  }

  override call(runtime: Runtime, args: Array<Value>, keywords: Keywords | undefined): Value {
    if (args.length > 0 || keywords !== undefined) {
      throw typeFault(`BlockReference.__call__() takes 1 positional argument but ${args.length + 1} were given`)
    }
    const text = runtime.capture(this.render)
    return runtime.autoescape ? new Markup(text) : text
  }
}
