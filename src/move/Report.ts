/** The report of a move: numbers by object type, and each row or value that is not stored as NetBox had it. */

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
  | { readonly kind: "homeless"; readonly table: string; readonly id: number | null; readonly values: unknown }

export interface TypeReport {
  readonly type: string
  readonly table: string
  rows: number
  moved: number
  kept: number
  refused: number
  changed: number
  homeless: number
}

export interface MoveReport {
  readonly release: string
  readonly isDryRun: boolean
  readonly types: ReadonlyArray<TypeReport>
  /** Tables without an object type here that have rows. */
  readonly tables: ReadonlyArray<{ readonly table: string; readonly rows: number }>
  /** Tables that the role may not read. */
  readonly unreadable: ReadonlyArray<string>
  /** The first refusals of each type. */
  readonly examples: ReadonlyArray<Finding>
  readonly millis: number
}

/** Names of columns whose values are credentials: their values are in no file and no report. */
const secret = /password|secret|psk|token|private|extra_data|(?:^|_)key$/

/** The values without credentials. */
export const withoutCredentials = (values: unknown): unknown => {
  if (Array.isArray(values) || typeof values !== "object" || values === null) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, secret.test(name) && value !== null ? "***" : value])
  )
}

const sum = (types: ReadonlyArray<TypeReport>, of: (type: TypeReport) => number): number =>
  types.reduce((total, type) => total + of(type), 0)

export const total = (report: MoveReport) => ({
  rows: sum(report.types, ({ rows }) => rows),
  moved: sum(report.types, ({ moved }) => moved),
  kept: sum(report.types, ({ kept }) => kept),
  refused: sum(report.types, ({ refused }) => refused),
  changed: sum(report.types, ({ changed }) => changed),
  homeless: sum(report.types, ({ homeless }) => homeless)
})

/** Most characters of a value in a report. */
const shownMax = 120

const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

const exampleOf = (finding: Finding): string => {
  const where = `  ${finding.table} ${finding.id ?? ""}`
  if (finding.kind === "refused") return `${where}: ${shown(finding.reason)}`
  if (finding.kind === "changed") return `${where}: ${finding.field} ${shown(finding.from)} -> ${shown(finding.to)}`
  return `${where}: ${shown(finding.values)}`
}

/** The report as lines of text. */
export const reportLines = (report: MoveReport): ReadonlyArray<string> => {
  const { types, tables, unreadable, examples, release, isDryRun, millis } = report
  const some = types.filter(({ rows }) => rows > 0)
  const heading = ["object type", "rows", isDryRun ? "fit" : "moved", "refused", "changed", "no home"]
  const rows = some.map((type) => [
    type.type,
    ...[type.rows, type.moved + type.kept, type.refused, type.changed, type.homeless].map(String)
  ])
  const { rows: all, moved, kept, refused, changed, homeless } = total(report)
  const sums = ["sum", ...[all, moved + kept, refused, changed, homeless].map(String)]
  const widths = heading.map((_, at) => Math.max(...[heading, ...rows, sums].map((row) => row[at]!.length)))
  const line = (row: ReadonlyArray<string>) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("  ")
  return [
    `NetBox ${release}, ${all} rows of ${some.length} object types, ${(millis / 1000).toFixed(1)} s`,
    "",
    ...[heading, ...rows, sums].map(line),
    ...(kept > 0 ? ["", `${kept} users were here already under the same id and name, and stay as they are.`] : []),
    ...(examples.length > 0
      ? ["", "Not stored as NetBox had it, the first of each type:", ...examples.map(exampleOf)]
      : []),
    ...(tables.length > 0 ? ["", "Tables without an object type here:"] : []),
    ...tables.map(({ table, rows }) => `  ${table}: ${rows} rows`),
    ...(unreadable.length > 0 ? ["", `The role may not read: ${unreadable.join(", ")}`] : []),
    "",
    isDryRun ? "Dry run: nothing was written." : `${moved} rows were written.`
  ]
}
