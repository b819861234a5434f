/**
 * Files of the device type library: YAML documents of one device type or module type each, with its components as lists.
 * Every value is read with its line. Pure; runs in a worker.
 */
import { isMap, isScalar, isSeq } from "yaml"
import { isDictionary } from "../../../inventory/Field.ts"
import type { Kind } from "../Columns.ts"
import { FileFault, tooLarge } from "../FileFault.ts"
import { documentsIn, faultIn, lineOf, readDocument } from "../YamlRows.ts"

/** A document with the lines of its keys; of a key whose value is a list, also those of its items. */
export interface LibraryRow {
  readonly line: number
  readonly lines: Readonly<Record<string, ReadonlyArray<number>>>
  readonly values: Readonly<Record<string, unknown>>
}

/** Most characters of a document: the largest of the library has a fifth of it. */
const documentCharsMax = 262_144

/** Yields the documents of a file, or of several files one after the other. Throws a `FileFault`. */
export function* libraryRows(text: string, kinds: Kind): Generator<LibraryRow> {
  let line = 1
  let count = 0
  for (const part of documentsIn(text)) {
    if (part.length > documentCharsMax) {
      throw tooLarge(
        `Line ${line}: the document has ${part.length} characters, and one may have at most ${documentCharsMax}.`,
        line
      )
    }
    const row = rowOf(part, kinds, line)
    if (row !== undefined) {
      count++
      yield row
    }
    line = lineOf(part, 0, part.length, line)
  }
  if (count === 0) throw new FileFault("Expected documents of a device type or module type each.")
}

const rowOf = (text: string, kinds: Kind, first: number): LibraryRow | undefined => {
  const { document, value } = readDocument(text, kinds, first)
  if (value === null) return undefined
  const { contents } = document
  if (!isDictionary(value) || !isMap(contents))
    throw faultIn(first, "expected an object of a device type or module type.")
  const counted = lineCounter(text, first)
  const lines = contents.items.map(({ key, value }) => {
    const own = isScalar(key) ? counted(key.range?.[0] ?? 0) : first
    const items = isSeq(value) ? value.items.map((each) => counted(startOf(each))) : []
    return [isScalar(key) ? String(key.value) : String(key), [own, ...items]] as const
  })
  return { line: lines[0]?.[1][0] ?? first, lines: Object.fromEntries(lines), values: value }
}

const startOf = (node: unknown): number => (isMap(node) || isScalar(node) || isSeq(node) ? (node.range?.[0] ?? 0) : 0)

/** The line of each place, for places in their order: the text is read once. */
const lineCounter = (text: string, first: number) => {
  let [from, line] = [0, first]
  return (at: number): number => {
    if (at < from) [from, line] = [0, first]
    line = lineOf(text, from, at, line)
    from = Math.max(from, at)
    return line
  }
}
