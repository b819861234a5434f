/** `/api/schema/`: the service described for programs, and for people by Swagger UI. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { stringify } from "yaml"
import { notFound } from "./HttpRefused.ts"
import { openApi } from "./OpenApi.ts"
import type { Handler, Route } from "./Route.ts"

const types = ["application/vnd.oai.openapi+json", "application/json", "application/yaml"]

/** Documents by address of the service and type: they are large, and do not change while the process runs. */
const documents = new Map<string, string>()

/** Most addresses that a document is kept for; a client can name any. */
const documentsMax = 8

const describe =
  (routes: () => ReadonlyArray<Route>): Handler =>
  ({ base, accepted, url }) =>
    Effect.sync(() => {
      const type = url.searchParams.get("format") === "yaml" ? "application/yaml" : accepted
      const key = `${base} ${type === "application/yaml"}`
      const known = documents.get(key)
      const document = known ?? written(openApi(routes(), base), type)
      if (documents.size >= documentsMax) documents.clear()
      documents.set(key, document)
      return { status: 200, text: { type, content: document } }
    })

const written = (document: object, type: string): string =>
  type === "application/yaml" ? stringify(document, { aliasDuplicateObjects: false }) : JSON.stringify(document)

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
