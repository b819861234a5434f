/** Values that a representation shows beside the fields: computed from a row and the objects that it points at. */
import type { Row, View } from "./Field.ts"

/** The shape of a value, for descriptions of the API. */
export type Shape =
  | { readonly kind: "integer" | "number" | "text" | "flag" | "family"; readonly nullable?: boolean }
  | { readonly kind: "texts" }
  /** JSON of any kind. */
  | { readonly kind: "json" }
  /** Always null: NetBox's name for something that objects do not have here. */
  | { readonly kind: "nothing" }
  /** The brief representation of an object of this type, or of any type; with `many`, a list of them. */
  | { readonly kind: "object"; readonly type?: string; readonly many?: boolean; readonly nullable?: boolean }

export interface DerivedValue<R extends Row = Row> {
  readonly shape: Shape
  of(row: R, view: View): unknown
  /** Whether it is read by itself, and absent where it was not read: `of` gives undefined there. Events have no such value. */
  readonly isApart?: boolean
  /** The value in a brief representation, where that is another one, and what it is there. */
  readonly brief?: { readonly shape: Shape; of(row: R): unknown }
}

/** NetBox's name for something that objects do not have here. */
export const nothing: DerivedValue = { shape: { kind: "nothing" }, of: () => null }

/** An object type, and its reference to one: several objects, or one if the reference is unique or a condition is given. */
export interface PointedBy {
  readonly type: string
  readonly field: string
  /** SQL that `c`, an object of that type, is the one; or one of several. */
  readonly where?: string
  readonly several?: boolean
  /** The fields that are shown of it, where they are not those of its brief representation. */
  readonly shows?: ReadonlyArray<string>
  /** Shows something else than the object: by its id, which `view` has with its brief representation. */
  readonly shown?: { readonly shape: Shape; of(id: number, view: View): unknown }
}
