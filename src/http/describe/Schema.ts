/** `/api/schema/`: the OpenAPI description of the service. */
import { once as onceEvent } from "node:events"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { declaring } from "../declare/Endpoint.ts"
import { described, words } from "../declare/Parts.ts"
import { parameterOf } from "../query/Parameter.ts"
import type { Handler, Route } from "../Route.ts"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { describedOperation } from "./Operation.ts"
import type { PlainRoute, SchemaParts, SchemaRequest } from "./SchemaWorker.ts"

const jsonTypes = ["application/vnd.oai.openapi+json", "application/json"]
const yamlTypes = ["application/vnd.oai.openapi", "application/yaml"]

/** Without `Accept` the answer is JSON, which parsers of YAML read too. NetBox answers YAML. */
const types = [...jsonTypes, ...yamlTypes]

/** The types of a format; the first one unless the client accepts another one of them. */
const formats: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["json", jsonTypes],
  ["yaml", yamlTypes]
])

const declared = {
  summary: "This description of the API",
  query: { format: described(words("json", "yaml"), "Its format; without it by the header `Accept`.") }
}

/**
 * Answers with the description in the requested type, with the address by which the client reached the service. The
 * texts are made once: a memo, as they follow from the routes.
 */
const describe = (routes: () => ReadonlyArray<Route>): Handler => {
  const json = once(() => written(routes(), false))
  // One thread at a time, to save memory.
  const yaml = once(async () => {
    await json()
    return written(routes(), true)
  })
  return declaring(declared, ({ base, accepted, url }) =>
    Effect.gen(function* () {
      const possible = formats.get(parameterOf(url.searchParams, "format") ?? "") ?? types
      const type = possible.includes(accepted) ? accepted : possible[0]!
      const [before, after] = yield* Effect.promise(yamlTypes.includes(type) ? yaml : json)
      return { status: 200, bytes: { type, content: [before, Buffer.from(JSON.stringify(base)), after] } }
    })
  )
}

/** Calls `make` once and keeps its result; calls it again if it failed. */
const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Memory limits of the thread. */
const megabytes = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }

/** The parts of a route that can be sent to a thread. All routes together take some 70 ms. */
export const plainOf = ({ path, access, methods, produces }: Route): PlainRoute => ({
  path,
  access: typeof access === "string" ? access : { type: access.id },
  methods: Object.fromEntries(
    Object.entries(methods).map(([name, { declared }]) => [name, declared && describedOperation(declared, produces)])
  )
})

const written = async (routes: ReadonlyArray<Route>, isYaml: boolean): Promise<SchemaParts> => {
  const plain = await Effect.runPromise(mapInSlices(routes, plainOf))
  const workerData: SchemaRequest = { routes: plain, isYaml }
  const worker = new Worker(new URL(`./SchemaWorker${extname(import.meta.url)}`, import.meta.url), {
    workerData,
    resourceLimits: megabytes
  })
  const [parts] = (await onceEvent(worker, "message")) as [SchemaParts]
  return parts
}

/** The routes of the description of all routes: as in NetBox 3.5, and as before, for clients of that time. */
export const schemaRoutes = (routes: () => ReadonlyArray<Route>): ReadonlyArray<Route> => {
  const methods = { GET: describe(routes) }
  return ["/api/schema/", "/api/docs/"].map((path) => ({ path, access: "open", produces: types, methods }))
}
