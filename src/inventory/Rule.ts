/**
 * Rules about the fields of a row and about several objects. An update checks only the rules whose fields it changes:
 * a row that plain SQL or an older version left wrong accepts every other change.
 */
import type { Errors, Fields, Row, RowOf } from "./Field.ts"

/** Another object by object type and id, if `looksAt` leads to it: `find<typeof Site>("dcim.site", row.site)`. */
export type Find = <T extends RuleType = RuleType>(type: string, id: number | null) => RowOf<T> | undefined

interface RuleType {
  readonly fields: Fields
}

/** A broken rule: the fields that it depends on, and the errors. */
export interface RuleViolation {
  readonly fields: ReadonlyArray<string>
  readonly errors: Errors
}

export const broken = (fields: ReadonlyArray<string>, errors: Errors): RuleViolation => ({ fields, errors })

/** Whether a write concerns a rule about these fields: it creates the row, or changes one of the fields. */
export const concerns = (fields: ReadonlyArray<string>, row: Row, before: Row | undefined): boolean =>
  before === undefined || fields.some((name) => JSON.stringify(row[name]) !== JSON.stringify(before[name]))

/** The errors of the first broken rule that a write concerns. */
export const firstErrors = (rules: Iterable<RuleViolation>, row: Row, before: Row | undefined): Errors => {
  for (const { fields, errors } of rules) if (concerns(fields, row, before)) return errors
  return {}
}

/**
 * A rule between a row that is about to be written and any other row of its type that no constraint can express: ranges
 * that must not overlap, or uniqueness that a third object switches on. Rivals.ts checks a whole write at once.
 */
export interface Rival<R extends Row = Row> {
  /** The fields that the rule depends on. */
  readonly fields: ReadonlyArray<string>
  /** SQL condition under which `j`, the written row, conflicts with `t`, the other one. */
  readonly where: string
  /** SQL text over `j`, equal for rows that can conflict; null if `j` cannot. Writes with equal texts are serialised. */
  readonly lock: string
  errors(row: R, other: R, find: Find): Errors
}

/**
 * A rule between an object and objects that it depends on. Triggers check it when either side changes, by plain SQL
 * too; Bonds.ts checks written rows first, so that the API names the field.
 */
export interface Bond<R extends Row = Row> {
  /** Unique among the bonds of the type; names the constraint in errors of Postgres. */
  readonly name: string
  /** The fields that the rule depends on. */
  readonly fields: ReadonlyArray<string>
  /** SQL that `j`, an object of the type, breaks the rule. */
  readonly broken: string
  /** SQL over `new`, a written row: whether the rule can apply to it. */
  readonly applies: string
  /** A SELECT over `new` that locks what the rule reads, so that concurrent writes of both sides are serialised. */
  readonly lock?: string
  /** The fields in which any two objects of the type differ by this rule. */
  readonly distinct?: ReadonlyArray<string>
  /** Whether a trigger completes new objects first, so that the rule holds only for updates. */
  readonly sparesNew?: boolean
  /** The rule in words, for writers of plain SQL. */
  readonly rule: string
  /** Absent where Rivals.ts reports it. */
  errors?(row: R, find: Find): Errors
  readonly others: ReadonlyArray<OtherSide>
}

/** SQLSTATE of a change that would break the bond of another object: repeating the transaction does not help. */
export const bondState = "RW001"

/** A change of another object that can break a bond. */
export interface OtherSide {
  /** The object type, and its fields whose change matters. */
  readonly type: string
  readonly fields: ReadonlyArray<string>
  /** SQL over `old` and `new`, where not every change of the fields can break the bond. */
  readonly when?: string
  /** SQL over `old`, `new` and `j`: whether the change of `new` can break the bond of `j`. */
  readonly reaches: string
  /** The field of the changed object that the error is about. */
  readonly field: string
  /** SQL text over `new` and `j`. It names an object as `dcim.device #7`: the API shows the names of visible objects. */
  readonly message: string
  /** The SET list of an UPDATE of `j` that repairs the bond after an object that a field referred to is deleted. */
  readonly repair?: string
}
