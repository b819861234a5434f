/**
 * Regular expressions of users, compiled and matched in bounded time on the event loop.
 *
 * RE2 matches in linear time, but a short pattern can be a long program: `(\w{9}){99}`. So its size is estimated
 * from the text before the compilation. A match costs at most program size x text length.
 */
import { RE2JS } from "re2js"

/** Longest pattern, characters. */
const lengthMax = 1000

/**
 * Most work to compile the patterns of one object, instructions of 5 to 10 microseconds each. It allows `^.{0,1000}$`:
 * 1000 is the highest repetition of RE2.
 */
export const effortMax = 2100

/** Most work to match one value, instructions x characters of at most 20 to 30 nanoseconds each. */
export const matchMax = 2_000_000

/** Most compiled patterns in the cache, and most instructions of all of them together. */
const kept = { patterns: 500, instructions: 20_000 }

/** A pattern is invalid or too large; the message says why. */
export class PatternError extends Error {}

export interface Pattern {
  /** Size of the program, instructions. */
  readonly size: number
  /** Whether the text begins with a match. */
  readonly startsIn: (text: string) => boolean
  /** Whether a match is anywhere in the text. */
  readonly isIn: (text: string) => boolean
}

interface Kept {
  readonly pattern: Pattern | PatternError
  readonly instructions: number
}

const compiled = new Map<string, Kept>()
let instructions = 0

/** Compiles a pattern or takes it from the cache. Throws a PatternError if it is too large or invalid in RE2. */
export const patternOf = (text: string): Pattern => {
  const known = compiled.get(text) ?? compile(text)
  // The cache evicts the least recently used pattern first.
  if (!compiled.delete(text)) instructions += known.instructions
  compiled.set(text, known)
  for (const [oldest, { instructions: size }] of compiled) {
    if (compiled.size <= kept.patterns && instructions <= kept.instructions) break
    compiled.delete(oldest)
    instructions -= size
  }
  if (known.pattern instanceof PatternError) throw known.pattern
  return known.pattern
}

const compile = (text: string): Kept => {
  try {
    const problem = tooLarge(text)
    if (problem !== undefined) throw new PatternError(problem)
    const program = RE2JS.compile(text)
    const size = program.programSize()
    const pattern: Pattern = {
      size,
      startsIn: (text) => program.matcher(text).lookingAt(),
      isIn: (text) => program.matcher(text).find()
    }
    return { pattern, instructions: size }
  } catch (error) {
    const pattern = error instanceof PatternError ? error : new PatternError((error as Error).message)
    return { pattern, instructions: 1 }
  }
}

const tooLarge = (text: string): string | undefined => {
  if (text.length > lengthMax) return `a pattern has at most ${lengthMax} characters`
  return effortOf(text) > effortMax ? "its repetitions and classes make it too large" : undefined
}

/** Cost of compiling a Unicode class, instructions: its table has hundreds of ranges. */
const unicodeClassEffort = 60

/** In a pattern that ignores case each character of a range is folded. This many cost as much as an instruction. */
const foldedPerInstruction = 40

/** The last character with another case. */
const foldMax = 0x1e943

/**
 * An upper bound of the program's instructions plus the cost of its classes. Takes one pass over the text, which may be
 * an invalid pattern, and multiplies nested repetitions.
 */
