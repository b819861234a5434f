/** The fields by which a file names an object, in an inventory where it has another id. Pure. */
import { type ObjectType, fieldOf, perType } from "../ObjectType.ts"
import type { Row } from "../Field.ts"
import { isOfGeneric, namingFields } from "../derive/filter/NaturalName.ts"
import { naturalKey } from "../derive/filter/Path.ts"
import { uniquesOf } from "../derive/table/TableOf.ts"

/** Sets of fields that name an object of the type, the best first. */
const identities = perType((type): ReadonlyArray<ReadonlyArray<string>> => {
  const unique = uniquesOf(type)
    .filter(({ whereNull }) => whereNull === undefined)
    .map(({ fields }) => fields)
  const key = naturalKey(type)
  const sets = [
    ...(type.identity.length > 0 ? [type.identity] : []),
    ...unique.filter((fields) => fields.length === 1 && fields[0] === key),
    ...unique.filter((fields) => fields.length > 1),
    ...unique,
    ...type.knownBy.map((name) => [name])
  ]
  return sets.filter(
    (fields) =>
      fields.every((name) => namingFields(type).includes(name) && !isOfGeneric(type, name)) &&
      fields.some((name) => !isReference(type, name))
  )
})

const isReference = (type: ObjectType, name: string): boolean => fieldOf(type, name).reference !== undefined

/** Whether the fields have a text that somebody made up for the object: a position names nothing by itself. */
const hasText = (type: ObjectType, fields: ReadonlyArray<string>): boolean =>
  fields.some((name) => fieldOf(type, name).type === "text" && fieldOf(type, name).choices === undefined)

/**
 * The fields that name this object; undefined if it has no name. References beside a text may be empty, and of a declared
 * identity all fields but the first.
 */
export const identityOf = (type: ObjectType, row: Omit<Row, "id">): ReadonlyArray<string> | undefined =>
  identities(type).find((fields) =>
    fields.every((name, at) => {
      const mayBeEmpty = fields === type.identity ? at > 0 : isReference(type, name) && hasText(type, fields)
      return mayBeEmpty || ((row[name] ?? null) !== null && row[name] !== "")
    })
  )

/** The references that may be needed to name objects of the type. */
export const namingReferences = perType((type): ReadonlyArray<string> => [
  ...new Set(identities(type).flatMap((fields) => fields.filter((name) => isReference(type, name))))
])

/** Whether a slug alone names an object of the type unless others have the same. */
export const isNamedBySlug = perType((type): boolean => {
  const [first = []] = identities(type)
  return naturalKey(type) === "slug" && first.every((name) => !isReference(type, name) || fieldOf(type, name).nullable)
})

/**
 * The attributes by which the body of a write names an object that exists; undefined if it does not name one. An
 * attribute that the body leaves out has its initial value, or is empty.
 */
export const namedAttributes = (type: ObjectType, body: Readonly<Record<string, unknown>>) => {
  const valueOf = (name: string) => body[name] ?? fieldOf(type, name).initial?.() ?? null
  const fields = identityOf(type, body)
  return fields && Object.fromEntries(fields.map((name) => [name, valueOf(name)]))
}
