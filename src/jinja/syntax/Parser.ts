/** Statements, in Jinja's grammar and with its messages. */
import { Fault } from "../runtime/Fault.ts"
import type { Limits } from "../runtime/Limits.ts"
import { quote } from "../print/Repr.ts"
import { isBlank } from "../text/Text.ts"
import type {
  AssignBlock,
  Block,
  Body,
  CallBlock,
  Expression,
  FilterBlock,
  For,
  If,
  Keyword,
  Macro,
  Output,
  PluginTag,
  Statement,
  Target,
  TemplateData,
  With
} from "./Ast.ts"
import { LoaderTagParser } from "./LoaderTagParser.ts"
import type { LexicalOptions } from "./Tokenizer.ts"

/** Tags that are off unless an environment turns them on: Jinja's `do`, `loopcontrols` and `i18n` extensions. */
export type Extension = "do" | "loopcontrols" | "i18n"

interface ParserOptions extends LexicalOptions {
  readonly extensions?: ReadonlySet<Extension>
  /** Tags of plugins: whether each has a body. */
  readonly tags?: ReadonlyMap<string, { readonly body: boolean }>
}

/** Parses a normalised source to a tree. */
export const parse = (source: string, options: ParserOptions, limits: Limits): Body =>
  new Parser(source, options, limits).parse()

class Parser extends LoaderTagParser {
  /** Names of the open tags. */
  private readonly tags: Array<string> = []
  /** The names that end each open body. */
  private readonly ends: Array<ReadonlyArray<string>> = []
  private readonly options: ParserOptions

  constructor(source: string, options: ParserOptions, limits: Limits) {
    super(source, options, limits)
    this.options = options
  }

  parse(): Body {
    return this.parseBody(undefined)
  }

  /** Statements and text. Stops at one of the names, or without names at the end of the source. */
  private parseBody(ends: ReadonlyArray<string> | undefined): Body {
    const { stream } = this
    const body: Array<Statement> = []
    let nodes: Array<TemplateData | Expression> = []
    const flush = () => {
      if (nodes.length > 0) body.push(this.node({ kind: "Output", at: nodes[0]!.at, nodes }))
      nodes = []
    }
    if (ends !== undefined) this.ends.push(ends)
    while (stream.current.type !== "eof") {
      const token = stream.next()
      if (token.type === "data") nodes.push(this.node({ kind: "TemplateData", at: token.at, text: token.text }))
      else if (token.type === "variable_begin") {
        nodes.push(this.parseTuple())
        stream.expect("variable_end")
      } else {
        flush()
        if (ends !== undefined && ends.some((name) => stream.isName(name))) break
        body.push(...this.parseStatement())
        stream.expect("block_end")
      }
    }
    flush()
    if (ends !== undefined) this.ends.pop()
    return body
  }

  /** The body of a tag, from the tag's `%}`. Stops after a `{%`, at one of the names. */
  private parseStatements(...ends: ReadonlyArray<string>): Body {
    this.stream.skipOperator(":")
    this.stream.expect("block_end")
    const body = this.nest(() => this.parseBody(ends))
    if (this.stream.current.type === "eof") {
      this.ends.push(ends)
      throw this.unknownTag(undefined, this.stream.current.at)
    }
    return body
  }

  /** Like parseStatements, but consumes the name as well. */
  private parseUntil(end: string): Body {
    const body = this.parseStatements(end)
    this.stream.next()
    return body
  }

  private unknownTag(name: string | undefined, at: number): Fault {
    const looking = this.ends.at(-1)?.map(quote).join(" or ")
    const message = [name === undefined ? "Unexpected end of template." : `Encountered unknown tag ${quote(name)}.`]
    if (looking !== undefined && name !== undefined && this.ends.some((names) => names.includes(name))) {
      message.push(
        `You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${looking}.`
      )
    } else if (looking !== undefined) message.push(`Jinja was looking for the following tags: ${looking}.`)
    const open = this.tags.at(-1)
    if (open !== undefined) message.push(`The innermost block that needs to be closed is ${quote(open)}.`)
    return this.stream.fault(message.join(" "), at)
  }

  private parseStatement(): ReadonlyArray<Statement> {
    const token = this.stream.current
    if (token.type !== "name") throw this.stream.fault("tag name expected")
    const parseTag = this.parserOf(token.text)
    if (parseTag === undefined) throw this.unknownTag(token.text, token.at)
    this.tags.push(token.text)
    this.stream.next()
    const statement = parseTag(token.at)
    this.tags.pop()
    return Array.isArray(statement) ? (statement as ReadonlyArray<Statement>) : [this.node(statement as Statement)]
  }

  private parserOf(tag: string): ((at: number) => Statement | ReadonlyArray<Statement>) | undefined {
    switch (tag) {
      case "for":
        return (at) => this.parseFor(at)
      case "if":
        return (at) => this.parseIf(at)
      case "set":
        return (at) => this.parseSet(at)
      case "block":
        return (at) => this.parseBlock(at)
      case "macro":
        return (at) => this.parseMacro(at)
      case "call":
        return (at) => this.parseCallBlock(at)
      case "filter":
        return (at) => this.parseFilterBlock(at)
      case "with":
        return (at) => this.parseWith(at)
      case "print":
        return (at) => this.parsePrint(at)
      case "autoescape":
        return (at) => ({
          kind: "Autoescape",
          at,
          enabled: this.parseExpression(),
          body: this.parseUntil("endautoescape")
        })
      case "include":
        return (at) => this.parseInclude(at)
      case "import":
        return (at) => this.parseImport(at)
      case "from":
        return (at) => this.parseFrom(at)
      case "extends":
        return (at) => ({ kind: "NoLoader", at, what: "extends", template: this.parseExpression(), names: [] })
      default:
        return this.extensionOf(tag)
    }
  }

