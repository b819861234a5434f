/** The declaration of a method of a route, as the description of the API has it. Pure. */
import { Schema } from "effect"
import type { Declared } from "../declare/Declared.ts"
import { derived } from "../declare/Parts.ts"
import { emptyRecord, isDictionary } from "../../inventory/Field.ts"
import { type Json, listOf, parameter, schema } from "./JsonSchema.ts"

/** Plain data, which can be sent to a thread. */
export interface DescribedOperation {
  readonly operation: Json
  /** Whether the filters of the route's object type are parameters too. */
  readonly hasFilters: boolean
  /** The schemas that the operation refers to by name. */
  readonly schemas: Json
}

export const json = (of: Json) => ({ "application/json": { schema: of } })
export const answer = (description: string, of?: Json): Json => ({
  description,
  ...(of !== undefined && { content: json(of) })
})
export const refusals = {
  "400": answer("What is wrong, by field.", { anyOf: [schema("Errors"), listOf(schema("Errors")), schema("Detail")] }),
  "403": answer("Not allowed.", schema("Detail"))
}

export const describedOperation = (
  { summary, query, body, files, status = 200, reply, ...is }: Declared,
  produces: ReadonlyArray<string> = []
): DescribedOperation => {
  const schemas = emptyRecord<unknown>()
  const written = (of: Schema.Constraint): Json => {
    const { schema: plain, definitions } = Schema.toJsonSchemaDocument(of, { includeAnnotationKey: isOurs })
    for (const [name, each] of Object.entries(definitions)) schemas[name] = simplified(each)
    return simplified(plain) as Json
  }
  const operation = {
    summary,
    ...(query !== undefined && {
      parameters: Object.entries(query).map(([name, of]) => {
        const { description, ...plain } = written(of)
        return parameter(name, plain, description as string | undefined)
      })
    }),
    ...(body !== undefined && { requestBody: { required: is.isBodyOptional !== true, content: json(written(body)) } }),
    ...(files !== undefined && { requestBody: { required: true, content: ofTypes(files) } }),
    responses: {
      [status]:
        reply === undefined
          ? { description: "As requested.", content: ofTypes(produces) }
          : answer("As requested.", written(reply)),
      ...refusals,
      "404": answer("Not found.", schema("Detail"))
    }
  }
  return { operation, hasFilters: is.hasFilters === true, schemas }
}

const ofTypes = (types: ReadonlyArray<string>): Json => Object.fromEntries(types.map((type) => [type, {}]))

const isOurs = (key: string): boolean => key === derived.as || key === derived.beside

/** As `toJsonSchemaDocument` writes it, with references to the schemas of the document and without what is usual. */
const simplified = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(simplified)
  if (!isDictionary(value)) return value
  const { [derived.as]: as, [derived.beside]: beside, ...own } = value
  if (typeof as === "string")
    return { ...schema(as), ...(own["description"] !== undefined && { description: own["description"] }) }
  if (typeof beside === "string") {
    const { allOf: _, ...more } = own
    return { allOf: [schema(beside), { ...(simplified(more) as Json), additionalProperties: true }] }
  }
  const entries = Object.entries(own).filter(([name, each]) => !isUsual(name, each))
  return Object.fromEntries(
    entries.map(([name, each]) => [name, name === "$ref" ? referenceOf(each) : simplified(each)])
  )
}

/** Other properties may be added to any object; an integer is one that JSON carries. */
const isUsual = (name: string, value: unknown): boolean =>
  (name === "additionalProperties" && value === true) ||
  (name === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (name === "maximum" && value === Number.MAX_SAFE_INTEGER)

const referenceOf = (reference: unknown): unknown =>
  typeof reference === "string" ? reference.replace("#/$defs/", "#/components/schemas/") : reference
