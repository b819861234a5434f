/** The cells of a new object like another one: all but those that must differ. */
import type { Row } from "../../inventory/Field.ts"
import { perType } from "../../inventory/ObjectType.ts"
import { type Cells, cellsOf, withoutLong } from "./Cells.ts"
import type { Form, FormField } from "./FormField.ts"

/**
 * The fields that distinguish objects of the type: unique ones, and values that are unique together with references.
 */
const telling = perType(({ fields, unique }): ReadonlySet<string> => {
  const own = Object.keys(fields).filter((name) => fields[name]!.unique)
  const together = unique.flatMap((each) => each.fields)
  const values = together.filter((name) => {
    const { reference, choices, generic } = fields[name]!
    return reference === undefined && choices === undefined && generic === undefined
  })
  const ends = Object.keys(fields).filter((name) => fields[name]!.reference?.ends !== undefined)
  return new Set(["name", ...own, ...values, ...ends])
})

export const clonedCells = (form: Form, row: Row): Cells => {
  const blank = cellsOf(form, undefined)
  const isCloned = ({ name, custom }: FormField): boolean =>
    custom === undefined ? Object.hasOwn(form.type.fields, name) && !telling(form.type).has(name) : custom.is_cloneable
  const cloned = withoutLong(cellsOf(form, row))
  return Object.fromEntries(
    form.fields.map((field) => [field.name, (isCloned(field) ? cloned[field.name] : undefined) ?? blank[field.name]!])
  )
}
