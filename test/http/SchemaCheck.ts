/** Checks a value against the schemas of our description: the part of JSON Schema that they use. */
import type { Json } from "../support/Client.ts"

export type Schemas = Readonly<Record<string, Json>>

/** Where the value is not as its schema says. */
export const mismatches = (value: unknown, schema: Json, schemas: Schemas, place = ""): ReadonlyArray<string> => {
  const reference = schema["$ref"] as string | undefined
  if (reference !== undefined) return mismatches(value, schemas[reference.split("/").at(-1)!]!, schemas, place)
  const options = schema["anyOf"] as ReadonlyArray<Json> | undefined
  if (options !== undefined) {
    const tried = options.map((option) => mismatches(value, option, schemas, place))
    return tried.some((wrong) => wrong.length === 0) ? [] : tried[0]!
  }
  const values = schema["enum"] as ReadonlyArray<unknown> | undefined
  if (values !== undefined && !values.includes(value)) return [`${place}: ${JSON.stringify(value)} is not listed`]
  const type = schema["type"] as string | undefined
  if (type !== undefined && !isOfType(value, type)) return [`${place}: ${JSON.stringify(value)} is no ${type}`]
  if (Array.isArray(value)) {
    // A list in a JSON field may hold anything.
    const items = (schema["items"] ?? {}) as Json
    return value.flatMap((each, at) => mismatches(each, items, schemas, `${place}[${at}]`))
  }
  const properties = schema["properties"] as Schemas | undefined
  if (properties === undefined || typeof value !== "object" || value === null) return []
  const missing = ((schema["required"] ?? []) as ReadonlyArray<string>).filter((name) => !Object.hasOwn(value, name))
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  const isOpen = schema["additionalProperties"] === true
  return [
    ...missing.map((name) => `${place}.${name} is missing`),
    ...(isOpen ? [] : unknown.map((name) => `${place}.${name} is not described`)),
    ...Object.entries(value).flatMap(([name, each]) =>
      Object.hasOwn(properties, name) ? mismatches(each, properties[name]!, schemas, `${place}.${name}`) : []
    )
  ]
}

const isOfType = (value: unknown, type: string): boolean => {
  if (type === "null") return value === null
  if (type === "array") return Array.isArray(value)
  if (type === "integer") return Number.isInteger(value)
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value)
  return typeof value === type
}
