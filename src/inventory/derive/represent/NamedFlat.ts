/** Objects as flat records that another inventory can read: references by name, and without ids. Pure. */
import { type Row, isDictionary } from "../../Field.ts"
import { type ObjectType, fieldOf, perType } from "../../ObjectType.ts"
import { shownOf } from "../../Unreadable.ts"
import type { CustomField } from "../../types/extras/CustomField.ts"
import { type Flat, flatFields } from "./Flat.ts"

type NameOf = (type: string, id: number) => unknown

/** The field that holds the type of a generic reference, by the field of its id. */
const typeFields = perType((type) =>
  Object.fromEntries(genericFields(type).map(({ typeField, idField }) => [idField, typeField]))
)

/** The generic references of a type: the field of the object type, that of the id, and the key of the object. */
export const genericFields = perType((type) =>
  Object.entries(type.fields).flatMap(([typeField, { generic }]) =>
    generic === undefined ? [] : [{ typeField, idField: generic.id, objectKey: objectField(generic.id) }]
  )
)

/** The keys of a named record, in their order. */
export const namedFields = (type: ObjectType): ReadonlyArray<string> =>
  flatFields(type).map((name) => (Object.hasOwn(typeFields(type), name) ? objectField(name) : name))

/** `assigned_object` of `assigned_object_id`. */
const objectField = (idField: string): string => idField.replace(/_id$/, "")

export const namedFlatOf = (
  type: ObjectType,
  row: Row,
  nameOf: NameOf,
  customFields: ReadonlyArray<CustomField>
): Flat =>
  Object.fromEntries(
    flatFields(type).map((name) => {
      const value = shownOf(row[name])
      const { reference } = fieldOf(type, name)
      const typeField = typeFields(type)[name]
      if (typeField !== undefined) {
        const isSet = typeof value === "number" && typeof row[typeField] === "string"
        return [objectField(name), isSet ? nameOf(String(row[typeField]), value) : null]
      }
      if (name === "custom_fields") return [name, namedCustom(value, nameOf, customFields)]
      if (reference === undefined || value === null) return [name, value]
      const one = (id: unknown) => nameOf(reference.type, Number(id))
      return [name, Array.isArray(value) ? value.map(one) : one(value)]
    })
  )

const namedCustom = (values: unknown, nameOf: NameOf, customFields: ReadonlyArray<CustomField>): unknown => {
  if (!isDictionary(values)) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const definition = customFields.find((each) => each.name === name)
      const target = definition?.type.endsWith("object") === true ? definition?.object_type : undefined
      const one = (id: unknown) => (typeof id === "number" && target ? nameOf(target, id) : id)
      return [name, Array.isArray(value) ? value.map(one) : one(value)]
    })
  )
}
