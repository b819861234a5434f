/** The tokens of a template, with one token of look-ahead. Faults have Jinja's messages. */
import { Fault } from "../runtime/Fault.ts"
import { quote } from "../print/Repr.ts"
import { type LexicalOptions, type Token, type TokenType, Tokenizer } from "./Tokenizer.ts"

const typeNames: Readonly<Partial<Record<TokenType, string>>> = {
  block_begin: "begin of statement block",
  block_end: "end of statement block",
  variable_begin: "begin of print statement",
  variable_end: "end of print statement",
  data: "template data / text",
  eof: "end of template"
}

const describeType = (type: TokenType): string => typeNames[type] ?? type

/** The token as text for messages. */
export const describe = (token: Token): string =>
  token.type === "name" || token.type === "operator" ? token.text : describeType(token.type)

export class TokenStream {
  current: Token
  private following: Token | undefined
  private readonly tokenizer: Tokenizer

  constructor(source: string, options: LexicalOptions) {
    this.tokenizer = new Tokenizer(source, options)
    this.current = this.tokenizer.next()
  }

  /** Moves to the next token and returns the one that was current. */
  next(): Token {
    const { current } = this
    this.current = this.following ?? this.tokenizer.next()
    this.following = undefined
    return current
  }

  /** The token after the current one. */
  look(): Token {
    this.following ??= this.tokenizer.next()
    return this.following
  }

  isName(name: string): boolean {
    return this.current.type === "name" && this.current.text === name
  }

  isOperator(operator: string): boolean {
    return this.current.type === "operator" && this.current.text === operator
  }

  skipName(name: string): boolean {
    if (!this.isName(name)) return false
    this.next()
    return true
  }

  skipOperator(operator: string): boolean {
    if (!this.isOperator(operator)) return false
    this.next()
    return true
  }

  /** Whether the name that follows the current token is this one. */
  looksAt(name: string): boolean {
    const token = this.look()
    return token.type === "name" && token.text === name
  }

  expect(type: TokenType): Token {
    if (this.current.type !== type) throw this.unexpected(describeType(type))
    return this.next()
  }

  expectName(name: string): Token {
    if (!this.isName(name)) throw this.unexpected(name)
    return this.next()
  }

  expectOperator(operator: string): Token {
    if (!this.isOperator(operator)) throw this.unexpected(operator)
    return this.next()
  }

  fault(message: string, at = this.current.at): Fault {
    return new Fault("Syntax", message, at)
  }

  private unexpected(expected: string): Fault {
    return this.current.type === "eof"
      ? this.fault(`unexpected end of template, expected ${quote(expected)}.`)
      : this.fault(`expected token ${quote(expected)}, got ${quote(describe(this.current))}`)
  }
}