export const effortOf = (text: string): number => {
  // Such a pattern is refused for its length and never compiled.
  if (text.length > lengthMax) return 0
  // The open groups, each with its instructions so far.
  const open: Array<{ sum: number; readonly capture: boolean }> = [{ sum: 3, capture: false }]
  let last = 0
  let extra = 0
  let ignoresCase = false
  const add = (size: number) => {
    last = size
    open.at(-1)!.sum += size
  }
  const grow = (to: number) => {
    open.at(-1)!.sum += to - last
    last = to
  }
  for (let at = 0; at < text.length;) {
    const char = text[at]!
    const from = at
    at += 1
    if (char === "\\") {
      const escape = escapeAt(text, from)
      at = escape.end
      extra += escape.isUnicodeClass ? unicodeClassEffort : 0
      open.at(-1)!.sum += escape.chars - 1
      add(1)
    } else if (char === "[") {
      const found = classAt(text, from)
      at = found.end
      extra += found.unicodeClasses * unicodeClassEffort
      extra += ignoresCase ? Math.ceil(found.rangeChars / foldedPerInstruction) : 0
      add(1)
    } else if (char === "(") {
      const flags = groupStart(text, at)
      at += flags?.length ?? 0
      ignoresCase ||= flags?.includes("i") === true && !flags.includes("<")
      if (flags?.endsWith(")") !== true) open.push({ sum: 1, capture: flags === undefined || flags.includes("<") })
    } else if (char === ")") {
      const { sum, capture } = open.length > 1 ? open.pop()! : { sum: 0, capture: false }
      add(sum + (capture ? 2 : 0))
    } else if (char === "|") {
      add(2)
      last = 0
    } else if (char === "*" || char === "+" || char === "?") grow(last + 2)
    else {
      const repeat = char === "{" ? repeatAt(text, from) : undefined
      if (repeat === undefined) add(1)
      else {
        at = repeat.end
        const copies = Math.max(repeat.max ?? repeat.min, 1)
        grow(last * copies + (repeat.max ?? repeat.min) - repeat.min + 2)
      }
    }
  }
  // With unclosed groups the pattern is invalid, but they count nevertheless.
  return open.reduce((sum, group) => sum + group.sum, extra)
}

/** `?P<name>`, `?i:`, `?i)` and the like after a parenthesis. */
const groupStart = (text: string, at: number): string | undefined => stickyMatch(/\?[^:)>]*[:)>]/y, text, at)?.[0]

const stickyMatch = (pattern: RegExp, text: string, at: number): RegExpExecArray | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

const repeatAt = (text: string, at: number) => {
  const found = stickyMatch(/\{(\d+)(,(\d*))?\}/y, text, at)
  if (found === undefined) return undefined
  const [whole, min, , max] = found
  return { end: at + whole.length, min: Number(min), max: max === undefined || max === "" ? undefined : Number(max) }
}

interface Escape {
  readonly end: number
  /** Number of characters that it matches. */
  readonly chars: number
  readonly isUnicodeClass: boolean
  readonly codePoint: number | undefined
}

const escapeAt = (text: string, at: number): Escape => {
  const [quoted] = stickyMatch(/\\Q[^]*?(?:\\E|$)/y, text, at) ?? []
  if (quoted !== undefined) {
    return { end: at + quoted.length, chars: quoted.length, isUnicodeClass: false, codePoint: undefined }
  }
  const [whole, braced, hex, plain] = stickyMatch(/\\(?:[pPx]\{([^}]*)\}|x([\da-fA-F]{2})|([^])|$)/y, text, at)!
  const isUnicodeClass = /^\\[pP]/.test(whole)
  const digits = hex ?? (whole.startsWith("\\x") ? braced : undefined)
  const codePoint = digits !== undefined ? Number.parseInt(digits, 16) : plain?.codePointAt(0)
  return { end: at + whole.length, chars: 1, isUnicodeClass, codePoint }
}

/** A class in brackets: its end, its Unicode classes, and the characters in its ranges that may have a case. */
const classAt = (text: string, from: number) => {
  let at = from + (text[from + 1] === "^" ? 2 : 1)
  let unicodeClasses = 0
  let rangeChars = 0
  const start = at
  while (at < text.length && (text[at] !== "]" || at === start)) {
    const [posix] = stickyMatch(/\[:[^]*?:\]/y, text, at) ?? []
    if (posix !== undefined) {
      at += posix.length
      continue
    }
    const low = characterAt(text, at)
    at = low.end
    unicodeClasses += low.isUnicodeClass ? 1 : 0
    if (text[at] !== "-" || at + 1 >= text.length || text[at + 1] === "]") continue
    const high = characterAt(text, at + 1)
    at = high.end
    unicodeClasses += high.isUnicodeClass ? 1 : 0
    rangeChars += Math.max(0, Math.min(high.codePoint ?? foldMax, foldMax) - (low.codePoint ?? 0))
  }
  return { end: at + 1, unicodeClasses, rangeChars }
}

const characterAt = (text: string, at: number): Escape => {
  // `\Q` has no meaning in a class.
  if (text[at] === "\\" && text[at + 1] !== "Q") return escapeAt(text, at)
  const codePoint = text.codePointAt(at)!
  return { end: at + (codePoint > 0xffff ? 2 : 1), chars: 1, isUnicodeClass: false, codePoint }
}
