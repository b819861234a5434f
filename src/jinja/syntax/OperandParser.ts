/**
 * Parses operands: literals, names and brackets, with the attributes, calls, filters and tests that follow them.
 */
import { limitFault } from "../runtime/Fault.ts"
import type { Limits } from "../runtime/Limits.ts"
import { quote } from "../print/Repr.ts"
import type { Arguments, Call, Expression, Filter, Keyword, Pair } from "./Ast.ts"
import { TokenStream, describe } from "./TokenStream.ts"
import type { LexicalOptions } from "./Tokenizer.ts"

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null]
])

const noArguments: Arguments = { args: [], keywords: [], restArgs: undefined, restKeywords: undefined }

export abstract class OperandParser {
  protected readonly stream: TokenStream
  private readonly limits: Limits
  private nodes = 0
  private depth = 0

  constructor(source: string, options: LexicalOptions, limits: Limits) {
    this.stream = new TokenStream(source, options)
    this.limits = limits
  }

  /** Counts a node. */
  protected node<N>(node: N): N {
    if (++this.nodes > this.limits.nodes) throw limitFault("nodes")
    return node
  }

  /** Parses a construct that can nest; fails if it nests too deeply. */
  protected nest<A>(parse: () => A): A {
    if (++this.depth > this.limits.nesting) throw limitFault("nesting")
    const parsed = parse()
    this.depth--
    return parsed
  }

  /** Checks the length of a chain: its links nest in the tree, although not in the text. */
  protected link(count: number): void {
    if (count > this.limits.chain) throw limitFault("nesting")
  }

  /** `withCondition`: whether `a if b else c` is allowed. */
  protected abstract parseExpression(withCondition?: boolean): Expression

  protected parsePrimary(): Expression {
    const { stream } = this
    const token = stream.current
    const { at } = token
    switch (token.type) {
      case "name": {
        stream.next()
        const value = constants.get(token.text)
        return this.node(
          value === undefined ? { kind: "Name", at, name: token.text, use: "load" } : { kind: "Const", at, value }
        )
      }
      case "string": {
        let value = ""
        while (stream.current.type === "string") value += stream.next().literal as string
        return this.node({ kind: "Const", at, value })
      }
      case "integer":
      case "float":
        stream.next()
        return this.node({ kind: "Const", at, value: token.literal })
      default:
        return this.parseBracket()
    }
  }

  private parseBracket(): Expression {
    const { stream } = this
    if (stream.skipOperator("(")) {
      const tuple = this.parseTuple({ parentheses: true })
      stream.expectOperator(")")
      return tuple
    }
    if (stream.isOperator("[")) return this.parseList()
    if (stream.isOperator("{")) return this.parseDict()
    throw stream.fault(`unexpected ${quote(describe(stream.current))}`)
  }

  /** One expression, or a tuple if commas follow. Only a tuple in parentheses may be empty. */
  protected parseTuple(options: { readonly withCondition?: boolean; readonly parentheses?: boolean } = {}): Expression {
    const { stream } = this
    const { at } = stream.current
    const items: Array<Expression> = []
    const isTuple = this.commaSeparated(() => items.push(this.parseExpression(options.withCondition ?? true)))
    if (!isTuple && items.length > 0) return items[0]!
    if (!isTuple && options.parentheses !== true) {
      throw stream.fault(`Expected an expression, got ${quote(describe(stream.current))}`)
    }
    return this.node({ kind: "Tuple", at, items })
  }

  /** Parses elements up to the end of a tuple; returns whether there was a comma. */
  protected commaSeparated(parse: () => void): boolean {
    const { stream } = this
    const ends = () => {
      const { type } = stream.current
      return type === "variable_end" || type === "block_end" || stream.isOperator(")")
    }
    for (let comma = false; ; comma = true) {
      if (comma) stream.expectOperator(",")
      if (ends()) return comma
      parse()
      if (!stream.isOperator(",")) return comma
    }
  }

  private parseList(): Expression {
    const { at } = this.stream.expectOperator("[")
    const items: Array<Expression> = []
    this.elements("]", () => items.push(this.parseExpression()))
    return this.node({ kind: "List", at, items })
  }

  private parseDict(): Expression {
    const { at } = this.stream.expectOperator("{")
    const items: Array<Pair> = []
    this.elements("}", () => {
      const key = this.parseExpression()
      this.stream.expectOperator(":")
      items.push(this.node({ kind: "Pair", key, value: this.parseExpression() }))
    })
    return this.node({ kind: "Dict", at, items })
  }

  /** Elements up to the closing bracket, with an optional trailing comma. */
  private elements(close: string, parse: () => void): void {
    for (let first = true; !this.stream.isOperator(close); first = false) {
      if (!first) this.stream.expectOperator(",")
      if (this.stream.isOperator(close)) break
      parse()
    }
    this.stream.expectOperator(close)
  }

  protected parsePostfix(start: Expression): Expression {
    let expression = start
    for (let links = 0; ;) {
      const { stream } = this
      if (stream.isOperator(".") || stream.isOperator("[")) expression = this.parseSubscript(expression)
      else if (stream.isOperator("(")) expression = this.parseCall(expression)
      else return expression
      this.link(++links)
    }
  }

