/** The report of a move: numbers by object type, and each row or value that is not stored as NetBox had it. */

import type { Selection } from "./source/Selection.ts"

/** One row or value, as a line of the file beside the report. */
export type Finding =
  | {
      readonly kind: "refused"
      readonly table: string
      readonly id: number
      readonly reason: string
      readonly row?: unknown
    }
  | {
      readonly kind: "changed"
      readonly table: string
      readonly id: number
      readonly field: string
      readonly from: unknown
      readonly to: unknown
    }
  | { readonly kind: "renumbered"; readonly table: string; readonly id: number; readonly here: number }
  | { readonly kind: "conflict"; readonly table: string; readonly id: number; readonly reason: string }
  | { readonly kind: "homeless"; readonly table: string; readonly id: number | null; readonly values: unknown }

export interface TypeReport {
  readonly type: string
  readonly table: string
  rows: number
  created: number
  updated: number
  deleted: number
  /** Rows that are as the last run left them, or whose objects here count. */
  unchanged: number
  /** Objects that were changed on both sides, which stay as they are. */
  conflicts: number
  refused: number
  changed: number
  homeless: number
}

/** The report of a type before any row. */
export const emptyReport = ({ type, table }: Pick<Selection, "type" | "table">): TypeReport => ({
  ...{ type: type.id, table, rows: 0, created: 0, updated: 0, deleted: 0, unchanged: 0 },
  ...{ conflicts: 0, refused: 0, changed: 0, homeless: 0 }
})

export interface MoveReport {
  readonly release: string
  readonly isDryRun: boolean
  readonly types: ReadonlyArray<TypeReport>
  /** Tables without an object type here that have rows. */
  readonly tables: ReadonlyArray<{ readonly table: string; readonly rows: number }>
  /** Tables that the role may not read. */
  readonly unreadable: ReadonlyArray<string>
  /** The first findings of each kind and table, a line each, whose values are cut. */
  readonly examples: ReadonlyArray<string>
  /** Changes of the change log that are older than it keeps, in days; absent where the source has none that can be read. */
  readonly history?: { readonly older: number; readonly days: number }
  readonly millis: number
}

/** Names of columns whose values are credentials: their values are in no file and no report. */
export const secret = /password|secret|psk|token|private|extra_data|(?:^|_)key$/

/** The values without credentials. */
export const withoutCredentials = (values: unknown): unknown => {
  if (Array.isArray(values) || typeof values !== "object" || values === null) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, secret.test(name) && value !== null ? "***" : value])
  )
}

/** Most characters of a value in a report. */
const shownMax = 120

const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

/** A finding as a line. */
export const exampleOf = (finding: Finding): string => {
  const where = `  ${finding.table} ${finding.id ?? ""}`
  if (finding.kind === "refused" || finding.kind === "conflict") return `${where}: ${shown(finding.reason)}`
  if (finding.kind === "changed") return `${where}: ${finding.field} ${shown(finding.from)} -> ${shown(finding.to)}`
  if (finding.kind === "renumbered") return `${where}: the id here is ${finding.here}`
  return `${where}: ${shown(finding.values)}`
}

const columns = [
  ["rows", ({ rows }) => rows],
  ["created", ({ created }) => created],
  ["updated", ({ updated }) => updated],
  ["deleted", ({ deleted }) => deleted],
  ["conflicts", ({ conflicts }) => conflicts],
  ["refused", ({ refused }) => refused],
  ["changed", ({ changed }) => changed],
  ["no home", ({ homeless }) => homeless]
] as const satisfies ReadonlyArray<readonly [string, (type: TypeReport) => number]>

/** Columns of numbers that say something in a first run too. */
const always: ReadonlySet<string> = new Set(["rows", "created", "refused", "changed", "no home"])

const sum = (types: ReadonlyArray<TypeReport>, of: (type: TypeReport) => number): number =>
  types.reduce((total, type) => total + of(type), 0)

/** A table as lines: the first column to the left, numbers to the right. */
export const tableLines = (table: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = table[0]!.map((_, at) => Math.max(...table.map((row) => row[at]!.length)))
  return table.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("  ")
  )
}

/** The numbers of a report: a head, a row for each object type that the run has written, and the sums. */
export const moveTable = ({ types }: MoveReport): ReadonlyArray<ReadonlyArray<string>> => {
  // A type that is as the last run left it is not shown.
  const some = types.filter(({ rows, unchanged, deleted }) => rows > unchanged || deleted > 0)
  const shown = columns.filter(([name, of]) => always.has(name) || sum(types, of) > 0)
  return [
    ["object type", ...shown.map(([name]) => name)],
    ...some.map((type) => [type.type, ...shown.map(([, of]) => `${of(type)}`)]),
    ["sum", ...shown.map(([, of]) => `${sum(types, of)}`)]
  ]
}

/** The findings of the report, and tables that have no home here. */
export const moveNotes = ({ tables, unreadable, examples, history }: MoveReport): ReadonlyArray<string> => [
  ...(examples.length > 0 ? ["Not stored as NetBox has it, the first of each type:", ...examples] : []),
  ...(tables.length > 0 ? ["", "Tables without an object type here:"] : []),
  ...tables.map(({ table, rows }) => `  ${table}: ${rows} rows`),
  ...(history !== undefined && history.older > 0
    ? [
        "",
        `${history.older} changes are older than the ${history.days} days of CHANGELOG_RETENTION, and stay in NetBox.`
      ]
    : []),
  ...(unreadable.length > 0 ? ["", `Could not be read: ${unreadable.join(", ")}`] : [])
]

/** The objects that a run has created, updated or deleted. */
export const writtenBy = ({ types }: MoveReport): number =>
  sum(types, ({ created, updated, deleted }) => created + updated + deleted)

/** The report as lines of text. */
export const reportLines = (report: MoveReport): ReadonlyArray<string> => {
  const { types, release, isDryRun, millis } = report
  const rows = sum(types, ({ rows }) => rows)
  const unchanged = sum(types, ({ unchanged }) => unchanged)
  const notes = moveNotes(report)
  return [
    `NetBox ${release}, ${rows} rows of ${types.filter((type) => type.rows > 0).length} object types, ${(millis / 1000).toFixed(1)} s`,
    "",
    ...tableLines(moveTable(report)),
    ...(unchanged > 0 ? ["", `${unchanged} rows are as the last move left them.`] : []),
    ...(notes.length > 0 ? ["", ...notes] : []),
    "",
    isDryRun ? "Dry run: nothing was written." : `${writtenBy(report)} objects were written.`
  ]
}
