/** The cells of a new object like another one: all but those that must differ. */
import type { Row } from "../../inventory/Field.ts"
import { perType } from "../../inventory/ObjectType.ts"
import { type Cells, cellsOf, withoutLong } from "./Cells.ts"
import type { Form, FormField } from "./FormField.ts"

/**
 * The fields that distinguish objects of the type: name and serial number, unique ones, values that are unique together
 * with references, and the fields in which objects differ by a rule.
 */
const telling = perType(({ fields, unique, bonds }): ReadonlySet<string> => {
  const own = Object.keys(fields).filter((name) => fields[name]!.unique)
  const together = unique.flatMap((each) => each.fields)
  const values = together.filter((name) => {
    const { reference, choices, generic } = fields[name]!
    return reference === undefined && choices === undefined && generic === undefined
  })
  const ends = Object.keys(fields).filter((name) => fields[name]!.reference?.ends !== undefined)
  const byRule = bonds.flatMap(({ distinct = [] }) => distinct)
  return new Set(["name", "serial", ...own, ...values, ...ends, ...byRule])
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
