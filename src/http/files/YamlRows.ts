/**
 * Parses a YAML list some items at a time: the parser needs about a hundred times the memory of its text, and a second
 * per megabyte. The list is cut at the lines that begin an item with `- `. Pure.
 */
import { type Document, type Scalar, type YAMLMap, isMap, isScalar, isSeq, parseDocument, visit } from "yaml"
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
 * Yields the objects of all documents: the items of a list, or the one object of a document. Their values are read by
 * the kinds of their keys. Throws a `FileFault`; `refuseLong` throws before a too long item is parsed.
 */
export function* yamlRows(
  text: string,
  kinds: Kind,
  refuseLong: (row: number, length: number) => void
): Generator<unknown> {
  let [row, line, isEmpty] = [0, 1, true]
  for (const document of documentsIn(text)) {
    const before = row
    const values = documentRows(document, {
      kinds,
      line,
      refuseLong: (nth, length) => refuseLong(before + nth, length)
    })
    let value = values.next()
    for (; value.done !== true; value = values.next()) {
      row++
      yield value.value
    }
    isEmpty &&= value.value === "empty"
    line = lineOf(document, 0, document.length, line)
  }
  if (isEmpty) throw new FileFault("Expected a list of objects, or an object.")
}

/** A line of a document before its `---`: empty, a comment or a directive. */
const prologue = /[^\S\n]*(?:[#%][^\n]*)?\n/y

/** The documents of a file, which begin with `---`. */
export function* documentsIn(text: string): Generator<string> {
  let from = 0
  for (const { index } of text.matchAll(/^---(?=[ \t\r\n]|$)/gm)) {
    let begin = text.startsWith("\uFEFF", from) ? from + 1 : from
    do prologue.lastIndex = begin
    while (prologue.test(text) && (begin = prologue.lastIndex) < index)
    if (begin >= index) continue
    yield text.slice(from, index)
    from = index
  }
  yield text.slice(from)
}

interface Reading {
  readonly kinds: Kind
  /** The number of the first line. */
  readonly line: number
  readonly refuseLong: (row: number, length: number) => void
}

function* documentRows(
  text: string,
  { kinds, refuseLong, line: first }: Reading
): Generator<unknown, "empty" | "list"> {
  const begin = beginOfList(text)
  const indent = item.exec(text.slice(begin, begin + indentMax))?.[1]?.length
  if (indent === undefined) return yield* wholeDocument(text, kinds, first)
  const starts = new RegExp(`^ {${indent}}-(?=[ \\t\\r\\n]|$)`, "gm")
  starts.lastIndex = begin + indent + 1
  let row = 1
  let line = lineOf(text, 0, begin, first)
  let [from, itemFrom] = [begin, begin]
  do {
    const to = starts.exec(text)?.index ?? text.length
    refuseLong(row, to - itemFrom)
    itemFrom = to
    row++
    if (to - from < portionChars && to < text.length) continue
    yield* parseList(text.slice(from, to), kinds, line) ?? []
    line = lineOf(text, from, to, line)
    from = to
  } while (from < text.length)
  return "list"
}

/** Whether the file is a list of rows, and not documents of one object each. Its first line decides. */
export const beginsWithList = (text: string): boolean => {
  const begin = beginOfList(text)
  return text[begin] === "[" || item.test(text.slice(begin, begin + indentMax))
}

const beginOfList = (text: string): number => {
  let begin = text.startsWith("\uFEFF") ? 1 : 0
  do lead.lastIndex = begin
  while (lead.test(text) && (begin = lead.lastIndex) > 0)
  return begin
}

/** Most characters of an alias that a fault names. */
const aliasCharsMax = 50

/** Most spaces before the first item. */
const indentMax = 100

function* wholeDocument(text: string, kinds: Kind, line: number): Generator<unknown, "empty" | "list"> {
  if (text.length > wholeCharsMax) {
    const advice = `A YAML document of more than ${wholeCharsMax} characters must be a list of which each item begins with "- ".`
    throw tooLarge(advice)
  }
  const rows = parseList(text, kinds, line)
  yield* rows ?? []
  return rows === undefined ? "empty" : "list"
}

/** The number of the line that `to` is in, if `from` is in line `line`. */
export const lineOf = (text: string, from: number, to: number, line: number): number => {
  let count = line
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** The items of a list, or a single object; undefined if there is nothing. */
const parseList = (text: string, kinds: Kind, line: number): ReadonlyArray<unknown> | undefined => {
  const { value } = readDocument(text, kinds, line)
  if (value === null) return undefined
  return Array.isArray(value) ? value : [value]
}

/** The fault of a file in a line of it. */
export const faultIn = (line: number, message: string): FileFault =>
  new FileFault(`The file cannot be read: line ${line}: ${message}`, { line })

interface ReadDocument {
  readonly document: Document.Parsed
  /** An object, a list, or null for a document without content. */
  readonly value: object | null
}

/** Parses a document of which `line` is the first line. Throws a `FileFault`. */
export const readDocument = (text: string, kinds: Kind, line: number): ReadDocument => {
  const refuse = (message: string, at = 0) => faultIn(lineOf(text, 0, at, line), message)
  try {
    // The parser's own check of unique keys takes quadratic time.
    const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: "error" })
    const [error] = document.errors
    if (error !== undefined) throw refuse(error.message, error.pos[0])
    keepTexts(document.contents, kinds)
    visit(document, {
      Map: (_, map) => {
        const twice = repeatedKey(map)
        if (twice !== undefined) throw refuse("a key occurs twice in one object.", twice)
      },
      // An alias of aliases would be copied as often as all of them together are named.
      Alias: (_, { range, source }) => {
        throw refuse(`aliases are not read: *${source.slice(0, aliasCharsMax)}.`, range?.[0])
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
    const value: unknown = document.toJS({ maxAliasCount: 0 })
    if (typeof value !== "object") throw refuse("expected a list of objects, or an object.")
    return { document, value }
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
