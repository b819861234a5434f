/**
 * Resolves names to variables by scope: Jinja's `idtracking`, rule for rule. A scope gives every name that is set or
 * read in it a variable of its own and decides before the run how that variable starts (`Load`). That is why a
 * `set` inside a loop does not reach the outside, and why a name that only one branch sets falls back to the context in
 * the other.
 */
import { type If, type Node, type Statement, childrenOf } from "../syntax/Ast.ts"

/** How a variable gets its value when its scope is entered. */
export type Load =
  /** The statement that enters the scope sets it. */
  | { readonly from: "param" }
  /** The name is looked up in the context. */
  | { readonly from: "context"; readonly name: string }
  /** It starts as a copy of a variable further out. */
  | { readonly from: "variable"; readonly variable: string }
  /** It starts as missing. */
  | { readonly from: "nothing" }

const param: Load = { from: "param" }
const nothing: Load = { from: "nothing" }

/** The level of a variable's scope; its identifier starts with the level. */
export const levelOf = (variable: string): number => Number(variable.slice(0, variable.indexOf(" ")))

export class Symbols {
  readonly level: number
  readonly parent: Symbols | undefined
  /** If this is a branch of an `if`: the symbols that it extends. */
  private readonly trunk: Symbols | undefined
  /** Variables by name. */
  private readonly refs = new Map<string, string>()
  /** How each variable of this scope starts, in the order of discovery. */
  readonly loads = new Map<string, Load>()
  /** Names that are set here. */
  readonly stores = new Set<string>()

  constructor(parent: Symbols | undefined, trunk?: Symbols) {
    this.parent = parent
    this.trunk = trunk
    this.level = trunk?.level ?? (parent === undefined ? 0 : parent.level + 1)
  }

  private define(name: string, load: Load): string {
    const variable = `${this.level} ${name}`
    this.refs.set(name, variable)
    this.loads.set(variable, load)
    return variable
  }

  /** The variable that the name has in this scope itself. */
  private ownRef(name: string): string | undefined {
    return this.refs.get(name) ?? this.trunk?.ownRef(name)
  }

  private findRef(name: string): string | undefined {
    return this.ownRef(name) ?? this.parent?.findRef(name)
  }

  /** The variable that the name refers to here, in this scope or an outer one. */
  ref(name: string): string {
    const variable = this.findRef(name)
    if (variable === undefined) throw new Error(`no variable for ${name}`)
    return variable
  }

  private isStored(name: string): boolean {
    return this.stores.has(name) || this.trunk?.isStored(name) === true
  }

  private store(name: string): void {
    this.stores.add(name)
    if (this.ownRef(name) !== undefined) return
    const outer = this.parent?.findRef(name)
    this.define(name, outer === undefined ? nothing : { from: "variable", variable: outer })
  }

  declareParameter(name: string): string {
    this.stores.add(name)
    return this.define(name, param)
  }

  private load(name: string): void {
    if (this.findRef(name) === undefined) this.define(name, { from: "context", name })
  }

  /** Names that are set in this scope or around it, with their variables. */
  visibleStores(): Map<string, string> {
    const all = this.parent?.visibleStores() ?? new Map<string, string>()
    for (const name of this.stores) all.set(name, this.ref(name))
    return all
  }

  /** Merges the branches of an `if`: a name that some branch does not set starts with its outer value. */
  private mergeBranches(branches: ReadonlyArray<Symbols>): void {
    const counts = new Map<string, number>()
    for (const branch of branches) {
      for (const name of branch.stores) {
        if (!this.isStored(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    }
    for (const branch of branches) {
      for (const [name, variable] of branch.refs) this.refs.set(name, variable)
      for (const [variable, load] of branch.loads) this.loads.set(variable, load)
      for (const name of branch.stores) this.stores.add(name)
    }
    for (const [name, count] of counts) {
      if (count === branches.length) continue
      const outer = this.parent?.findRef(name)
      this.loads.set(
        this.ref(name),
        outer === undefined ? { from: "context", name } : { from: "variable", variable: outer }
      )
    }
  }

  /** Finds the names in the nodes of this scope itself. */
  visit(nodes: Iterable<Node>, asParam = false): void {
    for (const node of nodes) this.visitNode(node, asParam)
  }

  private visitNode(node: Node, asParam: boolean): void {
    switch (node.kind) {
      case "Name":
        if (asParam || node.use === "param") this.declareParameter(node.name)
        else if (node.use === "store") this.store(node.name)
        else this.load(node.name)
        return
      case "NamespaceTarget":
        return this.load(node.name)
      case "If":
        return this.visitIf(node)
      case "Macro":
        return this.store(node.name)
      case "NoLoader":
        this.visitNode(node.template, asParam)
        for (const name of node.names) this.store(name)
        return
      case "Assign":
        this.visitNode(node.node, asParam)
        return this.visitNode(node.target, asParam)
      // Their bodies are scopes of their own; only the names in their heads belong here.
      case "AssignBlock":
        return this.visitNode(node.target, asParam)
      case "For":
        return this.visitNode(node.iter, asParam)
      case "CallBlock":
        return this.visitNode(node.call, asParam)
      case "FilterBlock":
        return this.visitNode(node.filter, asParam)
      case "With":
        return this.visit(node.values, asParam)
      case "PluginTag":
        return this.visit([...node.args, ...node.keywords], asParam)
      case "Autoescape":
      case "Block":
        return
      default:
        return this.visit(childrenOf(node), asParam)
    }
  }

  private visitIf(node: If): void {
    this.visitNode(node.test, false)
    const branch = (body: ReadonlyArray<Statement>) => {
      const symbols = new Symbols(this.parent, this)
      symbols.visit(body)
      return symbols
    }
    this.mergeBranches([branch(node.body), branch(node.elifs), branch(node.otherwise)])
  }
}
