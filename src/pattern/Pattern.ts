/**
 * Regular expressions of users, in Python's syntax, compiled and matched in bounded time on the event loop.
 *
 * RE2 matches in linear time, but a short pattern can be a long program: `(\w{9}){99}`. So its size is estimated
 * from the text before the compilation. A match costs at most program size x text length.
 */
import { RE2JS } from "re2js"
import { programEffort } from "./Effort.ts"
import { PatternError } from "./PatternError.ts"
import { hasBoundary, hasEnd, translated } from "./Python.ts"
import { hasMarks, marksPerChar, withMarks, withoutMarks } from "./WordMarks.ts"

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

export interface Pattern {
  /** Size of the program, instructions. */
  readonly size: number
  /** Upper bound of the work to match a text, instructions x characters. */
  readonly costOf: (text: string) => number
  /** Whether the text begins with a match. */
  readonly startsIn: (text: string) => boolean
  /** Whether a match is anywhere in the text. */
  readonly isIn: (text: string) => boolean
  /**
   * The text with every match replaced, from left to right; `$` is its end. Throws a PatternError if this takes more
   * than one text may take, or more than the budget, instructions x characters, has left.
   */
  readonly replaced: (text: string, by: (group: Group) => string, budget: { left: number }) => string
}

/** The text of a group of a match, by number or name; "" if the group did not match. Throws if there is no such group. */
type Group = (name: string) => string

interface CachedPattern {
  readonly pattern: Pattern | PatternError
  readonly instructions: number
}

const compiled = new Map<string, CachedPattern>()
let instructions = 0

/** Compiles a pattern or takes it from the cache. Throws a PatternError if it is too large or invalid. */
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

/** The forms that a pattern needs: of its own, for texts beyond ASCII, and for texts without their last line break. */
const formsOf = (text: string) =>
  [false, ...(hasBoundary(text) ? [true] : [])].flatMap((isMarked) =>
    [false, ...(hasEnd(text) ? [true] : [])].map((isCut) => translated(text, { isMarked, isCut }))
  )

/** An upper bound of the instructions of the pattern's programs plus the cost of their classes. */
export const effortOf = (text: string): number => {
  // Such a pattern is refused for its length and never compiled.
  if (text.length > lengthMax) return 0
  try {
    return formsOf(text).reduce((sum, form) => sum + programEffort(form), 0)
  } catch (error) {
    if (error instanceof PatternError) return 0
    throw error
  }
}

const compile = (text: string): CachedPattern => {
  try {
    if (text.length > lengthMax) throw new PatternError(`a pattern has at most ${lengthMax} characters`)
    const forms = formsOf(text)
    if (effortOf(text) > effortMax) throw new PatternError("its repetitions and classes make it too large")
    const programs = forms.map((form) => RE2JS.compile(form))
    const size = programs.reduce((sum, program) => sum + program.programSize(), 0)
    return { pattern: patternFrom(programs, hasBoundary(text), hasEnd(text)), instructions: size }
  } catch (error) {
    const pattern = error instanceof PatternError ? error : new PatternError((error as Error).message)
    return { pattern, instructions: 1 }
  }
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** `programs` are those of `formsOf`, in its order. */
const patternFrom = (programs: ReadonlyArray<RE2JS>, marked: boolean, ended: boolean): Pattern => {
  const formAt = (isMarked: boolean, isCut: boolean) =>
    programs[(isMarked ? (ended ? 2 : 1) : 0) + (isCut && ended ? 1 : 0)]!
  const matches = (text: string, found: (program: RE2JS, text: string) => boolean): boolean => {
    const isMarked = marked && !isAscii(text)
    const shown = (part: string) => (isMarked ? withMarks(part) : part)
    if (found(formAt(isMarked, false), shown(text))) return true
    // As in Python, `$` also matches before a final line break.
    return text.endsWith("\n") && found(formAt(isMarked, true), shown(text.slice(0, -1)))
  }
  const size = formAt(false, false).programSize()
  // Measured: a step of the larger program over marks takes up to twice as long.
  const sizeMarked = marked ? formAt(true, false).programSize() * marksPerChar * 2 : size
  return {
    size,
    costOf: (text) => (text.length + 1) * (marked && !isAscii(text) ? sizeMarked : size),
    startsIn: (text) => matches(text, (program, part) => program.matcher(part).lookingAt()),
    isIn: (text) => matches(text, (program, part) => program.matcher(part).find()),
    replaced: (text, by, budget) => {
      const isMarked = marked && !isAscii(text)
      if (isMarked && hasMarks(text)) return text
      const step = isMarked ? sizeMarked / marksPerChar : size
      return replacing(formAt(isMarked, false), isMarked, text, by, (chars) => {
        budget.left -= chars * step
        if (budget.left < 0) throw new PatternError("it takes too long to replace")
      })
    }
  }
}

/** `spend` is called before each search with the number of characters that are left to search. */
const replacing = (
  program: RE2JS,
  isMarked: boolean,
  text: string,
  by: (group: Group) => string,
  spend: (chars: number) => void
): string => {
  const shown = isMarked ? withMarks(text) : text
  const plain = (part: string): string => (isMarked ? withoutMarks(part) : part)
  const matcher = program.matcher(shown)
  const group: Group = (name) => {
    try {
      return plain(matcher.group(/^\d+$/.test(name) ? Number(name) : name) ?? "")
    } catch {
      throw new PatternError(`the pattern has no group ${name}`)
    }
  }
  let result = ""
  let from = 0
  let wasEmpty = false
  for (;;) {
    spend(shown.length - from + 1)
    if (!matcher.find()) return result + plain(shown.slice(from))
    const between = plain(shown.slice(from, matcher.start()))
    const isEmpty = group("0") === ""
    // Several marks are at the place of one empty match.
    if (!(isMarked && isEmpty && wasEmpty && between === "")) result += between + by(group)
    wasEmpty = isEmpty
    from = matcher.end()
  }
}