  protected parseFilters(start: Expression): Expression {
    let expression = start
    for (let links = 0; ;) {
      const { stream } = this
      if (stream.isOperator("|")) expression = this.parseFilter(expression)
      else if (stream.isName("is")) expression = this.parseTest(expression)
      else if (stream.isOperator("(")) expression = this.parseCall(expression)
      else return expression
      this.link(++links)
    }
  }

  private parseSubscript(node: Expression): Expression {
    const { stream } = this
    const { at, text } = stream.next()
    if (text === ".") {
      const token = stream.next()
      if (token.type === "name") return this.node({ kind: "Getattr", at, node, name: token.text })
      if (token.type !== "integer") throw stream.fault("expected name or number", token.at)
      const arg = this.node({ kind: "Const", at: token.at, value: token.literal } as const)
      return this.node({ kind: "Getitem", at, node, arg })
    }
    const args: Array<Expression> = []
    while (!stream.isOperator("]")) {
      if (args.length > 0) stream.expectOperator(",")
      args.push(this.parseSubscribed())
    }
    stream.next()
    const arg = args.length === 1 ? args[0]! : this.node({ kind: "Tuple", at, items: args } as const)
    return this.node({ kind: "Getitem", at, node, arg })
  }

  /** The subscript in `x[…]`: an expression or a slice. */
  private parseSubscribed(): Expression {
    const { stream } = this
    const { at } = stream.current
    const start = stream.isOperator(":") ? undefined : this.parseExpression()
    if (!stream.skipOperator(":")) return start!
    const atEnd = () => stream.isOperator("]") || stream.isOperator(",")
    const stop = stream.isOperator(":") || atEnd() ? undefined : this.parseExpression()
    const step = !stream.skipOperator(":") || atEnd() ? undefined : this.parseExpression()
    return this.node({ kind: "Slice", at, start, stop, step })
  }

  private parseCall(node: Expression): Call {
    const { at } = this.stream.current
    return this.node({ kind: "Call", at, node, ...this.parseArguments() })
  }

  private parseArguments(): Arguments {
    const { stream } = this
    const { at } = stream.expectOperator("(")
    const args: Array<Expression> = []
    const keywords: Array<Keyword> = []
    let restArgs: Expression | undefined
    let restKeywords: Expression | undefined
    const ensure = (holds: boolean) => {
      if (!holds) throw stream.fault("invalid syntax for function call expression", at)
    }
    this.elements(")", () => {
      if (stream.skipOperator("*")) {
        ensure(restArgs === undefined && restKeywords === undefined)
        restArgs = this.parseExpression()
      } else if (stream.skipOperator("**")) {
        ensure(restKeywords === undefined)
        restKeywords = this.parseExpression()
      } else if (stream.current.type === "name" && stream.look().text === "=" && stream.look().type === "operator") {
        ensure(restKeywords === undefined)
        keywords.push(this.parseKeyword())
      } else {
        ensure(restArgs === undefined && restKeywords === undefined && keywords.length === 0)
        args.push(this.parseExpression())
      }
    })
    return { args, keywords, restArgs, restKeywords }
  }

  protected parseKeyword(): Keyword {
    const key = this.stream.next().text
    this.stream.expectOperator("=")
    return this.node({ kind: "Keyword", key, value: this.parseExpression() })
  }

  /** A chain of filters. `node` is undefined for a filter block; with `inline` the first filter has no bar. */
  protected parseFilter(node: Expression | undefined, inline = false): Filter {
    const { stream } = this
    let filter: Filter | undefined
    for (let links = inline ? 0 : 1; links === 0 || stream.isOperator("|"); links++) {
      if (links > 0) stream.next()
      this.link(links)
      const { at } = stream.current
      const name = this.parseDottedName()
      const given = stream.isOperator("(") ? this.parseArguments() : noArguments
      filter = this.node({ kind: "Filter", at, node: filter ?? node, name, ...given })
    }
    return filter!
  }

  private parseDottedName(): string {
    let name = this.stream.expect("name").text
    while (this.stream.skipOperator(".")) name += `.${this.stream.expect("name").text}`
    return name
  }

  private parseTest(node: Expression): Expression {
    const { stream } = this
    const { at } = stream.next()
    const negated = stream.skipName("not")
    const name = this.parseDottedName()
    const test = this.node({ kind: "Test", at, node, name, ...this.parseTestArguments() } as const)
    return negated ? this.node({ kind: "Not", at, node: test }) : test
  }

  /** The arguments of a test: in parentheses, or a single operand without them. */
  private parseTestArguments(): Arguments {
    const { stream } = this
    if (stream.isOperator("(")) return this.parseArguments()
    const { type } = stream.current
    const startsOperand =
      type === "name" ||
      type === "string" ||
      type === "integer" ||
      type === "float" ||
      stream.isOperator("[") ||
      stream.isOperator("{")
    if (!startsOperand || stream.isName("else") || stream.isName("or") || stream.isName("and")) return noArguments
    if (stream.isName("is")) throw stream.fault("You cannot chain multiple tests with is")
    return { ...noArguments, args: [this.parsePostfix(this.nest(() => this.parsePrimary()))] }
  }
}
