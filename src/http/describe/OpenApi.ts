/**
 * The OpenAPI 3.1 description of the service, derived from the declared object types and routes.
 * Pure.
 *
 * It describes objects as they are read, as they are written, and as they appear inside others.
 */
import { version } from "../../Config.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { imageFieldsOf } from "../../inventory/image/ImageField.ts"
import { registry } from "../../inventory/Registry.ts"
import { filterNames } from "../../inventory/derive/filter/FilterNames.ts"
import { type Method, type Route, methodsOf } from "../Route.ts"
import { titled } from "../objects/Title.ts"
import { type Json, integer, listOf, parameter, schema, string } from "./JsonSchema.ts"
import { type DescribedOperation, answer, json, refusals } from "./Operation.ts"
import { common, nameOf, schemasOf } from "./Schemas.ts"

/** The parts of a route that the description needs; a method without a declaration follows from the object type. */
export interface DescribedRoute extends Pick<Route, "path" | "access"> {
  readonly methods: Readonly<Partial<Record<Method, DescribedOperation | undefined>>>
}

export const openApi = (routes: ReadonlyArray<DescribedRoute>, base: string): Json => ({
  openapi: "3.1.0",
  info: { title: "Rackwire", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
  servers: [{ url: base }],
  security: [{ token: [] }],
  paths: Object.fromEntries(
    routes
      .filter(({ path }) => path.startsWith("/api/"))
      .map((route) => [route.path.replaceAll(/:(\w+)/g, "{$1}"), pathItem(route)])
  ),
  components: {
    securitySchemes: {
      token: { type: "apiKey", in: "header", name: "Authorization", description: "`Token` and a key." }
    },
    schemas: {
      ...Object.assign({}, ...[...registry.values()].map(schemasOf)),
      ...common,
      ...Object.assign({}, ...routes.flatMap(({ methods }) => Object.values(methods).map((each) => each?.schemas)))
    }
  }
})

const pathItem = ({ path, access, methods }: DescribedRoute): Json => {
  const parameters = Array.from(path.matchAll(/:(\w+)/g), ([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: name === "id" ? integer : string
  }))
  const type = typeof access === "string" ? undefined : access
  const own = type !== undefined && (path === type.path || path === `${type.path}:id/`) ? type : undefined
  const operations = methodsOf(methods).map((method) => [
    method.toLowerCase(),
    {
      operationId: `${path.replaceAll(/[^a-z0-9]+/gi, "_").replace(/^_api_/, "")}${method.toLowerCase()}`,
      tags: [path.split("/")[2] || "api"],
      ...(type === undefined && { security: [] }),
      ...(own === undefined ? anything(method) : operation(own, method, path !== own.path)),
      ...declared(methods[method], type)
    }
  ])
  return { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) }
}

/** The operation as the route declares it. */
const declared = (described: DescribedOperation | undefined, type: ObjectType | undefined): Json => {
  if (described === undefined) return {}
  const { operation: own, hasFilters } = described
  if (!hasFilters || type === undefined) return own
  const parameters = (own["parameters"] ?? []) as ReadonlyArray<Json>
  const taken = new Set([...parameters.map(({ name }) => name), ...notFiltering])
  return { ...own, parameters: [...parameters, ...listParameters(type).filter(({ name }) => !taken.has(name))] }
}

/** An endpoint that is neither a list nor an object. */
const anything = (method: Method): Json => ({
  ...(method !== "GET" && method !== "DELETE" && { requestBody: { content: json({}) } }),
  responses: { "2XX": answer("Done."), ...refusals }
})

const operation = (type: ObjectType, method: Method, one: boolean): Json => {
  const name = nameOf(type)
  const plain = schema(name)
  const request = schema(`${method === "PATCH" ? "Patched" : ""}${name}Request`)
  const withId = { allOf: [request, { type: "object", properties: { id: integer }, required: ["id"] }] }
  const unknown = one ? { "404": answer("Not found.", schema("Detail")) } : {}
  const either = (single: Json, many: Json): Json => (one ? single : many)
  switch (method) {
    case "GET":
      return {
        summary: one ? `One ${type.label}` : titled(type.plural),
        parameters: [...shape, ...(one ? [] : listParameters(type))],
        responses: {
          "200": answer("As requested.", one ? plain : schema(`Paginated${name}List`)),
          ...refusals,
          ...unknown
        }
      }
    case "POST":
      return {
        summary: `Create one ${type.label} or many`,
        requestBody: { required: true, content: { ...json({ oneOf: [request, listOf(request)] }), ...uploadOf(type) } },
        responses: { "201": answer("Created.", { oneOf: [plain, listOf(plain)] }), ...refusals }
      }
    case "DELETE":
      return {
        summary: one ? `Delete a ${type.label}` : `Delete many ${type.label}s`,
        ...(!one && {
          requestBody: {
            required: true,
            content: json(listOf({ type: "object", properties: { id: integer }, required: ["id"] }))
          }
        }),
        responses: {
          "204": answer("Deleted."),
          "409": answer("Something depends on it.", schema("Detail")),
          ...refusals,
          ...unknown
        }
      }
    default:
      return {
        summary: one ? `Update a ${type.label}` : `Update many ${type.label}s`,
        requestBody: {
          required: true,
          content: { ...json(either(request, listOf(withId))), ...(one && uploadOf(type)) }
        },
        responses: { "200": answer("Updated.", either(plain, listOf(plain))), ...refusals, ...unknown }
      }
  }
}

/** The form with images of a type that has some. */
const uploadOf = (type: ObjectType): Json => {
  const files = imageFieldsOf(type).map(({ name }) => [name, { contentMediaType: "application/octet-stream" }] as const)
  const form = { type: "object", properties: Object.fromEntries(files) }
  return files.length === 0 ? {} : { "multipart/form-data": { schema: form } }
}

const filterParameter = (name: string): Json => parameter(name, listOf(string))

const shape = [
  parameter("brief", string, "Any text: the brief representation."),
  parameter("fields", string, "Names of the fields to show, with commas between."),
  parameter("omit", string, "Names of fields not to show.")
]

const paging = [
  parameter("limit", integer, "Most objects; 0 for as many as there may be."),
  parameter("offset", integer),
  parameter("start", integer, "By cursor: from this id on, in the order of ids, without a count."),
  parameter("ordering", string, "Names of fields, with commas between; `-` before one turns it."),
  parameter("strict", { type: "boolean" }, "Whether unknown filters are refused.")
]

/** Parameters of a list that select nothing. */
const notFiltering: ReadonlySet<unknown> = new Set(["limit", "offset", "start", "ordering"])

const saved = [
  parameter("filter", listOf(string), "Slugs of saved filters; other parameters override them."),
  parameter("filter_id", listOf(integer), "Ids of saved filters.")
]

/** A name that means something else is no filter: `ordering` of webhooks. */
const listParameters = (type: ObjectType): ReadonlyArray<Json> => {
  const own = [...paging, ...(type.kind === "object" ? saved : [])]
  const taken = new Set([...own, ...shape].map(({ name }) => name))
  return [
    ...own,
    ...filterNames(type)
      .filter((name) => !taken.has(name))
      .map(filterParameter)
  ]
}
