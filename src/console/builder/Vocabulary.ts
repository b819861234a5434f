/**
 * The words of a builder: the fields that its rows may name, and the operators with the kinds of value that each accepts.
 * A page delivers them as JSON to `builder.js`, which has no list of its own.
 */
import type { Field } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import { pathOf } from "../value/Title.ts"

export interface BuilderField {
  /** Its name in a document: `status.value`. */
  readonly name: string
  /** Its name with operators that compare states, if that is another one: `status`. */
  readonly state?: string
  readonly title: string
  readonly kind: "text" | "number" | "boolean"
  /** Value and label of what it may be. */
  readonly options?: Readonly<Record<string, string>>
  /** Where the objects are searched whose ids it has. */
  readonly pick?: string
  /** The operators that it has; all of them if absent. */
  readonly operators?: ReadonlyArray<string>
}

export interface BuilderOperator {
  readonly name: string
  readonly title: string
  /** Kinds of value: string, boolean, number, list, null. None for an operator without a value. */
  readonly accepts: ReadonlyArray<string>
}

export interface Vocabulary {
  /** `tree`: groups may nest, and rows may be negated. `groups`: alternatives, each of rows that must all apply. */
  readonly shape: "tree" | "groups"
  /** The operator of a row that names none. */
  readonly usual: string
  readonly operators: ReadonlyArray<BuilderOperator>
  readonly fields: ReadonlyArray<BuilderField>
}

/** Most fields that a vocabulary has. */
export const fieldsMax = 500

export const kindOfField = ({ type, reference }: Pick<Field, "type" | "reference">): BuilderField["kind"] =>
  type === "boolean"
    ? "boolean"
    : reference !== undefined || /^(bigint|integer|smallint|numeric|decimal|double precision)/.test(type)
      ? "number"
      : "text"

/** Where objects of the type are searched; undefined for types that have no search. */
export const pickOf = (id: string): string | undefined => {
  const type = objectType(id)
  return type.kind === "record" ? undefined : `${pathOf(type)}pick/`
}
