/** `textwrap.wrap`, with the options of the filter wordwrap. */
import { valueFault } from "../runtime/Fault.ts"
import type { Runtime } from "../value/Value.ts"
import { characterChars, headOf, isBlank, lengthOf } from "./Text.ts"

const space = "[\\t\\n\\v\\f\\r ]"
const letter = "\\p{L}"
const punctuated = "[\\p{L}\\p{N}_!\"'&.,?]"
const word = "[\\p{L}\\p{N}_]"

/** Splits between words, after the hyphens of compounds and around dashes. */
const wordsAndHyphens = new RegExp(
  `(${space}+|(?<=${punctuated})-{2,}(?=${word})|[^\\t\\n\\v\\f\\r ]+?(?:-(?:(?<=${letter}{2}-)|(?<=${letter}-${letter}-))(?=${letter}-?${letter})|(?=${space}|$)|(?<=${punctuated})(?=-{2,}${word})))`,
  "u"
)

const wordsOnly = new RegExp(`(${space}+)`)

interface Wrapping {
  readonly width: number
  readonly breakLongWords: boolean
  readonly breakOnHyphens: boolean
}

/** The lines of one paragraph. */
export const wrap = (runtime: Runtime, text: string, wrapping: Wrapping): Array<string> => {
  if (wrapping.width <= 0) throw valueFault(`invalid width ${wrapping.width} (must be > 0)`)
  runtime.alloc(text.length * characterChars)
  const chunks = text.split(wrapping.breakOnHyphens ? wordsAndHyphens : wordsOnly).filter((chunk) => chunk !== "")
  chunks.reverse()
  const lines: Array<string> = []
  while (chunks.length > 0) {
    runtime.tick(1)
    const line = takeLine(runtime, chunks, wrapping, lines.length > 0)
    if (line !== "") lines.push(line)
  }
  return lines
}

/** Takes the chunks that fit on one line from the end of `chunks`, which are in reverse order. */
const takeLine = (runtime: Runtime, chunks: Array<string>, wrapping: Wrapping, follows: boolean): string => {
  const line: Array<string> = []
  let length = 0
  if (follows && isBlank(chunks.at(-1)!)) chunks.pop()
  while (chunks.length > 0) {
    const size = lengthOf(chunks.at(-1)!)
    if (length + size > wrapping.width) break
    runtime.tick(1)
    line.push(chunks.pop()!)
    length += size
  }
  if (chunks.length > 0 && lengthOf(chunks.at(-1)!) > wrapping.width) breakWord(runtime, chunks, line, length, wrapping)
  if (line.length > 0 && isBlank(line.at(-1)!)) line.pop()
  return line.join("")
}

/** Handles a word that is longer than a line: its head fills the line, or it gets a line of its own. */
const breakWord = (
  runtime: Runtime,
  chunks: Array<string>,
  line: Array<string>,
  length: number,
  { width, breakLongWords, breakOnHyphens }: Wrapping
): void => {
  if (!breakLongWords) {
    if (line.length === 0) line.push(chunks.pop()!)
    return
  }
  const chunk = chunks.pop()!
  runtime.charge(chunk)
  const room = width - length
  const head = headOf(chunk, room)
  const hyphen = breakOnHyphens ? head.lastIndexOf("-") : -1
  const end = hyphen > 0 && /[^-]/.test(head.slice(0, hyphen)) ? hyphen + 1 : head.length
  line.push(chunk.slice(0, end))
  chunks.push(chunk.slice(end))
}
