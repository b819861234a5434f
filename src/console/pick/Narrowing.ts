/**
 * Fields of a form that narrow the choice of another one: of racks only those in the chosen site are offered, of interfaces
 * those of the chosen device. A field narrows if the objects to choose from have a reference of the same name that says
 * where they are or what they belong to.
 */
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { filter } from "../../inventory/derive/filter/Filter.ts"
import { type Visible, type Where, anyOf, isEverything } from "../../inventory/derive/filter/Where.ts"

const placing = perType((type): ReadonlyArray<string> =>
  Object.entries(type.fields).flatMap(([name, { reference, initial }]) => {
    if (reference === undefined || reference.many) return []
    return initial === undefined || objectType(reference.type).fieldGroup === "Place" ? [name] : []
  })
)

/** The fields among these that narrow the choice of objects of a type. */
export const narrowing = (target: ObjectType, fields: ReadonlyArray<string>): ReadonlyArray<string> =>
  placing(target).filter((name) => fields.includes(name))

/** The condition that values of these fields make: the same object, or none where objects may be without. */
export const narrowed = (
  target: ObjectType,
  valueOf: (field: string) => string | null | undefined,
  visible: Visible
): ReadonlyArray<Where> =>
  placing(target).flatMap((name) => {
    const value = valueOf(name) ?? ""
    if (!/^\d{1,15}$/.test(value)) return []
    const among = (text: string): ReadonlyArray<Where> => {
      const made = filter(target, [[`${name}_id`, text]], visible)
      return "errors" in made || isEverything(made.where) ? [] : [made.where]
    }
    const own = among(value)
    return own.length === 0 ? [] : [anyOf(...own, ...(target.fields[name]!.nullable ? among("null") : []))]
  })
