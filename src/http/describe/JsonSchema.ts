/** Parts of JSON Schema and of OpenAPI. Pure. */

export type Json = Readonly<Record<string, unknown>>

export const string = { type: "string" }
export const integer = { type: "integer" }
export const object = { type: "object", additionalProperties: true }

export const schema = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
export const listOf = (items: Json): Json => ({ type: "array", items })
export const orNull = (of: Json): Json => ({ anyOf: [of, { type: "null" }] })

export const parameter = (name: string, of: Json, description?: string): Json => ({
  name,
  in: "query",
  schema: of,
  ...(description !== undefined && { description })
})
