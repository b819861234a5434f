import { type Field, type Options, invalid, isStorable, makeField, notList, textsIn, value } from "../Field.ts"
import { bounds } from "../Unreadable.ts"
import { integer } from "./Scalar.ts"

/** A list of different texts, at least one unless optional. */
export const texts = (options: Options = {}): Field<ReadonlyArray<string>> =>
  makeField(
    {
      type: "text[]",
      constraint: bounds.texts,
      sparesOldRows: true,
      initial: options.optional === true ? () => [] : undefined,
      sqlDefault: options.optional === true ? "'{}'" : undefined,
      fromText: parseArray,
      parse: (input) => {
        if (!Array.isArray(input)) return invalid(notList(input))
        if (input.length === 0 && options.optional !== true) return invalid("This list may not be empty.")
        if (!input.every((item) => typeof item === "string" && isStorable(item))) return invalid("Not a valid string.")
        return value([...new Set(input)])
      }
    },
    options
  )

interface IntegersOptions extends Options {
  readonly min: number
  readonly max: number
}

/** A list of different whole numbers, in their order. */
export const integers = (options: IntegersOptions): Field<ReadonlyArray<number>> =>
  makeField(
    {
      type: "integer[]",
      constraint: bounds.texts,
      sparesOldRows: true,
      initial: options.optional === true ? () => [] : undefined,
      sqlDefault: options.optional === true ? "'{}'" : undefined,
      fromText: (text) => parseArray(text).map(Number),
      parse: (input) => {
        if (!Array.isArray(input)) return invalid(notList(input))
        if (input.length === 0 && options.optional !== true) return invalid("This list may not be empty.")
        const item = integer(options)
        const parsed = input.map((each) => item.parse(each))
        const errors = parsed.flatMap((each, at) =>
          "errors" in each ? [[`${at}`, textsIn(each.errors)] as const] : []
        )
        if (errors.length > 0) return { errors: Object.fromEntries(errors) }
        const numbers = parsed.map((each) => ("value" in each ? Number(each.value) : 0))
        return value([...new Set(numbers)].sort((a, b) => a - b))
      }
    },
    options
  )

/** Postgres' text format of a one-dimensional array: `{a,"b c","d\"e"}`. */
export const parseArray = (text: string): ReadonlyArray<string> => {
  const items: Array<string> = []
  const pattern = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/g
  for (const match of text.matchAll(pattern)) {
    items.push(match[1]?.replaceAll(/\\(.)/g, "$1") ?? match[2] ?? "")
  }
  return items
}
