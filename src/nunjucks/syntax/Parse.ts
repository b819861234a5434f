/**
 * Reads a template with the package's own parser, whose recursion is bounded here and whose errors get a place.
 *
 * Tags that load templates or wait for something are refused: there is nothing to load, and rendering is synchronous.
 */
import { createRequire } from "node:module"
import { Fault, limitFault } from "../../jinja/runtime/Fault.ts"
import type { Limits } from "../../jinja/runtime/Limits.ts"
import type { Node } from "./Nodes.ts"
import type { Source } from "./Source.ts"
import { type Token, Tokens } from "./Tokens.ts"

interface PackageParser {
  readonly tokens: Tokens
  readonly peekToken: () => Token | null
  readonly advanceAfterBlockEnd: (name?: string) => Token
  parse(): Node
  parseAsRoot(): Node
  parseIf(): Node
  parseNot(): Node
  parseRaw(tag?: string): Node
  parseStatement(): Node | null
  parseUnary(noFilters?: boolean): Node
}

const load = createRequire(import.meta.url)

const { Parser } = load("nunjucks/src/parser.js") as { readonly Parser: new (tokens: Tokens) => PackageParser }

const nodes = load("nunjucks/src/nodes.js") as Readonly<
  Record<"Output" | "TemplateData", new (line: number, column: number, content: unknown) => Node>
>

const loads = "a template cannot load another one"
const waits = "a template is rendered synchronously"

const refusedTags: ReadonlyMap<unknown, string> = new Map([
  ["include", `{% include %} is refused: ${loads}`],
  ["import", `{% import %} is refused: ${loads}`],
  ["from", `{% from %} is refused: ${loads}`],
  ["extends", `{% extends %} is refused: ${loads}`],
  ["block", `{% block %} is refused: ${loads}, so there is nothing that blocks could replace`],
  ["asyncEach", `{% asyncEach %} is refused: ${waits}; use {% for %}`],
  ["asyncAll", `{% asyncAll %} is refused: ${waits}; use {% for %}`],
  ["ifAsync", `{% ifAsync %} is refused: ${waits}; use {% if %}`]
])

/** Calls of one level of parentheses: parseNot and parseUnary. */
const callsPerLevel = 2

class BoundedParser extends Parser {
  private readonly source: Source
  private readonly depthMax: number
  private depth = 0

  constructor(source: Source, { nodes: tokensMax, nesting }: Limits) {
    super(new Tokens(source, tokensMax))
    this.source = source
    this.depthMax = nesting * callsPerLevel
  }

  private bounded<A>(parse: () => A): A {
    if (++this.depth > this.depthMax) throw limitFault("nesting")
    const parsed = parse()
    this.depth--
    return parsed
  }

  override parse(): Node {
    return this.bounded(() => super.parse())
  }

  override parseNot(): Node {
    return this.bounded(() => super.parseNot())
  }

  override parseUnary(noFilters?: boolean): Node {
    return this.bounded(() => super.parseUnary(noFilters))
  }

  /** Calls itself for `elif`. */
  override parseIf(): Node {
    return this.bounded(() => super.parseIf())
  }

  override parseStatement(): Node | null {
    const tag = this.peekToken()
    const refusal = tag?.type === "symbol" ? refusedTags.get(tag.value) : undefined
    if (tag !== null && refusal !== undefined) throw this.source.syntaxFault(refusal, tag)
    return super.parseStatement()
  }

  /** The package searches with an expression that takes quadratic time, and cannot step back over a line break. */
  override parseRaw(tag = "raw"): Node {
    const { lineno, colno } = this.advanceAfterBlockEnd()
    const rest = this.tokens.rest
    const border = new RegExp(`\\{%\\s*(end)?${tag}\\s*%\\}`, "g")
    let level = 1
    let end = 0
    let after = 0
    for (let found = border.exec(rest); found !== null; found = border.exec(rest)) {
      level += found[1] === undefined ? 1 : -1
      after = border.lastIndex
      end = level === 0 ? found.index : after
      if (level === 0) break
    }
    this.tokens.skip(after)
    return new nodes.Output(lineno, colno, [new nodes.TemplateData(lineno, colno, rest.slice(0, end))])
  }
}

/** Throws a Fault with the place. */
export const parseTemplate = (source: Source, limits: Limits): Node => {
  const parser = new BoundedParser(source, limits)
  try {
    return parser.parseAsRoot()
  } catch (error) {
    throw placed(source, parser.tokens, error as Error & { readonly lineno?: number; readonly colno?: number })
  }
}

/** The package's errors count lines and columns from 1, or have none. */
const placed = (
  source: Source,
  tokens: Tokens,
  error: Error & { readonly lineno?: number; readonly colno?: number }
): Fault => {
  const at = source.offset(tokens.place)
  if (error instanceof Fault) return new Fault(error.reason, error.message, error.at ?? at, error.limit)
  if (error instanceof RangeError) return new Fault("Limit", limitFault("nesting").message, at, "nesting")
  if (error instanceof TypeError) {
    // The parser did not expect the end, or the kind of node that it found.
    return new Fault("Syntax", tokens.isFinished ? "unexpected end of the template" : "this cannot be parsed", at)
  }
  const { lineno, colno, message } = error
  if (lineno === undefined || colno === undefined) return new Fault("Syntax", message, at)
  return source.syntaxFault(message, { lineno: lineno - 1, colno: colno - 1 })
}