  private extensionOf(tag: string): ((at: number) => Statement | ReadonlyArray<Statement>) | undefined {
    const { extensions, tags } = this.options
    if (tag === "do" && extensions?.has("do") === true) {
      return (at) => ({ kind: "ExprStmt", at, node: this.parseTuple() })
    }
    if ((tag === "break" || tag === "continue") && extensions?.has("loopcontrols") === true) {
      return (at) => ({ kind: tag === "break" ? "Break" : "Continue", at })
    }
    if (tag === "trans" && extensions?.has("i18n") === true) return () => this.parseTrans()
    const plugin = tags?.get(tag)
    return plugin === undefined ? undefined : (at) => this.parsePluginTag(at, tag, plugin.body)
  }

  private parseFor(at: number): For {
    const { stream } = this
    const target = this.parseTarget({})
    stream.expectName("in")
    const iter = this.parseTuple({ withCondition: false })
    const test = stream.skipName("if") ? this.parseExpression() : undefined
    const recursive = stream.skipName("recursive")
    const body = this.parseStatements("endfor", "else")
    const otherwise = stream.next().text === "endfor" ? [] : this.parseUntil("endfor")
    return { kind: "For", at, target, iter, body, otherwise, test, recursive }
  }

  private parseIf(at: number): If {
    const { stream } = this
    const arms: Array<If> = []
    let otherwise: Body = []
    for (let armAt = at; ; armAt = stream.current.at) {
      const test = this.parseTuple({ withCondition: false })
      const body = this.parseStatements("elif", "else", "endif")
      arms.push(this.node({ kind: "If", at: armAt, test, body, elifs: [], otherwise: [] }))
      const end = stream.next().text
      if (end === "else") otherwise = this.parseUntil("endif")
      if (end !== "elif") break
    }
    const [first, ...elifs] = arms
    return { kind: "If", at, test: first!.test, body: first!.body, elifs, otherwise }
  }

  private parseSet(at: number): Statement {
    const target = this.parseTarget({ withNamespace: true })
    if (this.stream.skipOperator("=")) return { kind: "Assign", at, target, node: this.parseTuple() }
    const filter = this.parseFilter(undefined)
    return { kind: "AssignBlock", at, target, filter, body: this.parseUntil("endset") } satisfies AssignBlock
  }

  private parseBlock(at: number): Block {
    const { stream } = this
    const name = stream.expect("name").text
    const scoped = stream.skipName("scoped")
    const required = stream.skipName("required")
    if (stream.isOperator("-")) {
      throw stream.fault(
        "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead."
      )
    }
    const body = this.parseUntil("endblock")
    if (required && !body.every(isBlankOutput)) {
      throw stream.fault("Required blocks can only contain comments or whitespace")
    }
    stream.skipName(name)
    return { kind: "Block", at, name, scoped, required, body }
  }

  private parseMacro(at: number): Macro {
    const { name } = this.parseName("store")
    const signature = this.parseSignature()
    return { kind: "Macro", at, name, ...signature, body: this.parseUntil("endmacro") }
  }

  private parseCallBlock(at: number): CallBlock {
    const signature = this.stream.isOperator("(") ? this.parseSignature() : { params: [], defaults: [] }
    const call = this.parseExpression()
    if (call.kind !== "Call") throw this.stream.fault("expected call", at)
    return { kind: "CallBlock", at, ...signature, call, body: this.parseUntil("endcall") }
  }

  private parseFilterBlock(at: number): FilterBlock {
    const filter = this.parseFilter(undefined, true)
    return { kind: "FilterBlock", at, body: this.parseUntil("endfilter"), filter }
  }

  private parseWith(at: number): With {
    const targets: Array<Target> = []
    const values: Array<Expression> = []
    while (this.stream.current.type !== "block_end") {
      if (targets.length > 0) this.stream.expectOperator(",")
      targets.push(this.parseTarget({ param: true }))
      this.stream.expectOperator("=")
      values.push(this.parseExpression())
    }
    return { kind: "With", at, targets, values, body: this.parseUntil("endwith") }
  }

  private parsePrint(at: number): Output {
    const nodes: Array<Expression> = []
    while (this.stream.current.type !== "block_end") {
      if (nodes.length > 0) this.stream.expectOperator(",")
      nodes.push(this.parseExpression())
    }
    return { kind: "Output", at, nodes }
  }

  /** A `trans` block prints its own text. As in Jinja it may contain only text and names; plurals are not parsed. */
  private parseTrans(): Body {
    const body = this.parseUntil("endtrans")
    const simple = body.every(
      (node) => node.kind === "Output" && node.nodes.every(({ kind }) => kind === "TemplateData" || kind === "Name")
    )
    if (!simple) throw this.stream.fault("control structures in translatable sections are not allowed")
    return body
  }

  private parsePluginTag(at: number, name: string, hasBody: boolean): PluginTag {
    const { stream } = this
    const args: Array<Expression> = []
    const keywords: Array<Keyword> = []
    while (stream.current.type !== "block_end") {
      if (args.length + keywords.length > 0) stream.expectOperator(",")
      const named = stream.current.type === "name" && stream.look().text === "=" && stream.look().type === "operator"
      if (named) keywords.push(this.parseKeyword())
      else args.push(this.parseExpression())
    }
    const body = hasBody ? this.parseUntil(`end${name}`) : undefined
    return { kind: "PluginTag", at, name, args, keywords, restArgs: undefined, restKeywords: undefined, body }
  }
}

const isBlankOutput = (statement: Statement): boolean =>
  statement.kind === "Output" && statement.nodes.every((node) => node.kind === "TemplateData" && isBlank(node.text))
