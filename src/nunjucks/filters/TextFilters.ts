/** Filters on texts. */
import { typeFault } from "../../jinja/runtime/Fault.ts"
import { Pattern } from "../runtime/Pattern.ts"
import { type Run, type Native, LongNumber, SafeText, type Value } from "../value/Values.ts"
import { add, numberOf, text } from "../value/Operators.ts"
import { given, lengthOf, likeInput, orEmpty, textOf } from "./Inputs.ts"

const capitalized = (word: string): string => {
  const lower = word.toLowerCase()
  return lower.charAt(0).toUpperCase() + lower.slice(1)
}

/** A filter that changes a text, and leaves it as safe as it was. */
const changing =
  (change: (text: string) => string): Native =>
  (run, input) => {
    const value = orEmpty(input)
    return likeInput(run, value, change(textOf(run, value)))
  }

/** The same, for the filters of which safe text comes out as text. */
const inCase =
  (change: (text: string) => string): Native =>
  (run, input) => {
    const changed = change(textOf(run, orEmpty(input)))
    run.alloc(changed.length)
    return changed
  }

const center: Native = (run, input, wanted) => {
  const value = orEmpty(input)
  const width = given(run, wanted, 80)
  if (lengthOf(run, value) >= width) return value
  const source = text(run, value)
  const spaces = width - lengthOf(run, value) || 0
  run.alloc(spaces + 1)
  const repeat = (count: number) => " ".repeat(Math.max(0, Math.ceil(count)))
  return likeInput(run, value, repeat(spaces / 2 - (spaces % 2)) + source + repeat(spaces / 2))
}

const indent: Native = (run, input, wanted, first) => {
  const value = orEmpty(input)
  if (value === "") return ""
  const width = Math.max(0, Math.ceil(given(run, wanted, 4)) || 0)
  const lines = textOf(run, value).split("\n")
  run.alloc(lines.length * width)
  const blanks = " ".repeat(width)
  return likeInput(run, value, lines.map((line, at) => (at === 0 && !first ? line : blanks + line)).join("\n"))
}

const replace: Native = (run, input, old, by, most) => {
  if (old instanceof Pattern) return old.replaced(run, textOf(run, input), text(run, by))
  if (typeof old !== "number" && typeof old !== "string") return input
  const value = typeof input === "number" || input instanceof LongNumber ? text(run, input) : input
  if (typeof value !== "string" && !(value instanceof SafeText)) return value
  const source = textOf(run, value)
  const wanted = `${old}`
  const replacement = text(run, by)
  if (wanted === "") {
    run.alloc((source.length + 1) * replacement.length)
    return likeInput(run, value, replacement + source.split("").join(replacement) + replacement)
  }
  const count = most === undefined ? -1 : numberOf(run, most)
  return replaced(run, value, source, wanted, replacement, count)
}

const replaced = (run: Run, input: Value, source: string, wanted: string, by: string, most: number): Value => {
  let next = source.indexOf(wanted)
  if (most === 0 || next < 0) return input
  let result = ""
  let from = 0
  for (let left = most === -1 ? Infinity : most; next >= 0 && left > 0; left--) {
    run.alloc(next - from + by.length)
    run.tick(1)
    result += source.slice(from, next) + by
    from = next + wanted.length
    next = source.indexOf(wanted, from)
  }
  return likeInput(run, input, result + source.slice(from))
}

const truncate: Native = (run, input, wanted, killWords, end) => {
  const value = orEmpty(input)
  const length = given(run, wanted, 255)
  if (lengthOf(run, value) <= length) return value
  const source = textOf(run, value)
  const space = killWords ? length : source.lastIndexOf(" ", length)
  const head = source.substring(0, space === -1 ? length : space)
  const whole = text(run, add(run, head, end ?? "..."))
  return likeInput(run, input, whole)
}

/** The number of words, or null if there is none. */
const wordcount: Native = (run, input) => {
  if (!input) return null
  let count = 0
  for (const _ of textOf(run, input).matchAll(/\w+/g)) {
    run.tick(1)
    count++
  }
  return count === 0 ? null : count
}

const toText: Native = (run, input) => {
  if (input === undefined || input === null) throw typeFault(`${String(input)} has no text`)
  return likeInput(run, input, text(run, input))
}

export const textFilters: ReadonlyArray<readonly [string, Native]> = [
  ["capitalize", changing(capitalized)],
  ["center", center],
  ["indent", indent],
  ["lower", inCase((source) => source.toLowerCase())],
  ["replace", replace],
  ["string", toText],
  ["title", changing((source) => source.split(" ").map(capitalized).join(" "))],
  ["trim", (run, input) => likeInput(run, input, textOf(run, input).trim())],
  ["truncate", truncate],
  ["upper", inCase((source) => source.toUpperCase())],
  ["wordcount", wordcount]
]
