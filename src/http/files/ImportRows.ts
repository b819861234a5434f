/**
 * The rows of an import file, checked against the limits and packed into portions of JSON. Pure; runs in a worker.
 */
import { csvLines } from "./Csv.ts"
import { FileFault, tooLarge } from "./FileFault.ts"
import { withoutGuard } from "./Formula.ts"
import { jsonRows } from "./JsonRows.ts"
import { isDeeper, nestingMax } from "../../inventory/Unreadable.ts"
import { yamlRows } from "./YamlRows.ts"

export interface ImportTask {
  readonly bytes: ArrayBuffer
  readonly format: "csv" | "json" | "yaml"
  /** Columns that a table may have. */
  readonly columns: ReadonlyArray<string>
  /** Whether an apostrophe before a formula is removed from a cell. */
  readonly escaped: boolean
}

/** Consecutive rows. */
export interface Portion {
  /** A list of them as JSON, UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Number of the first row, from 1. */
  readonly first: number
  readonly count: number
  /** How many of them name an `id`. */
  readonly changes: number
  /** Numbers of those whose `id` is no integer. */
  readonly wrongIds: ReadonlyArray<number>
}

const rowsMax = 100_000
/** Keys of a row. */
const keysMax = 1000
/** Characters of a row as JSON or YAML, and of a cell: as many as the JSON of one object may have. */
const rowSizeMax = 1 << 20
/** Rows that are written at once. */
const portionRows = 500
/** Size at which a portion ends, characters. */
const portionSize = 1 << 17
/** Characters of a text from the file that an error repeats. */
const shownMax = 500
/** Size of all rows as JSON, which may be longer than the file, bytes. */
const totalSizeMax = 32 << 20

/** Throws a `FileFault` for a file that cannot be imported. */
export function* portionsOf(task: ImportTask): Generator<Portion> {
  const encoder = new TextEncoder()
  let texts: Array<string> = []
  let open = { first: 1, changes: 0, size: 0, wrongIds: [] as Array<number> }
  let row = 0
  let total = 0
  const close = (): Portion => {
    const bytes = encoder.encode(`[${texts.join(",")}]`)
    total += bytes.length
    if (total > totalSizeMax) throw tooLarge(`The rows up to row ${row} have more than ${totalSizeMax} bytes as JSON.`)
    const portion = { bytes, first: open.first, count: texts.length, changes: open.changes, wrongIds: open.wrongIds }
    texts = []
    open = { first: row + 1, changes: 0, size: 0, wrongIds: [] }
    return portion
  }
  for (const value of rowsOf(task)) {
    if (++row > rowsMax) throw tooLarge(`The file has more than ${rowsMax} rows.`)
    check(value, row)
    const text = JSON.stringify(value)
    texts.push(text)
    open.size += text.length
    const id = idOf(value)
    if (id !== undefined) open.changes++
    // Number() fails with an object whose toString is no function.
    if (id !== undefined && (typeof id === "object" || !Number.isSafeInteger(Number(id)))) open.wrongIds.push(row)
    if (texts.length >= portionRows || open.size >= portionSize) yield close()
  }
  if (texts.length > 0) yield close()
}

/** The `id` that a row names; undefined if it names none. */
export const idOf = (row: unknown): unknown => {
  const id: unknown = typeof row === "object" && row !== null && "id" in row ? row.id : undefined
  return id ?? undefined
}

const rowsOf = ({ bytes, format, columns, escaped }: ImportTask): Iterable<unknown> => {
  const text = textOf(bytes)
  if (format === "csv") return records(text, columns, escaped)
  return format === "json" ? jsonRows(text, refuseLong) : yamlRows(text, refuseLong)
}

const textOf = (bytes: ArrayBuffer): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new FileFault("The file is not UTF-8.")
  }
}

const refuseLong = (row: number, length: number): void => {
  if (length <= rowSizeMax) return
  throw tooLarge(`Row ${row} has ${length} characters, and a row may have at most ${rowSizeMax}.`)
}

const check = (value: unknown, row: number): void => {
  if (isDeeper(value, nestingMax)) throw new FileFault(`Row ${row} is nested more than ${nestingMax} levels deep.`)
  const keys = typeof value === "object" && value !== null ? Object.keys(value).length : 0
  if (keys > keysMax) throw tooLarge(`Row ${row} has ${keys} keys, and a row may have at most ${keysMax}.`)
}

/** The lines of a table as dictionaries of cells by column; empty cells are left out. */
function* records(text: string, columns: ReadonlyArray<string>, escaped: boolean): Generator<unknown> {
  const lines = csvLines(text, rowSizeMax)
  const begin = lines.next()
  const header = begin.done === true ? [] : begin.value.map((name) => name.trim())
  const unknown = header.filter((name) => !columns.includes(name))
  if (unknown.length > 0) throw new FileFault(`Unknown columns: ${unknown.join(", ").slice(0, shownMax)}.`)
  let row = 0
  for (const cells of lines) {
    row++
    if (cells.length !== header.length) {
      throw new FileFault(`Row ${row} has ${cells.length} cells, and the header ${header.length}.`)
    }
    yield Object.fromEntries(
      header.flatMap((name, at) => {
        const text = cells[at] ?? ""
        const cell = escaped ? withoutGuard(text) : text
        return cell.trim() === "" ? [] : [[name, cell] as const]
      })
    )
  }
}
