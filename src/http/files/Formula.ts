/**
 * Escapes cells that a spreadsheet would run as a formula, with an apostrophe before them (OWASP, *CSV Injection*).
 * Text that begins with apostrophes and then like a formula gets one more, so that reading returns the written text.
 * Pure.
 */

/** Full-width forms count too: some spreadsheets convert them. */
const formula = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

export const withGuard = (cell: string): string => (formula.test(cell) ? `'${cell}` : cell)

/** Undoes `withGuard`; returns other texts as they are. */
export const withoutGuard = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
