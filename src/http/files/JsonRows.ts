/**
 * Parses a JSON list item by item, so that a long list takes no more memory than its longest item, and an error names
 * the item. Pure.
 */
import { endOfString, isNestedDeeper } from "../../postgres/JsonNesting.ts"
import { parseExactly } from "../../postgres/ExactJson.ts"
import { FileFault, messageOf } from "./FileFault.ts"
import { writtenNestingMax } from "../../inventory/Unreadable.ts"

/** Yields the items of a list, or a single object. Throws a `FileFault`; `refuseLong` throws before a too long item is parsed. */
export function* jsonRows(text: string, refuseLong: (row: number, length: number) => void): Generator<unknown> {
  const begin = /^[\uFEFF\s]*[[{]/.exec(text.slice(0, leadCharsMax))
  if (begin === null) throw new FileFault("Expected a list of objects, or an object.")
  if (begin[0].endsWith("{")) return yield oneObject(text.slice(begin[0].length - 1), refuseLong)
  let row = 1
  for (const [from, to] of itemsOf(text, begin[0].length)) {
    refuseLong(row, to - from)
    yield parseItem(text.slice(from, to), row)
    row++
  }
}

const oneObject = (text: string, refuseLong: (row: number, length: number) => void): unknown => {
  refuseLong(1, text.length)
  if (isNestedDeeper(text, writtenNestingMax))
    throw new FileFault(`Row 1 is nested more than ${writtenNestingMax} levels deep.`)
  return parseItem(text, 1)
}

/** Most white space before the list. */
const leadCharsMax = 1000

const parseItem = (text: string, row: number): unknown => {
  try {
    return parseExactly(text)
  } catch (error) {
    throw new FileFault(`The file cannot be read: row ${row}: ${messageOf(error)}`)
  }
}

/** Yields where each item begins and ends. Only counts brackets; `JSON.parse` checks that they match. */
function* itemsOf(text: string, begin: number): Generator<readonly [from: number, to: number]> {
  const mark = /["[\]{},]/g
  mark.lastIndex = begin
  let from = begin
  let row = 1
  let depth = 0
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [character] = found
    if (character === '"') mark.lastIndex = endOfString(text, found.index) + 1
    else if (character === "[" || character === "{") {
      if (++depth > writtenNestingMax)
        throw new FileFault(`Row ${row} is nested more than ${writtenNestingMax} levels deep.`)
    } else if (character === "," && depth === 0) {
      yield [from, found.index]
      from = found.index + 1
      row++
    } else if (character !== "," && --depth < 0) {
      if (character === "}" || text.slice(found.index + 1).trim() !== "") {
        throw new FileFault(`The file cannot be read: unexpected text after row ${row}.`)
      }
      if (row > 1 || text.slice(from, found.index).trim() !== "") yield [from, found.index]
      return
    }
  }
  throw new FileFault(`The file cannot be read: the list does not end after row ${row}.`)
}
