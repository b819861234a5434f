/** Expressions, in Jinja's grammar and with its precedences: `**` binds to the left, `~` tighter than `+`. */
import type { Arithmetic, Comparison, Expression, Operand } from "./Ast.ts"
import { OperandParser } from "./OperandParser.ts"

const comparisons: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="])

export abstract class ExpressionParser extends OperandParser {
  protected override parseExpression(withCondition = true): Expression {
    return this.nest(() => (withCondition ? this.parseCondition() : this.parseOr()))
  }

  private parseCondition(): Expression {
    const { stream } = this
    let expression = this.parseOr()
    for (let links = 0; stream.isName("if");) {
      this.link(++links)
      const { at } = stream.next()
      const test = this.parseOr()
      const otherwise = stream.skipName("else") ? this.nest(() => this.parseCondition()) : undefined
      expression = this.node({ kind: "CondExpr", at, test, chosen: expression, otherwise })
    }
    return expression
  }

  private parseOr(): Expression {
    let left = this.parseAnd()
    for (let links = 0; this.stream.isName("or");) {
      this.link(++links)
      const { at } = this.stream.next()
      left = this.node({ kind: "Or", at, left, right: this.parseAnd() })
    }
    return left
  }

  private parseAnd(): Expression {
    let left = this.parseNot()
    for (let links = 0; this.stream.isName("and");) {
      this.link(++links)
      const { at } = this.stream.next()
      left = this.node({ kind: "And", at, left, right: this.parseNot() })
    }
    return left
  }

  private parseNot(): Expression {
    if (!this.stream.isName("not")) return this.parseCompare()
    const { at } = this.stream.next()
    return this.node({ kind: "Not", at, node: this.nest(() => this.parseNot()) })
  }

  private parseCompare(): Expression {
    const { at } = this.stream.current
    const expr = this.parseSum()
    const operands: Array<Operand> = []
    for (let operator = this.comparison(); operator !== undefined; operator = this.comparison()) {
      this.link(operands.length)
      operands.push(this.node({ kind: "Operand", operator, expr: this.parseSum() }))
    }
    return operands.length === 0 ? expr : this.node({ kind: "Compare", at, expr, operands })
  }

  private comparison(): Comparison | undefined {
    const { stream } = this
    if (stream.current.type === "operator" && comparisons.has(stream.current.text)) {
      return stream.next().text as Comparison
    }
    if (stream.skipName("in")) return "in"
    if (!stream.isName("not") || !stream.looksAt("in")) return undefined
    stream.next()
    stream.next()
    return "not in"
  }

  /** Operators of one precedence, bound to the left. */
  private parseChain(operators: ReadonlyArray<string>, parse: () => Expression): Expression {
    let left = parse()
    const { stream } = this
    for (let links = 0; stream.current.type === "operator" && operators.includes(stream.current.text);) {
      this.link(++links)
      const { at, text } = stream.next()
      left = this.node({ kind: "Binary", at, operator: text as Arithmetic, left, right: parse() })
    }
    return left
  }

  private parseSum(): Expression {
    return this.parseChain(["+", "-"], () => this.parseConcat())
  }

  private parseConcat(): Expression {
    const { at } = this.stream.current
    const nodes = [this.parseProduct()]
    while (this.stream.skipOperator("~")) nodes.push(this.parseProduct())
    return nodes.length === 1 ? nodes[0]! : this.node({ kind: "Concat", at, nodes })
  }

  private parseProduct(): Expression {
    return this.parseChain(["*", "/", "//", "%"], () => this.parsePower())
  }

  private parsePower(): Expression {
    return this.parseChain(["**"], () => this.parseUnary(true))
  }

  private parseUnary(withFilters: boolean): Expression {
    const { stream } = this
    const { at } = stream.current
    const kind = stream.isOperator("-") ? "Neg" : stream.isOperator("+") ? "Pos" : undefined
    if (kind !== undefined) stream.next()
    const operand =
      kind === undefined
        ? this.parsePrimary()
        : this.node<Expression>({ kind, at, node: this.nest(() => this.parseUnary(false)) })
    const expression = this.parsePostfix(operand)
    return withFilters ? this.parseFilters(expression) : expression
  }
}
