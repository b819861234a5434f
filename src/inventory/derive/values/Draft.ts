/** Declaration and a body from the wire -> a draft: parsed values by field, or what is wrong with each. Pure. */
import { type Errors, type Messages, emptyRecord, isDictionary, notDictionary } from "../../Field.ts"
import { rounded } from "../../../postgres/ExactJson.ts"
import { type ObjectType, perType } from "../../ObjectType.ts"
import { newerName } from "./NewerNames.ts"
import { blankOf } from "./Row.ts"
import { ParsedImage, noFile, sidesOf } from "../../image/ImageField.ts"
import type { Target } from "../../field/Reference.ts"

export interface Draft {
  /** Values of the fields that the body names; references are `Target`s until they are resolved. */
  readonly values: Readonly<Record<string, unknown>>
  readonly errors: Errors
  /** The bytes of images that are stored beside the row, by field; undefined where there are none. */
  readonly files?: Readonly<Record<string, Uint8Array>>
}

const shapes = perType((type) => {
  const fields = Object.entries({ ...type.fields, ...type.creation.inputs })
  return {
    asked: fields
      .filter(([, { wire }]) => wire !== "read" && wire !== "none")
      .map(([name, field]) => [name, newerName(type.id, name) ?? name, field] as const),
    filled: fields.filter(([, { initial, byAuthor }]) => initial !== undefined || byAuthor === true),
    blank: blankOf(fields.flatMap(([name, { initial }]) => (initial === undefined ? [] : [name])))
  }
})

/** `whole`: required fields must be present (create, PUT); otherwise only the fields present count (PATCH). */
export const draft = (type: ObjectType, input: unknown, whole: boolean): Draft => {
  if (!isDictionary(input)) return { values: {}, errors: { non_field_errors: [notDictionary(input)] } }
  const values = emptyRecord<unknown>()
  const errors = emptyRecord<Messages>()
  const files = emptyRecord<Uint8Array>()
  for (const [name, newer, field] of shapes(type).asked) {
    const sent = Object.hasOwn(input, name) ? name : newer
    const given = Object.hasOwn(input, sent) ? input[sent] : undefined
    if (given === undefined) {
      if (whole && field.initial === undefined) errors[name] = [field.format === "image" ? noFile : required]
      continue
    }
    const parsed = field.parse(field.type === "jsonb" ? given : rounded(given))
    if ("errors" in parsed) errors[name] = parsed.errors
    else if (parsed.value instanceof ParsedImage) {
      files[name] = parsed.value.bytes
      Object.assign(values, sidesOf(type, name, parsed.value), { [name]: parsed.value.name })
    } else if (parsed.value !== undefined) values[name] = parsed.value
    if (field.format === "image" && values[name] === null) Object.assign(values, sidesOf(type, name))
  }
  return Object.keys(files).length === 0 ? { values, errors } : { values, errors, files }
}

const required = "This field is required."

/** A new row's values: those of the body and the defaults of the declaration; `user` is the id of the author. */
export const withInitials = (type: ObjectType, values: Draft["values"], user?: number): Draft["values"] => {
  const { blank, filled } = shapes(type)
  const complete: Record<string, unknown> = { ...blank }
  for (const [name, { byAuthor, initial }] of filled) {
    if (Object.hasOwn(values, name)) continue
    if (byAuthor === true && user !== undefined) complete[name] = { id: user } satisfies Target
    else if (initial !== undefined) complete[name] = initial()
  }
  for (const name in values) complete[name] = values[name]
  return complete
}
