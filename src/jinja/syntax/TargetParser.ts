/** Parses the targets of assignments. */
import { Fault } from "../runtime/Fault.ts"
import { quote } from "../print/Repr.ts"
import type { Expression, Name, Signature, Target } from "./Ast.ts"
import { ExpressionParser } from "./ExpressionParser.ts"
import { describe } from "./TokenStream.ts"

interface TargetOptions {
  /** Whether `ns.name` is allowed. */
  readonly withNamespace?: boolean
  /** Whether the statement that enters the scope sets the target. */
  readonly param?: boolean
}

/** Names that cannot be assigned to. */
const fixed: ReadonlySet<string> = new Set(["true", "false", "none", "True", "False", "None"])

/** Jinja's names of the nodes that our tree distinguishes by their operator. */
const operatorNames: Readonly<Record<string, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "//": "floordiv",
  "%": "mod",
  "**": "pow"
}

/** Converts the expression to a target; throws a Syntax fault if it cannot be one. */
const toTarget = (node: Expression, use: "store" | "param"): Target => {
  const target = asTarget(node, use)
  if (target !== undefined) return target
  const name = node.kind === "Binary" ? operatorNames[node.operator]! : node.kind.toLowerCase()
  throw new Fault("Syntax", `can't assign to '${name}'`, node.at)
}

const asTarget = (node: Expression, use: "store" | "param"): Target | undefined => {
  if (node.kind === "Name") return fixed.has(node.name) ? undefined : { ...node, use }
  if (node.kind !== "Tuple") return undefined
  const items = node.items.map((item) => asTarget(item, use)).filter((item) => item !== undefined)
  return items.length === node.items.length ? { kind: "Targets", at: node.at, items } : undefined
}

export abstract class TargetParser extends ExpressionParser {
  protected parseTarget(options: TargetOptions): Target {
    const { stream } = this
    if (options.withNamespace === true && stream.look().text === "." && stream.look().type === "operator") {
      const { at, text } = stream.expect("name")
      stream.next()
      return this.node({ kind: "NamespaceTarget", at, name: text, attribute: stream.expect("name").text })
    }
    const { at } = stream.current
    const items: Array<Expression> = []
    const isTuple = this.commaSeparated(() => items.push(this.nest(() => this.parsePrimary())))
    if (items.length === 0 && !isTuple) {
      throw stream.fault(`Expected an expression, got ${quote(describe(stream.current))}`)
    }
    const target: Expression = isTuple ? this.node({ kind: "Tuple", at, items }) : items[0]!
    return toTarget(target, options.param === true ? "param" : "store")
  }

  protected parseName(use: "store" | "param"): Name {
    const { at, text } = this.stream.expect("name")
    return toTarget({ kind: "Name", at, name: text, use: "load" }, use) as Name
  }

  protected parseSignature(): Signature {
    const { stream } = this
    const params: Array<Name> = []
    const names = new Set<string>()
    const defaults: Array<Expression> = []
    stream.expectOperator("(")
    while (!stream.isOperator(")")) {
      if (params.length > 0) stream.expectOperator(",")
      const param = this.parseName("param")
      if (stream.skipOperator("=")) defaults.push(this.parseExpression())
      else if (defaults.length > 0) throw stream.fault("non-default argument follows default argument")
      if (names.has(param.name)) {
        throw stream.fault(`duplicate argument '${param.name}' in function definition`, param.at)
      }
      names.add(param.name)
      params.push(this.node(param))
    }
    stream.next()
    return { params, defaults }
  }
}
