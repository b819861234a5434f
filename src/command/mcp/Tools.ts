/** The tools of `rackwire mcp`: each has a name, a text, its arguments as JSON Schema, and a request to the REST API. */
import { registry } from "../../inventory/Registry.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { Query, Rest } from "./Rest.ts"

type Arguments = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly description: string
  /** Whether it changes something. */
  readonly writes: boolean
  readonly inputSchema: {
    readonly type: "object"
    readonly properties: Readonly<Record<string, object>>
    readonly required: ReadonlyArray<string>
    readonly additionalProperties: false
  }
  readonly run: (rest: Rest, given: Arguments) => Promise<unknown>
}

/** Most objects that one call lists, and as many as it lists if nothing is said. */
const listedMax = 100
const listedUsually = 20

const type = { type: "string", description: "Object type, like dcim.site; object_types lists them." }
const id = { type: "integer", minimum: 1 }
const values = { type: "object", description: "Fields with their values, as the REST API takes them." }
const message = { type: "string", maxLength: 200, description: "Why; it is kept in the change log." }
const page = {
  limit: { type: "integer", minimum: 1, maximum: listedMax, default: listedUsually },
  offset: { type: "integer", minimum: 0 },
  fields: { type: "string", description: "Only these fields, comma-separated: answers are bounded." },
  filters: {
    type: "object",
    description: 'Query parameters of the REST API, like {"status": "active", "name__ic": "ams", "ordering": "-id"}.'
  }
}

/** Arguments that a tool cannot do without, where it has them. */
const needed: ReadonlySet<string> = new Set(["type", "id", "values"])

const tool = (
  name: string,
  description: string,
  properties: Tool["inputSchema"]["properties"],
  run: Tool["run"],
  writes = false
): Tool => {
  const required = Object.keys(properties).filter((each) => needed.has(each))
  return {
    ...{ name, description, writes, run },
    inputSchema: { type: "object", properties, required, additionalProperties: false }
  }
}

const typeOf = (given: Arguments): ObjectType => {
  const found = registry.get(String(given["type"]))
  if (found === undefined) throw new Error(`There is no object type ${String(given["type"])}: object_types lists them.`)
  return found
}

const pathOf = (given: Arguments): string => `${typeOf(given).path}${String(given["id"])}/`

const queryOf = ({ limit = listedUsually, offset, fields: only, filters = {} }: Arguments): Query => ({
  // Unknown filters are refused, not ignored: the answer would be one to another question.
  ...(filters as Query),
  ...{ limit, offset, fields: only, strict: true }
})

const listOf =
  (path: string): Tool["run"] =>
  (rest, given) =>
    rest("GET", path, { query: queryOf(given) })

const bodyOf = ({ values, message: why }: Arguments): unknown =>
  why === undefined ? values : { ...(values as object), changelog_message: why }

const changes = "/api/extras/object-changes/"
const deliveries = "/api/extras/deliveries/"

export const tools: ReadonlyArray<Tool> = [
  tool(
    "status",
    "State of the service: versions, processes, problems, and how far capture and deliveries are.",
    {},
    async (rest) => ({
      service: await rest("GET", "/api/status/"),
      // Needs the right to view webhooks.
      pipeline: await rest("GET", "/api/core/pipeline/").catch((error: Error) => error.message)
    })
  ),
  tool("object_types", "The object types.", {}, async () =>
    [...registry.values()].map(({ id, label }) => ({ type: id, label }))
  ),
  tool("object_fields", "The fields of an object type.", { type }, async (_, given) =>
    Object.keys(typeOf(given).fields)
  ),
  tool("list_objects", "Objects of a type, by filters.", { type, ...page }, (rest, given) =>
    listOf(typeOf(given).path)(rest, given)
  ),
  tool("get_object", "One object.", { type, id }, (rest, given) => rest("GET", pathOf(given))),
  tool(
    "list_changes",
    "The change log, objects of the type extras.objectchange. Filters: changed_object_type, changed_object_id, user, action, request_id, time_after, time_before.",
    page,
    listOf(changes)
  ),
  tool(
    "explain_change",
    "Why webhooks fired for a change or did not: the gate or clause that decided, and what became of each delivery.",
    { id },
    (rest, given) => rest("GET", `${changes}${String(given["id"])}/explain/`)
  ),
  tool(
    "list_deliveries",
    "Deliveries to receivers. Filters: status (successful, failed, retrying, queued, discarded), webhook_id, object_type, object_id, request_id.",
    page,
    listOf(deliveries)
  ),
  tool(
    "explain_delivery",
    "One delivery: its attempts with their answers, its journey from the commit to the answer, and why it failed.",
    { id },
    (rest, given) => rest("GET", `${deliveries}${String(given["id"])}/`)
  ),
  tool(
    "create_object",
    "Creates an object.",
    { type, values, message },
    (rest, given) => rest("POST", typeOf(given).path, { query: { strict: true }, body: bodyOf(given) }),
    true
  ),
  tool(
    "update_object",
    "Changes the given fields of an object.",
    { type, id, values, message },
    (rest, given) => rest("PATCH", pathOf(given), { query: { strict: true }, body: bodyOf(given) }),
    true
  ),
  tool("delete_object", "Deletes an object.", { type, id }, (rest, given) => rest("DELETE", pathOf(given)), true),
  tool(
    "retry_delivery",
    "Attempts a delivery now. With again, also one that its receiver has accepted.",
    { id, again: { type: "boolean" } },
    (rest, given) =>
      rest("POST", `${deliveries}${String(given["id"])}/retry/`, { body: { again: given["again"] === true } }),
    true
  )
]
