/** The errors of a row of an import, with what to import first. Pure. */
import { type Errors, type Messages, isDictionary, textsIn } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { objectType, registry } from "../../../inventory/Registry.ts"
import { genericFields } from "../../../inventory/derive/represent/NamedFlat.ts"
import { backReferenceOf } from "../../../inventory/name/BackReference.ts"

/** Most characters of an error message, which may repeat a value of the file. */
const messageCharsMax = 500

/** The errors of the row with this body, shortened; where an object is missing, with a sentence about its file. */
export const explained = (type: ObjectType, body: unknown, errors: Errors): Errors =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([name, messages]) => {
      // The id is missing because the object was not found.
      if (genericFields(type).some(({ idField, objectKey }) => idField === name && Object.hasOwn(errors, objectKey))) {
        return []
      }
      const texts = textsIn(messages).map((each) => each.slice(0, messageCharsMax))
      const advice = texts.some((each) => each.startsWith("Related object not found"))
        ? adviceFor(type, body, name)
        : undefined
      return [[name, advice === undefined ? texts : [...texts, advice]] satisfies [string, Messages]]
    })
  )

const adviceFor = (type: ObjectType, body: unknown, name: string): string | undefined => {
  const back = backReferenceOf(type, name)
  if (back !== undefined) {
    const { plural } = objectType(back.type)
    return `Leave it out, import ${plural} later, and set their column ${back.column}.`
  }
  const target = targetOf(type, body, name)
  if (target === undefined) return undefined
  return target === type
    ? "No other row of the file creates it."
    : `If it is in another file, import ${target.plural} first.`
}

const targetOf = (type: ObjectType, body: unknown, name: string): ObjectType | undefined => {
  const reference = Object.hasOwn(type.fields, name) ? type.fields[name]!.reference : undefined
  if (reference !== undefined) return objectType(reference.type)
  const generic = genericFields(type).find(({ objectKey }) => objectKey === name)
  return generic && isDictionary(body) ? registry.get(String(body[generic.typeField])) : undefined
}
