/**
 * Cuts a template into tokens, as Jinja's lexer does: text outside of tags, with white space cut where a tag says
 * so, and names, numbers, strings and operators inside. Works through the source once, by position; no pattern
 * scans a position more than a few times.
 */
import { Fault } from "../runtime/Fault.ts"
import { quote } from "../print/Repr.ts"
import { isSpaceAt } from "../text/Text.ts"
import { Float } from "../value/Values.ts"
import type { Value } from "../value/Value.ts"
import { floatPattern, integerPattern, namePattern, operatorPattern, readInteger, readString } from "./Literals.ts"

export type TokenType =
  | "data"
  | "variable_begin"
  | "variable_end"
  | "block_begin"
  | "block_end"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "operator"
  | "eof"

export interface Token {
  readonly type: TokenType
  /** Name, operator or text; the value of a literal is in `literal`. */
  readonly text: string
  readonly literal: Value
  readonly at: number
}

/** How white space and lines are treated: Jinja's environment options. */
export interface LexicalOptions {
  readonly trimBlocks?: boolean
  readonly lstripBlocks?: boolean
  readonly keepTrailingNewline?: boolean
  /** A line that starts with this prefix is a statement. */
  readonly lineStatementPrefix?: string
  /** The rest of a line after this prefix is a comment. */
  readonly lineCommentPrefix?: string
}

/** Normalises a source for the parser: one kind of line end, and none at the end of the source. */
export const normalize = (source: string, options: LexicalOptions): string => {
  const lines = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source
  return options.keepTrailingNewline !== true && lines.endsWith("\n") ? lines.slice(0, -1) : lines
}

const closers: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" }

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")

/** A pattern for the start of a tag, where text ends. */
const tagStart = ({ lineStatementPrefix, lineCommentPrefix }: LexicalOptions): RegExp => {
  const starts = ["\\{[{%#]"]
  if (lineStatementPrefix !== undefined) starts.push(`^[ \\t\\v]*${escapeRegExp(lineStatementPrefix)}`)
  if (lineCommentPrefix !== undefined) starts.push(`(?:^|(?<=\\S))[^\\S\\r\\n]*${escapeRegExp(lineCommentPrefix)}`)
  // Longer prefixes come first: `##` must not be read as `#`.
  return new RegExp(starts.toSorted((a, b) => b.length - a.length).join("|"), "gm")
}

type State = "text" | "variable" | "block" | "line"

export class Tokenizer {
  private position = 0
  private state: State = "text"
  private readonly pending: Array<Token> = []
  /** The closing brackets that are still expected. */
  private brackets: Array<string> = []
  private lineStarting = true
  private readonly source: string
  private readonly options: LexicalOptions
  private readonly starts: RegExp

  /** `source` must be normalised. */
  constructor(source: string, options: LexicalOptions) {
    this.source = source
    this.options = options
    this.starts = tagStart(options)
  }

  next(): Token {
    for (;;) {
      const token = this.pending.shift()
      if (token !== undefined) return token
      if (this.state === "text") {
        if (this.position >= this.source.length) return this.token("eof", "")
        this.readText()
      } else {
        const code = this.readCode()
        if (code !== undefined) return code
      }
    }
  }

  private token(type: TokenType, text: string, literal: Value = null, at = this.position): Token {
    return { type, text, literal, at }
  }

  private fail(message: string, at = this.position): Fault {
    return new Fault("Syntax", message, at)
  }

  /** Reads text up to the next tag, and the start of the tag. */
  private readText(): void {
    const { source, position } = this
    this.starts.lastIndex = position
    const start = this.starts.exec(source)
    if (start === null) {
      this.data(source.slice(position))
      this.position = source.length
      return
    }
    const text = source.slice(position, start.index)
    this.position = start.index
    const raw = start[0] === "{%" ? this.match(rawBegin) : undefined
    if (raw !== undefined) return this.readRaw(text, raw)
    if (!start[0].startsWith("{")) return this.readLine(text, start[0])
    const sign = /[-+]/.exec(source[start.index + 2] ?? "")?.[0] ?? ""
    this.data(this.cutBefore(text, sign, start[0] !== "{{"))
    const begin = start.index
    this.position += 2 + sign.length
    this.lineStarting = false
    if (start[0] === "{#") return this.skipComment()
    this.enter(start[0] === "{{" ? "variable" : "block", begin)
  }

  private enter(state: "variable" | "block" | "line", at: number): void {
    this.state = state
    this.brackets = []
    this.pending.push(this.token(state === "variable" ? "variable_begin" : "block_begin", "", null, at))
  }

  private data(text: string): void {
    if (text !== "") this.pending.push(this.token("data", text))
  }

  /** The text before a tag, trimmed according to the tag's sign and the options. */
  private cutBefore(text: string, sign: string, isBlock: boolean): string {
    if (sign === "-") {
      let end = text.length
      while (isSpaceAt(text, end - 1)) end--
      return text.slice(0, end)
    }
    if (sign === "+" || this.options.lstripBlocks !== true || !isBlock) return text
    const line = text.lastIndexOf("\n") + 1
    if (line === 0 && !this.lineStarting) return text
    for (let at = line; at < text.length; at++) if (!isSpaceAt(text, at)) return text
    return text.slice(0, line)
  }

