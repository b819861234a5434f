/**
 * Regular expressions of Python in the syntax of RE2. Pure.
 *
 * Syntax that both read alike stays as it is. Python's `\w`, `\d`, `\s` and `\b` know Unicode, unless the flag `a` is set;
 * `\Z`, `\uXXXX`, `\N{name}`, `{,n}`, comments and the flag `x` are spelled otherwise in RE2 or not there.
 *
 * RE2's `\b` knows ASCII only. So a pattern with `\b` has a second form, for texts with other characters: the text gets
 * marks where words begin and end (`withMarks`), `\b` becomes a mark, and every other character may have
 * marks before it.
 */
import { codePointOf } from "./CharacterNames.ts"
import { PatternError } from "./PatternError.ts"
import { boundary, complement, inside, marks, noBoundary } from "./WordMarks.ts"

/** How a pattern is translated. */
interface Form {
  /** For texts with marks. */
  readonly isMarked: boolean
  /** Whether the text ends where it is cut off: before a final line break, where `$` matches and `\Z` does not. */
  readonly isCut: boolean
}

interface Scope {
  readonly ascii: boolean
  readonly verbose: boolean
  readonly ignoresCase: boolean
  readonly dotAll: boolean
}

/** Matches nothing. */
const never = String.raw`[^\x00-\x{10FFFF}]`

const sticky = (pattern: RegExp, text: string, at: number): RegExpExecArray | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

const hex = (codePoint: number): string => `\\x{${codePoint.toString(16)}}`

/**
 * Whether a pattern has a `\b` or `\B` that knows Unicode, or a `\Z`, so that it needs more than one form. The flag `a`
 * counts for the `\b` of a whole pattern only. Escaped backslashes come in pairs.
 */
export const hasBoundary = (text: string): boolean =>
  /(?<!\\)(?:\\\\)*\\[bB]/.test(text) && !/^\(\?[a-z]*a[a-z]*\)/.test(text)
export const hasEnd = (text: string): boolean => /(?<!\\)(?:\\\\)*\\Z/.test(text)

/** Longest translation, characters: a class such as `[\W]` becomes 14,000. */
const translationMax = 150_000

