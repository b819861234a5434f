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
<script src="start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({ url: "../", dom_id: "#swagger-ui", deepLinking: true, filter: true, docExpansion: "none" })\n`

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
