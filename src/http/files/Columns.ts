/** The columns that an import file of an object type may have. Pure. */
import type { Field } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { genericFields } from "../../inventory/derive/represent/NamedFlat.ts"
import type { CustomField } from "../../inventory/types/extras/CustomField.ts"

/**
 * How a column reads a scalar that YAML has without quotes. `text`: `0123` as it is written. `value`: as the number that
 * it means. `reference`: a whole number is an id, anything else a text. A record has kinds by key.
 */
export type Kind = "text" | "value" | "reference" | { readonly [key: string]: Kind }

/** The kinds of all columns, by name. */
export const kindsOf = (
  type: ObjectType,
  customFields: ReadonlyArray<CustomField>
): Readonly<Record<string, Kind>> => ({
  id: "value",
  ...Object.fromEntries(Object.entries(type.fields).map(([name, field]) => [name, kindOf(field)])),
  ...Object.fromEntries(genericFields(type).map(({ objectKey }) => [objectKey, "reference" as const])),
  ...(Object.hasOwn(type.fields, "custom_fields") && {
    custom_fields: Object.fromEntries(customFields.map((each) => [each.name, customKind(each)]))
  })
})

const kindOf = ({ type, reference }: Field): Kind => {
  if (reference !== undefined) return "reference"
  return /^(bigint|integer|numeric|boolean|json)/.test(type) ? "value" : "text"
}

const customKind = ({ type }: CustomField): Kind => {
  if (type.endsWith("object")) return "reference"
  return /^(integer|decimal|boolean|json)$/.test(type) ? "value" : "text"
}
