/** Declaration and a body from the wire -> a draft: parsed values by field, or what is wrong with each. Pure. */
import { type Errors, isDictionary, notDictionary } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import type { Target } from "../field/Reference.ts"

export interface Draft {
  /** Values of the fields that the body names; references are `Target`s until they are resolved. */
  readonly values: Readonly<Record<string, unknown>>
  readonly errors: Errors
}

/** `whole`: fields that a create needs must be there (create, PUT); otherwise only what is there counts (PATCH). */
export const draft = (type: ObjectType, input: unknown, whole: boolean): Draft => {
  if (!isDictionary(input)) return { values: {}, errors: { non_field_errors: [notDictionary(input)] } }
  const values: Record<string, unknown> = {}
  const errors: Record<string, ReadonlyArray<string>> = {}
  for (const [name, field] of Object.entries(type.fields)) {
    if (field.wire === "read" || field.wire === "none") continue
    const given = Object.hasOwn(input, name) ? input[name] : undefined
    if (given === undefined) {
      if (whole && field.initial === undefined) errors[name] = ["This field is required."]
      continue
    }
    const parsed = field.parse(given)
    if ("errors" in parsed) errors[name] = parsed.errors
    else if (parsed.value !== undefined) values[name] = parsed.value
  }
  return { values, errors }
}

/** A new row's values: what the body names, and what the declaration fills in; `user` is the id of whoever makes it. */
export const withInitials = (type: ObjectType, values: Draft["values"], user?: number): Draft["values"] => {
  const complete: Record<string, unknown> = { ...values }
  for (const [name, field] of Object.entries(type.fields)) {
    if (Object.hasOwn(complete, name)) continue
    if (field.byAuthor === true && user !== undefined) complete[name] = { id: user } satisfies Target
    else if (field.initial !== undefined) complete[name] = field.initial()
  }
  return complete
}
