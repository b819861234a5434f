/**
 * Regular expressions in filters and constraints, checked before Postgres compiles them. Pure.
 *
 * The time of a match grows with the text and with the size of the automaton. Counted repetitions multiply that size,
 * and a back reference makes Postgres backtrack. So counts are bounded and back references are refused. Only Postgres
 * checks the rest of the syntax.
 */

/** Most characters of a pattern. */
export const patternLengthMax = 500

/** Most characters of a pattern with each counted repetition written out: `(ab{3}){2}` has 8. */
const patternSizeMax = 1_000

/** Options in front of a pattern, other than those that make it another language (`b`, `q`) or hide parts of it (`x`). */
const options = /^\(\?[ceimnpstw]+\)/

/** Why a pattern is refused; undefined if it is not. */
export const patternProblem = (pattern: string): string | undefined => {
  if (pattern.length > patternLengthMax) return `A pattern has at most ${patternLengthMax} characters.`
  const body = pattern.replace(options, "")
  if (body.startsWith("***") || /^\(\?[a-z]+\)/.test(body)) {
    return "A pattern cannot change its language: use plain syntax."
  }
  const size = sizeOf(body)
  if (size === undefined) return "A pattern cannot have back references."
  return size > patternSizeMax
    ? `The counted repetitions of a pattern expand to at most ${patternSizeMax} characters, not ${size}.`
    : undefined
}

/** A quantifier that repeats the atom before it a counted number of times. */
const counted = /\{(\d+)(?:,(\d*))?\}/y

/** Characters of the expanded pattern; undefined if it has a back reference. */
const sizeOf = (pattern: string): number | undefined => {
  /** Size of each group that is open, the whole pattern first. */
  const sizes = [0]
  /** Size of the atom before, which a repetition multiplies. */
  let atom = 0
  const add = (size: number) => {
    atom = size
    sizes.push(sizes.pop()! + size)
  }
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!
    if (character === "\\") {
      if (/[1-9]/.test(pattern[at + 1] ?? "")) return undefined
      at += 1
      add(1)
    } else if (character === "(") {
      sizes.push(0)
    } else if (character === ")" && sizes.length > 1) {
      add(sizes.pop()!)
    } else if (character === "[") {
      at = endOfBracket(pattern, at)
      add(1)
    } else if (character === "{") {
      counted.lastIndex = at
      const found = counted.exec(pattern)
      const times = Math.max(1, Number(found?.[1] ?? 1), Number(found?.[2] ?? 1))
      at += (found?.[0].length ?? 1) - 1
      add(atom * (times - 1))
      atom *= times
    } else if (!/[*+?|^$]/.test(character)) add(1)
  }
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Where a bracket expression ends that begins here: `[]a]`, `[^]a]`, `[[:alpha:]]`. */
const endOfBracket = (pattern: string, start: number): number => {
  let at = start + 1
  if (pattern[at] === "^") at += 1
  // A bracket in the first place is literal.
  if (pattern[at] === "]") at += 1
  while (at < pattern.length && pattern[at] !== "]") {
    const kind = pattern[at] === "[" ? (pattern[at + 1] ?? "") : ""
    if (kind !== "" && ":.=".includes(kind)) {
      const close = pattern.indexOf(`${kind}]`, at + 2)
      at = close < 0 ? pattern.length : close + 2
    } else at += pattern[at] === "\\" ? 2 : 1
  }
  return at
}
