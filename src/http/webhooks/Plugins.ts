/** `GET /api/plugins/`: the template plugins with their examples and ready-made templates. */
import { Effect, Schema } from "effect"
import { objectType } from "../../inventory/Registry.ts"
import { Templates } from "../../template/Template.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, listOf, object, optional, pageOf, record, string } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"

const ready = record({
  ...{ description: string, body: string },
  ...{ headers: optional(string), contentType: optional(string), engine: optional(string) }
})

const example = record({
  ...{ template: string, engine: optional(string), context: optional(object) },
  expect: described(Schema.Union([string, record({ error: string })]), "The output, or the reason of the fault.")
})

const plugin = record({
  ...{ name: string, description: string, engines: listOf(string) },
  ...{ filters: listOf(string), tests: listOf(string), globals: listOf(string), tags: listOf(string) },
  templates: Schema.Record(string, ready),
  examples: listOf(example)
})

const listPlugins = endpoint(
  { summary: "The template plugins, with their examples and ready-made templates", reply: pageOf(plugin) },
  () =>
    Effect.gen(function* () {
      const { plugins } = yield* Templates
      const results = yield* plugins
      return { status: 200, json: { count: results.length, next: null, previous: null, results } }
    })
)

export default [
  // Plugins are for writing webhooks, so access to webhooks is enough.
  { path: "/api/plugins/", access: objectType("extras.webhook"), methods: { GET: listPlugins } }
] satisfies ReadonlyArray<Route>
