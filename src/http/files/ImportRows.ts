/**
 * Reads the rows of an import file, checks the limits, and packs rows into portions of JSON. Pure; runs in a worker.
 */
import type { Kind } from "./Columns.ts"
import { csvLines } from "./Csv.ts"
import { FileFault, tooLarge } from "./FileFault.ts"
import { withoutGuard } from "./Formula.ts"
import { headerOf } from "./Header.ts"
import type { Format } from "./ImportFormat.ts"
import { jsonRows } from "./JsonRows.ts"
import { idIn } from "../../inventory/Field.ts"
import { isDeeper, writtenNestingMax } from "../../inventory/Unreadable.ts"
import { libraryRows } from "./library/LibraryRows.ts"
import { beginsWithList, yamlRows } from "./YamlRows.ts"

export interface Table {
  /** Columns that a table may have, and how YAML's values in them are read. */
  readonly columns: Readonly<Record<string, Kind>>
  /** Whether cells are escaped: then an apostrophe before a formula is removed. */
  readonly escaped: boolean
  /** For a type whose YAML documents are files of the device type library: the kinds of their keys. */
  readonly library?: Kind | undefined
}

/** Whether the file is read as files of the device type library. */
export const isLibrary = (text: string, format: Format, { library }: Table): boolean =>
  library !== undefined && format === "yaml" && !beginsWithList(text)

/** Some consecutive rows. */
export interface Portion {
  /** The rows as a JSON list in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Number of the first row, from 1. */
  readonly first: number
  readonly count: number
  /** How many rows have an `id`. */
  readonly changes: number
  /** Numbers of the rows whose `id` is no integer. */
  readonly wrongIds: ReadonlyArray<number>
  /** Numbers of the rows whose `id` an earlier row has. */
  readonly repeatedIds: ReadonlyArray<number>
}

const rowsMax = 100_000
/** Most keys of a row. */
const keysMax = 1000
/** Most characters of a row as JSON or YAML, and of a cell: as many as a request for one object may have. */
const rowCharsMax = 1 << 20
/** Most rows of a portion. */
const portionRows = 500
/** A portion ends when it has this many characters. */
const portionChars = 1 << 17
/** Largest size of all rows as JSON, which may be larger than the file. */
const totalBytesMax = 32 << 20

/** Yields the rows in portions. Throws a `FileFault` if the file cannot be imported. */
export function* portionsOf(text: string, format: Format, table: Table): Generator<Portion> {
  const encoder = new TextEncoder()
  let texts: Array<string> = []
  let open = emptyPortion(1)
  const seen = new Set<number>()
  let row = 0
  let total = 0
  const close = (): Portion => {
    const bytes = encoder.encode(`[${texts.join(",")}]`)
    total += bytes.length
    if (total > totalBytesMax)
      throw tooLarge(`The rows up to row ${row} have more than ${totalBytesMax} bytes as JSON.`)
    const { size: _, ...rest } = open
    const portion = { bytes, count: texts.length, ...rest }
    texts = []
    open = emptyPortion(row + 1)
    return portion
  }
  for (const value of rowsOf(text, format, table)) {
    if (++row > rowsMax) throw tooLarge(`The file has more than ${rowsMax} rows.`)
    check(value, row)
    const text = JSON.stringify(value)
    texts.push(text)
    open.size += text.length
    const id = idOf(value)
    if (id !== undefined) {
      const number = idIn(id)
      open.changes++
      if (number === undefined) open.wrongIds.push(row)
      else if (seen.has(number)) open.repeatedIds.push(row)
      else seen.add(number)
    }
    if (texts.length >= portionRows || open.size >= portionChars) yield close()
  }
  if (texts.length > 0) yield close()
}

const emptyPortion = (first: number) => ({
  first,
  changes: 0,
  size: 0,
  wrongIds: [] as Array<number>,
  repeatedIds: [] as Array<number>
})

/** The `id` of a row; undefined if it has none. White space around the text of a cell does not count. */
export const idOf = (row: unknown): unknown => {
  const id: unknown = typeof row === "object" && row !== null && "id" in row ? row.id : undefined
  return typeof id === "string" ? id.trim() : (id ?? undefined)
}

const rowsOf = (text: string, format: Format, table: Table): Iterable<unknown> => {
  if (format === "csv") return records(text, table)
  if (isLibrary(text, format, table)) return libraryRows(text, table.library!)
  return format === "json" ? jsonRows(text, refuseLong) : yamlRows(text, table.columns, refuseLong)
}

const refuseLong = (row: number, length: number): void => {
  if (length <= rowCharsMax) return
  throw tooLarge(`Row ${row} has ${length} characters, and a row may have at most ${rowCharsMax}.`)
}

const check = (value: unknown, row: number): void => {
  if (isDeeper(value, writtenNestingMax))
    throw new FileFault(`Row ${row} is nested more than ${writtenNestingMax} levels deep.`)
  const keys = typeof value === "object" && value !== null ? Object.keys(value).length : 0
  if (keys > keysMax) throw tooLarge(`Row ${row} has ${keys} keys, and a row may have at most ${keysMax}.`)
}

/** Yields each line of a table as a dictionary of cells by column, without empty cells. */
function* records(text: string, table: Table): Generator<unknown> {
  const { separator, columns, cells: width } = headerOf(text, table.columns, rowCharsMax)
  const lines = csvLines(text, rowCharsMax, separator)
  lines.next()
  let row = 0
  for (const cells of lines) {
    row++
    if (cells.length !== width) throw new FileFault(`Row ${row} has ${cells.length} cells, and the header ${width}.`)
    if (width > columns.length && cells.at(-1)!.trim() !== "") {
      throw new FileFault(`Row ${row} has a cell without a column at its end.`)
    }
    yield Object.fromEntries(
      columns.flatMap((name, at) => {
        const text = cells[at] ?? ""
        const cell = table.escaped ? withoutGuard(text) : text
        return cell.trim() === "" ? [] : [[name, cell] as const]
      })
    )
  }
}
