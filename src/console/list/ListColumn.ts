import type { Row } from "../../inventory/Field.ts"
import type { Html } from "../Html.ts"

/** A column that no field gives. */
export interface Column {
  readonly title: string
  /** The field by which it is sorted. */
  readonly field?: string
  readonly cell: (row: Row) => Html
  /** Hidden on small screens. */
  readonly isLess?: boolean
  readonly isNumber?: boolean
}

export interface Dressing {
  /** The text of the link to the object, in place of its display, and the heading of its column. */
  readonly name?: { readonly title: string; readonly field: string; readonly of: (row: Row) => Html }
  /** Shown above the table; the id of its element. */
  readonly above: Html
  readonly aboveId: string
  /** Markup before and below the name in the first column. */
  readonly before: (row: Row) => Html
  readonly below: (row: Row) => Html
  readonly columns: ReadonlyArray<Column>
}
