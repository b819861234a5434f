/** How large the program of a pattern in RE2's syntax will be, estimated from its text before it is compiled. Pure. */

/**
 * Cost of compiling a Unicode class, instructions: its table has hundreds of ranges, but for decimal digits. Folding its
 * case doubles it.
 */
const unicodeClassEffort = 30
/** So many ranges of a class cost as much as an instruction. */
const rangesPerInstruction = 4

/** In a pattern that ignores case each character of a range is folded. This many cost as much as an instruction. */
const foldedPerInstruction = 40

/** The last character with another case. */
const foldMax = 0x1e943

/**
 * An upper bound of the program's instructions plus the cost of its classes. Takes one pass over the text, which may be
 * an invalid pattern, and multiplies nested repetitions.
 */
export const programEffort = (text: string): number => {
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
      extra += escape.classEffort * (ignoresCase ? 2 : 1)
      open.at(-1)!.sum += escape.chars - 1
      add(1)
    } else if (char === "[") {
      const found = classAt(text, from)
      at = found.end
      const folds = ignoresCase && text.slice(from - 5, from) !== "(?-i:"
      extra += found.classEffort * (folds ? 2 : 1)
      extra += Math.floor(found.ranges / rangesPerInstruction)
      extra += folds ? Math.ceil(found.rangeChars / foldedPerInstruction) : 0
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
  readonly classEffort: number
  readonly codePoint: number | undefined
}

const escapeAt = (text: string, at: number): Escape => {
  const [quoted] = stickyMatch(/\\Q[^]*?(?:\\E|$)/y, text, at) ?? []
  if (quoted !== undefined) {
    return { end: at + quoted.length, chars: quoted.length, classEffort: 0, codePoint: undefined }
  }
  const [whole, braced, hex, plain] = stickyMatch(/\\(?:[pPx]\{([^}]*)\}|x([\da-fA-F]{2})|([^])|$)/y, text, at)!
  const classEffort = /^\\[pP](?!\{Nd\})/.test(whole) ? unicodeClassEffort : 0
  const digits = hex ?? (whole.startsWith("\\x") ? braced : undefined)
  const codePoint = digits !== undefined ? Number.parseInt(digits, 16) : plain?.codePointAt(0)
  return { end: at + whole.length, chars: 1, classEffort, codePoint }
}

/** A class in brackets: its end, its Unicode classes, and the characters in its ranges that may have a case. */
const classAt = (text: string, from: number) => {
  let at = from + (text[from + 1] === "^" ? 2 : 1)
  let classEffort = 0
  let rangeChars = 0
  let ranges = 0
  const start = at
  while (at < text.length && (text[at] !== "]" || at === start)) {
    const [posix] = stickyMatch(/\[:[^]*?:\]/y, text, at) ?? []
    if (posix !== undefined) {
      at += posix.length
      continue
    }
    const low = characterAt(text, at)
    at = low.end
    classEffort += low.classEffort
    if (text[at] !== "-" || at + 1 >= text.length || text[at + 1] === "]") continue
    const high = characterAt(text, at + 1)
    at = high.end
    classEffort += high.classEffort
    ranges += 1
    rangeChars += Math.max(0, Math.min(high.codePoint ?? foldMax, foldMax) - (low.codePoint ?? 0))
  }
  return { end: at + 1, classEffort, ranges, rangeChars }
}

const characterAt = (text: string, at: number): Escape => {
  // `\Q` has no meaning in a class.
  if (text[at] === "\\" && text[at + 1] !== "Q") return escapeAt(text, at)
  const codePoint = text.codePointAt(at)!
  return { end: at + (codePoint > 0xffff ? 2 : 1), chars: 1, classEffort: 0, codePoint }
}
