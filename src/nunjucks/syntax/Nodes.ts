/** The nodes that the package's parser makes, as far as the compiler reads them. Their classes have no types. */

interface Placed {
  /** From 0. */
  readonly lineno: number
  readonly colno: number
}

interface Made<Name extends string> extends Placed {
  readonly typename: Name
}

interface ListOf<Name extends string> extends Made<Name> {
  readonly children: ReadonlyArray<Node>
}

interface LiteralNode extends Made<"Literal" | "TemplateData"> {
  readonly value: string | number | boolean | null | RegExp
}

interface NameNode extends Made<"Symbol"> {
  readonly value: string
}

interface PairNode extends Made<"Pair"> {
  readonly key: Node
  readonly value: Node
}

interface LookupNode extends Made<"LookupVal"> {
  readonly target: Node
  readonly val: Node | null
}

export interface CallNode extends Made<"FunCall"> {
  readonly name: Node
  readonly args: ListNode
}

export interface FilterNode extends Made<"Filter"> {
  readonly name: NameNode
  readonly args: ListNode
}

export interface BinaryNode extends Made<
  "Or" | "And" | "Add" | "Concat" | "Sub" | "Mul" | "Div" | "FloorDiv" | "Mod" | "Pow" | "In" | "Is"
> {
  readonly left: Node
  readonly right: Node
}

interface UnaryNode extends Made<"Not" | "Neg" | "Pos"> {
  readonly target: Node
}

interface CompareNode extends Made<"Compare"> {
  readonly expr: Node
  readonly ops: ReadonlyArray<{ readonly expr: Node; readonly type: string }>
}

interface ChoiceNode<Name extends string> extends Made<Name> {
  readonly cond: Node
  readonly body: Node
  readonly else_: Node | null
}

export interface ForNode extends Made<"For"> {
  readonly arr: Node
  readonly name: Node
  readonly body: Node
  readonly else_: Node | null
}

export interface MacroNode extends Made<"Macro" | "Caller"> {
  readonly name: Node
  readonly args: ListNode
  readonly body: Node
}

export interface SetNode extends Made<"Set"> {
  readonly targets: ReadonlyArray<Node>
  readonly value: Node | null
  /** Set if `value` is null. */
  readonly body: Node
}

export interface SwitchNode extends Made<"Switch"> {
  readonly expr: Node
  readonly cases: ReadonlyArray<{ readonly cond: Node; readonly body: ListNode }>
  readonly default: Node | null
}

interface CaptureNode extends Made<"Capture"> {
  readonly body: Node
}

export type ListNode = ListOf<"NodeList" | "Root" | "Group" | "Array" | "Dict" | "KeywordArgs" | "Output">

export type Node =
  | LiteralNode
  | NameNode
  | ListNode
  | PairNode
  | LookupNode
  | CallNode
  | FilterNode
  | BinaryNode
  | UnaryNode
  | CompareNode
  | ChoiceNode<"InlineIf">
  | ChoiceNode<"If">
  | ForNode
  | MacroNode
  | SetNode
  | SwitchNode
  | CaptureNode
