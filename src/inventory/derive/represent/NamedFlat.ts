/** Objects as flat records that another inventory can read: references by name, and without ids. Pure. */
import { type Row, isDictionary } from "../../Field.ts"
import { type ObjectType, fieldOf, perType } from "../../ObjectType.ts"
import { shownOf } from "../../Unreadable.ts"
import { backColumn, backColumns, backReferenceOf } from "../../name/BackReference.ts"
import type { Holder } from "../../name/Holders.ts"
import type { CustomField } from "../../types/extras/CustomField.ts"
import { type Flat, endsNamed, flatFields } from "./Flat.ts"

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

/** The fields of a named record, in their order. */
const ownFields = perType((type) => flatFields(type).filter((name) => backReferenceOf(type, name) === undefined))

/** The keys of a named record, in their order. */
export const namedFields = (type: ObjectType): ReadonlyArray<string> => [
  ...ownFields(type).map((name) => (Object.hasOwn(typeFields(type), name) ? objectField(name) : name)),
  ...backColumns(type)
]

/** `assigned_object` of `assigned_object_id`. */
const objectField = (idField: string): string => idField.replace(/_id$/, "")

interface Naming {
  readonly nameOf: NameOf
  readonly customFields: ReadonlyArray<CustomField>
  /** By id: the objects that refer to rows and come in an earlier file. */
  readonly holders: ReadonlyMap<number, Holder>
}

export const namedFlatOf = (type: ObjectType, row: Row, { nameOf, customFields, holders }: Naming): Flat => {
  const column = backColumn(type)
  return Object.fromEntries([
    ...ownFields(type).map((name) => {
      const value = shownOf(row[name])
      const { reference } = fieldOf(type, name)
      const typeField = typeFields(type)[name]
      if (typeField !== undefined) {
        const isSet = typeof value === "number" && typeof row[typeField] === "string"
        return [objectField(name), isSet ? nameOf(String(row[typeField]), value) : null]
      }
      if (name === "custom_fields") return [name, namedCustom(value, nameOf, customFields)]
      if (reference === undefined || value === null) return [name, value]
      if (reference.ends !== undefined) return [name, endsNamed(reference, row, value, (id, of) => nameOf(of, id))]
      const one = (id: unknown) => nameOf(reference.type, Number(id))
      return [name, Array.isArray(value) ? value.map(one) : one(value)]
    }),
    ...(column === undefined ? [] : [[column, heldBy(holders.get(row.id), nameOf)] as const])
  ])
}

/** `true` for the usual holder: of an address, the machine of its interface. */
const heldBy = (holder: Holder | undefined, nameOf: NameOf): unknown =>
  holder?.key === undefined ? holder !== undefined : { [holder.key]: nameOf(holder.type, holder.id) }

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
