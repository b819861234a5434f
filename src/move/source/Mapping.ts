/**
 * Where the values of an object type are in a NetBox database, where the declaration of the type does not already say
 * it. Most types need no mapping: a field has the column of its name.
 */

/**
 * How a value of the source is read: as a value of the field (`value`), the number of a content type or a list of them,
 * ids of objects, or as it is, without the rules of the field (`verbatim`), also for new objects alone (`initial`).
 */
export type SourceKind = "value" | "contentType" | "contentTypes" | "ids" | "verbatim" | "initial"

export interface FieldSource {
  /** Needed of the database: `column`, `table.column` or `table.*`; the first source whose needs are met is read. */
  readonly needs: ReadonlyArray<string>
  /** SQL over `t`, the row of the type's table. */
  readonly sql: string
  readonly kind?: SourceKind
}

export interface Mapping {
  /** The object type. It may have several mappings, for releases: the first whose needs are met counts. */
  readonly type: string
  /** Names of its table in NetBox beside its own, the first one that exists counts. */
  readonly tables?: ReadonlyArray<string>
  /** The table that has the objects in place of its own. */
  readonly table?: string
  /** Without these columns the mapping does not apply. */
  readonly needs?: ReadonlyArray<string>
  /** SQL over `t`: the rows that are objects of the type; if undefined, all. */
  readonly where?: string
  readonly fields?: Readonly<Record<string, ReadonlyArray<FieldSource>>>
  /** Columns whose values are computed anew, or are copies of others. */
  readonly dropped?: ReadonlyArray<string>
  /** Values of columns without a field that say nothing: the default of NetBox. */
  readonly usual?: Readonly<Record<string, unknown>>
  /** Values without a field here that no single column has: null where there is nothing to report. */
  readonly homeless?: Readonly<Record<string, FieldSource>>
  /** Rows of other tables that the fields read only in part: those that they leave out. */
  readonly leftovers?: ReadonlyArray<{ readonly table: string; readonly where: string }>
}

/** A column of the type's own table. */
export const column = (name: string, kind: SourceKind = "value"): FieldSource => ({
  needs: [name],
  sql: `t."${name}"`,
  kind
})
