/**
 * The items of a JSON list, parsed one by one, so that a long list needs no more memory than its longest item, and an
 * error names the item. Pure.
 */
import { FileFault, messageOf } from "./FileFault.ts"
import { nestingMax } from "../../inventory/Unreadable.ts"

/** Throws a `FileFault`. `refuseLong` throws if an item has too many characters, before the item is parsed. */
export function* jsonRows(text: string, refuseLong: (row: number, length: number) => void): Generator<unknown> {
  const begin = /^[\uFEFF\s]*\[/.exec(text.slice(0, leadMax))
  if (begin === null) throw new FileFault("Expected a list of objects.")
  let row = 1
  for (const [from, to] of itemsOf(text, begin[0].length)) {
    refuseLong(row, to - from)
    yield parseItem(text.slice(from, to), row)
    row++
  }
}

/** White space before the list, characters. */
const leadMax = 1000

const parseItem = (text: string, row: number): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FileFault(`The file cannot be read: row ${row}: ${messageOf(error)}`)
  }
}

/** Where each item of the list begins and ends. Brackets are counted here and matched by `JSON.parse`. */
function* itemsOf(text: string, begin: number): Generator<readonly [from: number, to: number]> {
  const mark = /["[\]{},]/g
  mark.lastIndex = begin
  let from = begin
  let row = 1
  let depth = 0
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [character] = found
    if (character === '"') mark.lastIndex = endOfText(text, found.index)
    else if (character === "[" || character === "{") {
      if (++depth > nestingMax) throw new FileFault(`Row ${row} is nested more than ${nestingMax} levels deep.`)
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

/** The position after the quote that ends a text; the end of everything if there is none. */
const endOfText = (text: string, from: number): number => {
  const mark = /["\\]/g
  mark.lastIndex = from + 1
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === '"') return mark.lastIndex
    mark.lastIndex++
  }
  return text.length
}
