/**
 * Parses a YAML list some items at a time: the parser needs about a hundred times the memory of its text, and a second
 * per megabyte. The list is cut at the lines that begin an item with `- `. Pure.
 */
import { type Scalar, type YAMLMap, isMap, isScalar, isSeq, parseDocument, visit } from "yaml"
import { ExactNumber, parseExactly } from "../../postgres/ExactJson.ts"
import type { Kind } from "./Columns.ts"
import { FileFault, messageOf, tooLarge } from "./FileFault.ts"

/** A number as JSON writes it. */
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** Characters that are parsed at once; a longer item is parsed alone. */
const portionChars = 16_384

/** Most characters of a list that cannot be cut. */
const wholeCharsMax = 262_144

/** A line before the list: empty, a comment, or the mark of a document's begin. */
const lead = /(?:---)?[^\S\n]*(?:#[^\n]*)?\n/y

/** The rest of a line that begins an item. */
const item = /^( *)-(?:[ \t\r\n]|$)/

/**
 * Yields the items, their values read by the kinds of their keys. Throws a `FileFault`; `refuseLong` throws before a too
 * long item is parsed.
 */
export function* yamlRows(
  text: string,
  kinds: Kind,
  refuseLong: (row: number, length: number) => void
): Generator<unknown> {
  const begin = beginOfList(text)
  const indent = item.exec(text.slice(begin, begin + indentMax))?.[1]?.length
  if (indent === undefined) return yield* wholeList(text, kinds)
  const starts = new RegExp(`^ {${indent}}-(?=[ \\t\\r\\n]|$)`, "gm")
  starts.lastIndex = begin + indent + 1
  let row = 1
  let line = lineOf(text, 0, begin, 1)
  let [from, itemFrom] = [begin, begin]
  do {
    const to = starts.exec(text)?.index ?? text.length
    refuseLong(row, to - itemFrom)
    itemFrom = to
    row++
    if (to - from < portionChars && to < text.length) continue
    yield* parseList(text.slice(from, to), kinds, line)
    line = lineOf(text, from, to, line)
    from = to
  } while (from < text.length)
}

const beginOfList = (text: string): number => {
  let begin = text.startsWith("\uFEFF") ? 1 : 0
  do lead.lastIndex = begin
  while (lead.test(text) && (begin = lead.lastIndex) > 0)
  return begin
}

/** Most spaces before the first item. */
const indentMax = 100

function* wholeList(text: string, kinds: Kind) {
  if (text.length > wholeCharsMax) {
    const advice = `A YAML file of more than ${wholeCharsMax} characters must be a list of which each item begins with "- ".`
    throw tooLarge(advice)
  }
  yield* parseList(text, kinds, 1)
}

/** The number of the line that `to` is in, if `from` is in line `line`. */
const lineOf = (text: string, from: number, to: number, line: number): number => {
  let count = line
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++
  return count
}

const parseList = (text: string, kinds: Kind, line: number): ReadonlyArray<unknown> => {
  const refuse = (message: string, at = 0) =>
    new FileFault(`The file cannot be read: line ${lineOf(text, 0, at, line)}: ${message}`)
  try {
    // The parser's own check of unique keys takes quadratic time.
    const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: "error" })
    const [error] = document.errors
    if (error !== undefined) throw refuse(error.message, error.pos[0])
    keepTexts(document.contents, kinds)
    visit(document, {
      Map: (_, map) => {
        const twice = repeatedKey(map)
        if (twice !== undefined) throw refuse("a key stands twice in one object.", twice)
      },
      // JSON cannot express these and would turn them into null.
      Scalar: (_, scalar) => {
        const { value, range, source } = scalar
        if (typeof value !== "number") return
        const exact = decimal.test(source ?? "") ? parseExactly(source!) : value
        if (exact instanceof ExactNumber) scalar.value = exact
        else if (!Number.isFinite(value)) throw refuse(`${value} is no number.`, range?.[0])
      }
    })
    const list: unknown = document.toJS({ maxAliasCount: 0 })
    if (!Array.isArray(list)) throw new FileFault("Expected a list of objects.")
    return list
  } catch (error) {
    throw error instanceof FileFault ? error : refuse(messageOf(error))
  }
}

/**
 * Reads plain scalars as they are written where a text is expected, and all keys, which are texts in JSON: YAML alone
 * would read `0123` and `1.10` as numbers. Null stays null.
 */
const keepTexts = (node: unknown, kind: Kind): void => {
  if (isScalar(node) && (kind === "text" || (kind === "reference" && !isId(node)))) keepText(node)
  if (isSeq(node)) for (const item of node.items) keepTexts(item, kind)
  if (!isMap(node)) return
  for (const { key, value } of node.items) {
    if (isScalar(key)) keepText(key)
    const name = isScalar(key) ? String(key.value) : ""
    if (typeof kind === "string") keepTexts(value, kind)
    else keepTexts(value, Object.hasOwn(kind, name) ? kind[name]! : "value")
  }
}

const isId = ({ source = "" }: Scalar): boolean => /^(?:0|[1-9]\d*)$/.test(source)

const keepText = (scalar: Scalar): void => {
  const isPlain = scalar.type === "PLAIN" && scalar.tag === undefined && scalar.value !== null
  if (isPlain) scalar.value = scalar.source
}

/** The place of a key that the dictionary has twice; undefined if there is none. */
const repeatedKey = (map: YAMLMap): number | undefined => {
  const seen = new Set<string>()
  for (const { key } of map.items) {
    const name = isScalar(key) ? String(key.value) : String(key)
    if (seen.has(name)) return isScalar(key) ? key.range?.[0] : 0
    seen.add(name)
  }
  return undefined
}
