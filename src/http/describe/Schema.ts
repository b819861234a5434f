/** `/api/schema/`: the service described for programs, and for people by Swagger UI. */
import { once as onceEvent } from "node:events"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { notFound } from "../HttpRefused.ts"
import type { Handler, Method, Route } from "../Route.ts"
import type { PlainRoute, SchemaParts, SchemaRequest } from "./SchemaWorker.ts"

const types = ["application/vnd.oai.openapi+json", "application/json", "application/yaml"]

/** Shows the description in the type that is asked for, with the address by which the client reached the service. */
const describe = (routes: () => ReadonlyArray<Route>): Handler => {
  const json = once(() => written(routes(), false))
  // One thread at a time, for its memory.
  const yaml = once(async () => {
    await json()
    return written(routes(), true)
  })
  return ({ base, accepted, url }) =>
    Effect.gen(function* () {
      const type = url.searchParams.get("format") === "yaml" ? "application/yaml" : accepted
      const [before, after] = yield* Effect.promise(type === "application/yaml" ? yaml : json)
      return { status: 200, bytes: { type, content: [before, Buffer.from(JSON.stringify(base)), after] } }
    })
}

/** Makes something at the first call, or again after it failed. */
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

/** Memory of the thread. */
const megabytes = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }

const written = async (routes: ReadonlyArray<Route>, isYaml: boolean): Promise<SchemaParts> => {
  const plain = routes.map(({ path, access, methods }): PlainRoute => {
    const names = Object.keys(methods) as ReadonlyArray<Method>
    return { path, access: typeof access === "string" ? access : { type: access.id }, methods: names }
  })
  const workerData: SchemaRequest = { routes: plain, isYaml }
  const worker = new Worker(new URL("./SchemaWorker.ts", import.meta.url), { workerData, resourceLimits: megabytes })
  const [parts] = (await onceEvent(worker, "message")) as [SchemaParts]
  return parts
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Rackwire API</title>
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({ url: "../", dom_id: "#swagger-ui", deepLinking: true, filter: true, docExpansion: "none" })\n`

const html: Handler = () => Effect.succeed({ status: 200, text: { type: "text/html", content: page } })

/** Files of Swagger UI that a page may ask for, and their types. */
const assets: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css",
  "swagger-ui-bundle.js": "text/javascript"
}

const asset: Handler = ({ params }) =>
  Effect.gen(function* () {
    const name = params["file"] ?? ""
    if (name === "start.js") return { status: 200, text: { type: "text/javascript", content: start } }
    if (!Object.hasOwn(assets, name)) return yield* notFound()
    const path = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
    const content = yield* Effect.promise(() => readFile(path, "utf8"))
    return {
      status: 200,
      text: { type: assets[name]!, content },
      headers: { "cache-control": "public, max-age=86400" }
    }
  })

/** Describes the routes that it is given, and itself. */
export const schemaRoutes = (routes: ReadonlyArray<Route>): ReadonlyArray<Route> => {
  const own: ReadonlyArray<Route> = [
    { path: "/api/schema/", access: "open", produces: types, methods: { GET: describe(() => [...routes, ...own]) } },
    { path: "/api/schema/swagger-ui/", access: "open", produces: ["text/html"], methods: { GET: html } },
    {
      path: "/api/schema/swagger-ui/:file",
      access: "open",
      produces: ["text/css", "text/javascript"],
      methods: { GET: asset }
    }
  ]
  return own
}
