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

/** The condition that values of these fields make: one of the same objects, or none where objects may be without. */
export const narrowed = (
  target: ObjectType,
  valuesOf: (field: string) => ReadonlyArray<string>,
  visible: Visible
): ReadonlyArray<Where> =>
  placing(target).flatMap((name) => {
    const ids = idsAmong(valuesOf(name))
    if (ids.length === 0) return []
    const among = (texts: ReadonlyArray<string>): ReadonlyArray<Where> => {
      const made = filter(
        target,
        texts.map((text) => [`${name}_id`, text] as const),
        visible
      )
      return "errors" in made || isEverything(made.where) ? [] : [made.where]
    }
    const own = among(ids)
    return own.length === 0 ? [] : [anyOf(...own, ...(target.fields[name]!.nullable ? among(["null"]) : []))]
  })

/** The place of a new object of the type: the values of the fields that narrow it, where each is one object. */
export const placeOf = (
  target: ObjectType,
  valuesOf: (field: string) => ReadonlyArray<string>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    placing(target).flatMap((name) => {
      const ids = idsAmong(valuesOf(name))
      return ids.length === 1 ? [[name, ids[0]!]] : []
    })
  )

/** Most objects of a field that narrow a choice. */
const idsMax = 100

const idsAmong = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => /^\d{1,15}$/.test(value))
    .slice(0, idsMax)
