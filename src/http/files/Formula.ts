/**
 * Cells that a spreadsheet would run as a formula, and the apostrophe that makes text of them (OWASP, *CSV Injection*).
 * Text that begins with apostrophes and then like a formula gets one more, so that reading gives back what was written.
 * Pure.
 */

/** Full-width forms count as well: some spreadsheets convert them. */
const formula = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

export const withGuard = (cell: string): string => (formula.test(cell) ? `'${cell}` : cell)

/** What was written with `withGuard`; other texts stay as they are. */
export const withoutGuard = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
