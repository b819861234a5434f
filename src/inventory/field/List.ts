import { type Field, type Options, invalid, makeField, typeName, value } from "../Field.ts"

/** A list of different texts, at least one. */
export const texts = (options: Options = {}): Field =>
  makeField(
    {
      type: "text[]",
      comparison: "list",
      fromText: parseArray,
      parse: (input) => {
        if (!Array.isArray(input)) return invalid(`Expected a list of items but got type "${typeName(input)}".`)
        if (input.length === 0) return invalid("This list may not be empty.")
        if (!input.every((item) => typeof item === "string")) return invalid("Not a valid string.")
        return value([...new Set(input)])
      }
    },
    options
  )

/** Postgres' text format of a one-dimensional array: `{a,"b c","d\"e"}`. */
export const parseArray = (text: string): ReadonlyArray<string> => {
  const items: Array<string> = []
  const pattern = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/g
  for (const match of text.matchAll(pattern)) {
    items.push(match[1] === undefined ? match[2]! : match[1].replaceAll(/\\(.)/g, "$1"))
  }
  return items
}
