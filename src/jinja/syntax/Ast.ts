/**
 * The syntax tree. Its nodes are those of Jinja. `at` is the offset of the node's first token in the normalised source.
 * Fields are in Jinja's order, because its scoping rules depend on which name comes first.
 */
import type { Value } from "../value/Value.ts"

interface Const {
  readonly kind: "Const"
  readonly at: number
  readonly value: Value
}

export interface Name {
  readonly kind: "Name"
  readonly at: number
  readonly name: string
  /** `param`: the statement that enters the scope sets it. */
  readonly use: "load" | "store" | "param"
}

export interface Arguments {
  readonly args: ReadonlyArray<Expression>
  readonly keywords: ReadonlyArray<Keyword>
  readonly restArgs: Expression | undefined
  readonly restKeywords: Expression | undefined
}

export interface Keyword {
  readonly kind: "Keyword"
  readonly key: string
  readonly value: Expression
}

export interface Pair {
  readonly kind: "Pair"
  readonly key: Expression
  readonly value: Expression
}

export interface Operand {
  readonly kind: "Operand"
  readonly operator: Comparison
  readonly expr: Expression
}

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in"
export type Arithmetic = "+" | "-" | "*" | "/" | "//" | "%" | "**"

interface Slice {
  readonly kind: "Slice"
  readonly at: number
  readonly start: Expression | undefined
  readonly stop: Expression | undefined
  readonly step: Expression | undefined
}

export interface Filter extends Arguments {
  readonly kind: "Filter"
  readonly at: number
  /** Undefined at the start of a chain that is applied to a block. */
  readonly node: Expression | undefined
  readonly name: string
}

export interface Test extends Arguments {
  readonly kind: "Test"
  readonly at: number
  readonly node: Expression
  readonly name: string
}

export interface Call extends Arguments {
  readonly kind: "Call"
  readonly at: number
  readonly node: Expression
}

interface TupleNode {
  readonly kind: "Tuple"
  readonly at: number
  readonly items: ReadonlyArray<Expression>
}

export type Expression =
  | Const
  | Name
  | TupleNode
  | { readonly kind: "List"; readonly at: number; readonly items: ReadonlyArray<Expression> }
  | { readonly kind: "Dict"; readonly at: number; readonly items: ReadonlyArray<Pair> }
  | {
      readonly kind: "CondExpr"
      readonly at: number
      readonly test: Expression
      readonly chosen: Expression
      readonly otherwise: Expression | undefined
    }
  | Filter
  | Test
  | Call
  | { readonly kind: "Getattr"; readonly at: number; readonly node: Expression; readonly name: string }
  | { readonly kind: "Getitem"; readonly at: number; readonly node: Expression; readonly arg: Expression }
  | Slice
  | { readonly kind: "Concat"; readonly at: number; readonly nodes: ReadonlyArray<Expression> }
  | {
      readonly kind: "Compare"
      readonly at: number
      readonly expr: Expression
      readonly operands: ReadonlyArray<Operand>
    }
  | {
      readonly kind: "Binary"
      readonly at: number
      readonly operator: Arithmetic
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: "And" | "Or"; readonly at: number; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "Not" | "Neg" | "Pos"; readonly at: number; readonly node: Expression }

/** `{% set ns.attr = … %}` */
interface NamespaceTarget {
  readonly kind: "NamespaceTarget"
  readonly at: number
  readonly name: string
  readonly attribute: string
}

/** The target of an assignment. A tuple contains targets only. */
export type Target =
  | Name
  | NamespaceTarget
  | { readonly kind: "Targets"; readonly at: number; readonly items: ReadonlyArray<Target> }

export type Body = ReadonlyArray<Statement>

export interface Signature {
  readonly params: ReadonlyArray<Name>
  /** The defaults of the last parameters. */
  readonly defaults: ReadonlyArray<Expression>
}

export interface For {
  readonly kind: "For"
  readonly at: number
  readonly target: Target
  readonly iter: Expression
  readonly body: Body
  readonly otherwise: Body
  readonly test: Expression | undefined
  readonly recursive: boolean
}

export interface If {
  readonly kind: "If"
  readonly at: number
  readonly test: Expression
  readonly body: Body
  readonly elifs: ReadonlyArray<If>
  readonly otherwise: Body
}

export interface Macro extends Signature {
  readonly kind: "Macro"
  readonly at: number
  readonly name: string
  readonly body: Body
}

export interface CallBlock extends Signature {
  readonly kind: "CallBlock"
  readonly at: number
  readonly call: Call
  readonly body: Body
}

export interface With {
  readonly kind: "With"
  readonly at: number
  readonly targets: ReadonlyArray<Target>
  readonly values: ReadonlyArray<Expression>
  readonly body: Body
}

export interface Block {
  readonly kind: "Block"
  readonly at: number
  readonly name: string
  readonly scoped: boolean
  readonly required: boolean
  readonly body: Body
}

export interface AssignBlock {
  readonly kind: "AssignBlock"
  readonly at: number
  readonly target: Target
  readonly filter: Filter | undefined
  readonly body: Body
}

export interface FilterBlock {
  readonly kind: "FilterBlock"
  readonly at: number
  readonly body: Body
  readonly filter: Filter
}

/** include, import, from-import, extends: they need a loader, and this engine has none. */
export interface NoLoader {
  readonly kind: "NoLoader"
  readonly at: number
  readonly what: "include" | "import" | "extends"
  readonly template: Expression
  /** The names that it would set. */
  readonly names: ReadonlyArray<string>
}

/** A tag that a plugin adds. */
export interface PluginTag extends Arguments {
  readonly kind: "PluginTag"
  readonly at: number
  readonly name: string
  readonly body: Body | undefined
}

export interface Autoescape {
  readonly kind: "Autoescape"
  readonly at: number
  readonly enabled: Expression
  readonly body: Body
}

/** Literal text of the template. */
export interface TemplateData {
  readonly kind: "TemplateData"
  readonly at: number
  readonly text: string
}

export interface Output {
  readonly kind: "Output"
  readonly at: number
  readonly nodes: ReadonlyArray<TemplateData | Expression>
}

export type Statement =
  | Output
  | For
  | If
  | Macro
  | CallBlock
  | With
  | Block
  | AssignBlock
  | FilterBlock
  | NoLoader
  | PluginTag
  | Autoescape
  | { readonly kind: "Assign"; readonly at: number; readonly target: Target; readonly node: Expression }
  | { readonly kind: "ExprStmt"; readonly at: number; readonly node: Expression }
  | { readonly kind: "Break" | "Continue"; readonly at: number }

export type Node = Statement | Expression | Target | TemplateData | Keyword | Pair | Operand

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "kind" in value && typeof value.kind === "string"

/** The children of a node, in the order of the fields. */
export function* childrenOf(node: Node): Generator<Node> {
  for (const field of Object.values(node) as ReadonlyArray<unknown>) {
    if (isNode(field)) yield field
    else if (Array.isArray(field)) for (const item of field as ReadonlyArray<unknown>) if (isNode(item)) yield item
  }
}
