/** Bodies for the raw form of the API: the object as it is, or an example of a new one. Pure. */
import type { Row } from "../../inventory/Field.ts"
import type { Field } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { flatFields, flatOf } from "../../inventory/derive/represent/Flat.ts"

/** The body of a change of the object: its fields as a file of objects holds them. */
export const bodyOfRow = (type: ObjectType, row: Row): string => {
  const { id: _, ...fields } = flatOf(type, row)
  return written(fields)
}

/** A new object: examples for the fields that it must have, and the defaults of the others. */
export const exampleOf = (type: ObjectType): string => {
  const needed = Object.entries(type.fields).flatMap(([name, field]) =>
    field.initial === undefined && (field.wire === "both" || field.wire === "write")
      ? [[name, exampleValue(name, field)]]
      : []
  )
  const others = flatFields(type).flatMap((name) => {
    const { initial, nullable } = type.fields[name] ?? {}
    // Where the service fills in what is left out, such as the author.
    const isFilled = initial?.() === null && nullable === false
    return initial === undefined || isFilled ? [] : [[name, initial()]]
  })
  return written(Object.fromEntries([...needed, ...others]))
}

const written = (body: unknown): string => JSON.stringify(body, undefined, 4)

/** Examples by the Postgres type of the column. */
const examples: ReadonlyArray<readonly [type: RegExp, value: unknown]> = [
  [/\[\]$/, []],
  [/^(bigint|integer|smallint|numeric|real|double)/, 1],
  [/^boolean/, false],
  [/^jsonb/, {}],
  [/^inet/, "192.0.2.1/24"],
  [/^cidr/, "192.0.2.0/24"],
  [/^macaddr/, "00:00:5E:00:53:01"],
  [/^uuid/, "00000000-0000-4000-8000-000000000000"],
  [/^timestamp/, "2030-01-01T00:00:00Z"],
  [/^date/, "2030-01-01"]
]

const texts = {
  slug: "example",
  url: "https://example.com/",
  email: "somebody@example.com",
  color: "9e9e9e",
  image: "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
}

const exampleValue = (name: string, { choices, reference, type, format }: Field): unknown => {
  if (reference !== undefined) return reference.many ? [] : 1
  const [choice] = Object.keys(choices ?? {})
  if (choice !== undefined) return type.endsWith("[]") ? [choice] : choice
  if (format !== undefined) return texts[format]
  const found = examples.find(([pattern]) => pattern.test(type))
  return found === undefined ? `Example ${name.replaceAll("_", " ")}` : found[1]
}
