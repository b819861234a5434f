/** Words in which endpoints are described: parts of JSON Schema and of OpenAPI. Pure. */

export type Json = Readonly<Record<string, unknown>>

/** An endpoint with a description of its own. */
export interface Described {
  readonly summary: string
  readonly parameters?: ReadonlyArray<Json>
  readonly body?: Json
  readonly isBodyOptional?: boolean
  /** 200 if absent. */
  readonly status?: 202
  readonly answer: Json
}

/** By path and method. */
export type Endpoints = Readonly<Record<string, Readonly<Record<string, Described>>>>

export const string = { type: "string" }
export const integer = { type: "integer" }
export const number = { type: "number" }
export const flag = { type: "boolean" }
export const time = { type: "string", format: "date-time" }
export const object = { type: "object", additionalProperties: true }

export const words = (...values: ReadonlyArray<string>): Json => ({ type: "string", enum: values })
export const described = (of: Json, description: string): Json => ({ ...of, description })
export const schema = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
export const listOf = (items: Json): Json => ({ type: "array", items })
export const orNull = (of: Json): Json => ({ anyOf: [of, { type: "null" }] })

/** An object whose properties are all there, but for the optional ones. */
export const record = <Properties extends Json>(properties: Properties, optional: Json = {}) => ({
  type: "object",
  properties: { ...properties, ...optional },
  required: Object.keys(properties)
})

/** A page of a list, with more beside its results. */
export const pageOf = (results: Json, more: Json = {}): Json =>
  record({ count: integer, next: orNull(string), previous: orNull(string), ...more, results: listOf(results) })

export const parameter = (name: string, of: Json, description?: string): Json => ({
  name,
  in: "query",
  schema: of,
  ...(description !== undefined && { description })
})
