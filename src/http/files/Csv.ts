/**
 * Tables by RFC 4180: quotes are doubled within quotes, lines end with CRLF or LF. Cells are separated by commas, or as
 * other tools write them by semicolons, tabs or vertical bars. Pure.
 */
import { FileFault, tooLarge } from "./FileFault.ts"

export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(quoted).join(",")}\r\n`

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** Characters that may separate cells. */
export const separators = [",", ";", "\t", "|"] as const
export type Separator = (typeof separators)[number]

/** Most cells in a line. */
const cellsMax = 1000

/** The place of a cell's text, and the first character after the cell. */
interface Cell {
  readonly from: number
  readonly to: number
  readonly end: number
}

/**
 * Yields the cells of each line; skips empty lines. Throws a `FileFault` that names the line, and the cell if it has
 * more than `cellCharsMax` characters, doubled quotes included.
 */
export function* csvLines(
  text: string,
  cellCharsMax = Infinity,
  separator: Separator = ","
): Generator<ReadonlyArray<string>> {
  const border = new RegExp(`["${separator}\\r\\n]`, "g")
  let line = 1
  let cells: Array<string> = []
  let at = text.startsWith("\uFEFF") ? 1 : 0
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, border)
    const next = cell === undefined ? undefined : text[cell.end]
    if (cell === undefined || next === '"' || !isBorder(next, separator)) {
      throw new FileFault(`Line ${line}: a quote is in the wrong place.`)
    }
    const { from, to, end } = cell
    if (to - from > cellCharsMax) {
      const count = `${to - from} characters, and a cell may have at most ${cellCharsMax}`
      throw tooLarge(`Line ${line}, cell ${cells.length + 1} has ${count}.`)
    }
    const content = text.slice(from, to)
    cells.push(from === at ? content : content.replaceAll('""', '"'))
    if (cells.length > cellsMax) throw new FileFault(`Line ${line} has more than ${cellsMax} cells.`)
    at = end + 1
    if (next === separator && at < text.length) continue
    if (next === separator) cells.push("")
    if (next === "\r" && text[at] === "\n") at++
    if (cells.length > 1 || cells[0] !== "") {
      yield cells
      line++
    }
    cells = []
  }
}

const isBorder = (character: string | undefined, separator: Separator): boolean =>
  character === undefined || character === separator || character === "\n" || character === "\r"

const plainCell = (text: string, from: number, border: RegExp): Cell => {
  border.lastIndex = from
  const end = border.exec(text)?.index ?? text.length
  return { from, to: end, end }
}

/** Returns undefined if the quote is not closed. */
const quotedCell = (text: string, from: number): Cell | undefined => {
  let end = text.indexOf('"', from + 1)
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  return end < 0 ? undefined : { from: from + 1, to: end, end: end + 1 }
}
