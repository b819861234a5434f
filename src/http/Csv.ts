/** Comma-separated values as RFC 4180 has them: quotes double within quotes, lines end with CRLF or LF. Pure. */

export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(quoted).join(",")}\r\n`

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** The lines of a text, each with its cells; or what is wrong with it. Lines of nothing are passed over. */
export const parseCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> | string => {
  const lines: Array<ReadonlyArray<string>> = []
  let cells: Array<string> = []
  const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y
  let at = text.startsWith("\uFEFF") ? 1 : 0
  while (at < text.length) {
    cell.lastIndex = at
    const match = cell.exec(text)!
    at = cell.lastIndex
    cells.push(match[1] === undefined ? match[2]! : match[1].replaceAll('""', '"'))
    const end = /\r?\n|\r|,|$/y
    end.lastIndex = at
    const ended = end.exec(text)
    if (ended === null) return `Line ${lines.length + 1}: a quote is in the wrong place.`
    at = end.lastIndex
    if (ended[0] === ",") {
      if (at === text.length) cells.push("")
      else continue
    }
    if (cells.length > 1 || cells[0] !== "") lines.push(cells)
    cells = []
  }
  return lines
}