/** The pattern in RE2's syntax. Throws a PatternError for what Python refuses and RE2 would read otherwise. */
export const translated = (text: string, form: Form): string => {
  let scope: Scope = { ascii: false, verbose: false, ignoresCase: false, dotAll: false }
  const open: Array<Scope> = []
  let result = ""
  /** A part that matches one character. */
  const one = (part: string) => (form.isMarked ? `(?:${marks}*${part})` : part)
  for (let at = 0; at < text.length;) {
    const char = text[at]!
    if (char === "\\") {
      const { end, part, kind } = escaped(text, at, scope, form)
      result += kind === "one" ? one(part) : part
      at = end
    } else if (char === "[") {
      const { end, part } = characterClass(text, at, scope, form)
      result += one(part)
      if (result.length > translationMax) throw new PatternError("its repetitions and classes make it too large")
      at = end
    } else if (char === "(") {
      const group = groupAt(text, at, scope)
      if (group.opens) open.push(scope)
      scope = group.scope
      result += group.part
      at = group.end
    } else if (char === ")") {
      scope = open.pop() ?? scope
      result += char
      at += 1
    } else if (char === "{" || "*+?".includes(char)) {
      const repeat = char === "{" ? sticky(/\{(\d*)(,?)(\d*)\}/y, text, at) : undefined
      const isRepeat = repeat !== undefined && /\d/.test(repeat[0])
      const part = isRepeat ? repeat[0].replace("{,", "{0,") : char
      result += char === "{" && !isRepeat ? one(String.raw`\{`) : part
      at += isRepeat ? repeat[0].length : 1
    } else if (scope.verbose && /[\s#]/.test(char)) {
      at += char === "#" ? sticky(/#[^\n]*\n?/y, text, at)![0].length : 1
    } else if (char === ".") {
      result += form.isMarked ? one(scope.dotAll ? `[^${inside}]` : `[^\\n${inside}]`) : char
      at += 1
    } else if (char === "$") {
      result += form.isMarked ? `(?:${marks}*$)` : char
      at += 1
    } else if (char === "^" || char === "|") {
      result += char
      at += 1
    } else {
      const whole = String.fromCodePoint(text.codePointAt(at)!)
      result += one(whole)
      at += whole.length
    }
  }
  return result
}

/** A parenthesis with what follows it: flags, a name, a comment. */
const groupAt = (text: string, at: number, scope: Scope) => {
  const comment = sticky(/\(\?#[^)]*\)/y, text, at)
  if (comment !== undefined) return { end: at + comment[0].length, part: "", scope, opens: false }
  const flags = sticky(/\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/y, text, at)
  if (flags === undefined) {
    const named = sticky(/\(\?P?<\w+>/y, text, at)
    const part = named?.[0] ?? "("
    return { end: at + part.length, part, scope, opens: true }
  }
  const [whole, on = "", off = "", last] = flags
  const unknown = /[^aimsuxU]/.exec(on + off)?.[0]
  if (unknown !== undefined) throw new PatternError(`unknown flag ${unknown}`)
  const set = (flag: string, before: boolean) => (on.includes(flag) ? true : off.includes(flag) ? false : before)
  const inner: Scope = {
    ascii: on.includes("u") ? false : set("a", scope.ascii),
    verbose: set("x", scope.verbose),
    ignoresCase: set("i", scope.ignoresCase),
    dotAll: set("s", scope.dotAll)
  }
  const [kept, dropped] = [on, off].map((each) => each.replaceAll(/[aux]/g, ""))
  const told = `${kept}${dropped === "" ? "" : `-${dropped}`}`
  const part = last === ":" ? `(?${told}:` : told === "" ? "" : `(?${told})`
  return { end: at + whole.length, part, scope: inner, opens: last === ":" }
}

interface EscapeSequence {
  readonly end: number
  readonly part: string
  /** `one` matches one character. */
  readonly kind: "one" | "other"
}

const escaped = (text: string, at: number, scope: Scope, { isMarked, isCut }: Form): EscapeSequence => {
  const next = text[at + 1] ?? ""
  const made = (part: string, kind: EscapeSequence["kind"] = "other"): EscapeSequence => ({ end: at + 2, part, kind })
  if (next === "b" || next === "B") {
    if (!isMarked) return made(`\\${next}`)
    return made(next === "b" ? boundary : noBoundary)
  }
  if (next === "Z") return made(isCut ? never : isMarked ? `(?:${marks}*\\z)` : String.raw`\z`)
  if (next === "z" && isMarked) return made(`(?:${marks}*\\z)`)
  if (next === "A" || next === "z" || next === "C") return made(`\\${next}`)
  const quoted = sticky(/\\Q([^]*?)(?:\\E|$)/y, text, at)
  if (quoted !== undefined) {
    const end = at + quoted[0].length
    const chars = Array.from(quoted[1]!, (char) => (isMarked ? `(?:${marks}*${hex(char.codePointAt(0)!)})` : ""))
    return { end, part: isMarked ? chars.join("") : quoted[0], kind: "other" }
  }
  const shorthand = shorthands(scope.ascii)[next]
  if (shorthand !== undefined) {
    const outside = next < "a" ? "^" : ""
    return made(`[${outside}${shorthand}${outside === "^" && isMarked ? inside : ""}]`, "one")
  }
  const { end, part } = characterEscape(text, at)
  return { end, part, kind: "one" }
}

/** The class in brackets for each letter; for an upper case letter, the characters that it leaves out. */
const shorthands = (ascii: boolean): Readonly<Record<string, string>> => {
  const [word, digit, space] = ascii
    ? ["0-9A-Za-z_", "0-9", String.raw` \t\n\r\f\v`]
    : [String.raw`\p{L}\p{N}_`, String.raw`\p{Nd}`, spaces]
  return { w: word, W: word, d: digit, D: digit, s: space, S: space }
}

/** White space as Python's `str.isspace` knows it. */
const spaces = String.raw` \t\n\r\f\v\x1c-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`

/** One character that is written with a backslash, as RE2 writes it. */
const characterEscape = (text: string, at: number): { readonly end: number; readonly part: string } => {
  const name = sticky(/\\N\{([^}]*)\}/y, text, at)
  if (name !== undefined) {
    const found = codePointOf(name[1]!)
    if (found === undefined) throw new PatternError(`unknown character name ${name[1]!}: write it as \\uXXXX`)
    return { end: at + name[0].length, part: hex(found) }
  }
  const code = sticky(/\\u([\da-fA-F]{4})|\\U([\da-fA-F]{8})/y, text, at)
  if (code !== undefined) {
    return { end: at + code[0].length, part: hex(Number.parseInt(code[1] ?? code[2]!, 16)) }
  }
  const [other] = sticky(/\\(?:[pP]\{[^}]*\}|[pP][a-zA-Z]|x\{[^}]*\}|x[\da-fA-F]{2}|[0-7]{1,3}|[^]|$)/uy, text, at)!
  // RE2 knows no escaped letters, spaces or others beyond ASCII.
  const isPlain = /^\\[^\w!-~]$/u.test(other)
  return { end: at + other.length, part: isPlain ? hex(other.codePointAt(1)!) : other }
}

/** A class in brackets. */
const characterClass = (text: string, at: number, scope: Scope, { isMarked }: Form) => {
  const isNegated = text[at + 1] === "^"
  const start = at + (isNegated ? 2 : 1)
  let end = start
  let body = ""
  let letters = false
  while (body.length <= translationMax && end < text.length && (text[end] !== "]" || end === start)) {
    const posix = sticky(/\[:\^?\w+:\]/y, text, end)
    const found = posix === undefined ? classItem(text, end, scope) : { end: end + posix[0].length, part: posix[0] }
    body += found.part
    letters ||= /^(?:[^\\[]|\\x|\\[0-7])/u.test(found.part) && !/^[\d_-]/.test(found.part)
    end = found.end
  }
  const marked = isMarked && isNegated ? inside : ""
  const part = `[${isNegated ? "^" : ""}${body}${marked}${end < text.length ? "]" : ""}`
  // Folding the case of a whole script costs, and shorthands hold both cases anyway.
  return { end: end + 1, part: scope.ignoresCase && !letters ? `(?-i:${part})` : part }
}

const classItem = (text: string, at: number, scope: Scope): { readonly end: number; readonly part: string } => {
  if (text[at] !== "\\") {
    const whole = String.fromCodePoint(text.codePointAt(at)!)
    return { end: at + whole.length, part: whole }
  }
  const next = text[at + 1] ?? ""
  const shorthand = shorthands(scope.ascii)[next]
  if (shorthand !== undefined) return { end: at + 2, part: next < "a" ? complement(next, scope.ascii) : shorthand }
  if (next === "b") return { end: at + 2, part: String.raw`\x08` }
  return characterEscape(text, at)
}
