/**
 * The tokens of the package's lexer, for its parser.
 *
 * Counts them, because the parser has no limit, and strips white space before `{%-` itself: the parser uses an
 * expression that takes quadratic time in a run of blanks.
 */
import { createRequire } from "node:module"
import { Fault, limitFault } from "../../jinja/runtime/Fault.ts"
import type { Source } from "./Source.ts"

export interface Token {
  readonly type: string
  readonly value: unknown
  readonly lineno: number
  readonly colno: number
}

interface Tokenizer {
  readonly str: string
  readonly index: number
  readonly lineno: number
  readonly colno: number
  readonly tags: object
  readonly nextToken: () => Token | null
  readonly forwardN: (chars: number) => void
}

const { lex } = createRequire(import.meta.url)("nunjucks/src/lexer.js") as {
  readonly lex: (source: string, options: object) => Tokenizer
}

export class Tokens {
  /** Read by the parser. */
  readonly tags: object
  private readonly source: Source
  private readonly tokenizer: Tokenizer
  private left: number
  private ahead: Token | null | undefined

  constructor(source: Source, tokensMax: number) {
    this.source = source
    this.tokenizer = lex(source.text, {})
    this.tags = this.tokenizer.tags
    this.left = tokensMax
  }

  /** Where the lexer is; from 0. */
  get place(): { readonly lineno: number; readonly colno: number } {
    return this.tokenizer
  }

  get isFinished(): boolean {
    return this.tokenizer.index >= this.tokenizer.str.length
  }

  nextToken(): Token | null {
    const token = this.ahead === undefined ? this.read() : this.ahead
    this.ahead = undefined
    if (token?.type !== "data") return token
    const next = (this.ahead = this.read())
    if (next === null || !stripsBefore(next)) return token
    this.ahead = { ...next, value: withoutStrip(next) }
    return { ...token, value: String(token.value).trimEnd() }
  }

  /** The text that the lexer has not read. */
  get rest(): string {
    return this.tokenizer.str.slice(this.tokenizer.index)
  }

  skip(chars: number): void {
    this.tokenizer.forwardN(chars)
  }

  private read(): Token | null {
    const { lineno, colno } = this.tokenizer
    try {
      const token = this.tokenizer.nextToken()
      if (token !== null && token.type !== "whitespace" && --this.left < 0) throw limitFault("nodes")
      return token
    } catch (error) {
      if (error instanceof Fault) throw error
      throw this.source.syntaxFault((error as Error).message, { lineno, colno })
    }
  }
}

const stripsBefore = ({ type, value }: Token): boolean =>
  type === "comment"
    ? String(value).startsWith("{#-")
    : (type === "block-start" || type === "variable-start") && String(value).endsWith("-")

/** The token without the sign, which for a comment may also be the one that strips behind it. */
const withoutStrip = ({ type, value }: Token): string => {
  if (type === "comment") return String(value).endsWith("-#}") ? "{# -#}" : "{# #}"
  return String(value).slice(0, -1)
}