  /** Skips white space after a tag: all of it for `-`; for a block, one line break if the options say so. */
  private cutAfter(sign: string, isBlock: boolean): void {
    const { source } = this
    const before = this.position
    if (sign === "-") while (isSpaceAt(source, this.position)) this.position++
    else if (sign !== "+" && isBlock && this.options.trimBlocks === true && source[this.position] === "\n") {
      this.position++
    }
    this.lineStarting = this.position > before && source[this.position - 1] === "\n"
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.position
    return pattern.exec(this.source) ?? undefined
  }

  private skipComment(): void {
    const start = this.position
    if (start === this.source.length) return
    const end = this.source.indexOf("#}", start)
    if (end < 0) throw this.fail("Missing end of comment tag")
    const last = end > start ? this.source.charAt(end - 1) : ""
    this.position = end + 2
    this.cutAfter(last === "-" || last === "+" ? last : "", true)
  }

  private readRaw(text: string, begin: RegExpExecArray): void {
    const [whole, sign = "", endSign] = begin
    this.data(this.cutBefore(text, sign, true))
    this.position += whole.length
    if (endSign === "-") this.cutAfter("-", true)
    this.lineStarting = this.source[this.position - 1] === "\n"
    // Jinja does not require the end tag if nothing follows.
    if (this.position === this.source.length) return
    const end = this.match(rawEnd)
    if (end === undefined) throw this.fail("Missing end of raw directive")
    const [closing, before = "", after = ""] = end
    this.data(this.cutBefore(this.source.slice(this.position, end.index), before, true))
    this.position = end.index + closing.length
    this.cutAfter(after, true)
  }

  /** Reads a line statement or comment, from its prefix. */
  private readLine(text: string, prefix: string): void {
    this.data(text)
    const { lineCommentPrefix } = this.options
    const begin = this.position
    this.position += prefix.length
    if (lineCommentPrefix === undefined || !prefix.endsWith(lineCommentPrefix)) return this.enter("line", begin)
    const end = this.source.indexOf("\n", this.position)
    this.position = end < 0 ? this.source.length : end
  }

  /** Reads a token inside a tag; undefined if there was only white space. */
  private readCode(): Token | undefined {
    const { source } = this
    if (this.brackets.length === 0) {
      const end = this.readEnd()
      if (end !== undefined) return end
    }
    const at = this.position
    while (isSpaceAt(source, this.position)) this.position++
    if (this.position > at) return undefined
    if (at >= source.length) return this.token("eof", "")
    return this.readLiteral() ?? this.readOperator()
  }

  /** Reads the end of the tag, if the position is there. */
  private readEnd(): Token | undefined {
    const { source, position: at } = this
    if (this.state === "line") {
      const end = this.match(lineEnd)
      if (end === undefined) return undefined
      this.position += end[0].length
      this.state = "text"
      this.lineStarting = true
      return this.token("block_end", "", null, at)
    }
    const isBlock = this.state === "block"
    const close = isBlock ? "%}" : "}}"
    const sign = source[at] === "-" || (isBlock && source[at] === "+") ? source.charAt(at) : ""
    if (!source.startsWith(close, at + sign.length)) return undefined
    this.position = at + sign.length + 2
    this.state = "text"
    this.cutAfter(sign, isBlock)
    return this.token(isBlock ? "block_end" : "variable_end", "", null, at)
  }

  private readLiteral(): Token | undefined {
    const at = this.position
    const number = this.source[at - 1] === "." ? undefined : this.match(floatPattern)
    if (number !== undefined) {
      this.position += number[0].length
      return this.token("float", number[0], new Float(Number(number[0].replaceAll("_", ""))), at)
    }
    const integer = this.match(integerPattern)
    if (integer !== undefined) {
      this.position += integer[0].length
      return this.token("integer", integer[0], readInteger(integer[0]), at)
    }
    const name = this.match(namePattern)
    if (name !== undefined) {
      this.position += name[0].length
      if (!/^[\p{XIDS}_]\p{XIDC}*$/u.test(name[0])) throw this.fail("Invalid character in identifier", at)
      return this.token("name", name[0], null, at)
    }
    const string = readString(this.source, at)
    if (string === undefined) return undefined
    this.position = string.end
    return this.token("string", "", string.value, at)
  }

  private readOperator(): Token {
    const at = this.position
    const operator = this.match(operatorPattern)?.[0]
    if (operator === undefined) {
      const character = String.fromCodePoint(this.source.codePointAt(at) ?? 0)
      throw this.fail(`unexpected char ${quote(character)} at ${at}`)
    }
    const closer = closers[operator]
    if (closer !== undefined) this.brackets.push(closer)
    else if (operator === ")" || operator === "]" || operator === "}") {
      const expected = this.brackets.pop()
      if (expected === undefined) throw this.fail(`unexpected '${operator}'`)
      if (expected !== operator) throw this.fail(`unexpected '${operator}', expected '${expected}'`)
    }
    this.position += operator.length
    return this.token("operator", operator, null, at)
  }
}

const rawBegin = /\{%([-+]?)\s*raw\s*(-?)%\}/y
const rawEnd = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g
const lineEnd = /\s*(?:\n|$)/my
