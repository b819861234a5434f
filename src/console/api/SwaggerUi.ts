/** `/api/schema/swagger-ui/`: the OpenAPI description for people, shown by Swagger UI. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { declaring } from "../../http/declare/Endpoint.ts"
import { notFound } from "../../http/HttpRefused.ts"
import type { Route } from "../../http/Route.ts"
import { pageHeaders } from "../frame/Document.ts"

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
<script type="module" src="start.js"></script>
</body>
</html>
`

/**
 * Shows the description as OpenAPI 3.0: Swagger UI resolves 3.1 with another library, which takes 13 s for the page and 9 s
 * for an operation, where 3.0 takes 1.3 and 0.7. All that 3.1 adds here is the type null beside another one.
 */
const start = `const nullable = (_, value) => {
  const types = value?.anyOf?.filter((each) => each.type !== "null")
  if (!types || types.length === value.anyOf.length) return value
  const { anyOf, ...rest } = value
  return types.length > 1 ? { ...rest, anyOf: types, nullable: true } : { ...rest, ...types[0], nullable: true }
}
const description = await (await fetch("../")).text()
SwaggerUIBundle({
  spec: { ...JSON.parse(description, nullable), openapi: "3.0.3" },
  dom_id: "#swagger-ui",
  deepLinking: true,
  filter: true,
  docExpansion: "none"
})
`

const show = declaring({ summary: "The description of the API, for people" }, () =>
  Effect.succeed({ status: 200, headers: pageHeaders, text: { type: "text/html", content: page } })
)

/** Files of Swagger UI that the page loads, with their types. */
const assets: ReadonlyMap<string, string> = new Map([
  ["swagger-ui.css", "text/css"],
  ["swagger-ui-bundle.js", "text/javascript"]
])

const showFile = declaring({ summary: "A file of the page for people" }, ({ params: { file = "" } }) =>
  Effect.gen(function* () {
    if (file === "start.js") return { status: 200, text: { type: "text/javascript", content: start } }
    const type = assets.get(file)
    if (type === undefined) return yield* notFound()
    const path = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`))
    const content = yield* Effect.promise(() => readFile(path, "utf8"))
    return { status: 200, text: { type, content }, headers: { "cache-control": "public, max-age=86400" } }
  })
)

export default [
  { path: "/api/schema/swagger-ui/", access: "open", produces: ["text/html"], methods: { GET: show } },
  {
    path: "/api/schema/swagger-ui/:file",
    access: "open",
    produces: ["text/css", "text/javascript"],
    methods: { GET: showFile }
  }
] satisfies ReadonlyArray<Route>
