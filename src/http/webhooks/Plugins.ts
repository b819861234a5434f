/** `GET /api/plugins/`: the template plugins with their examples and ready-made templates. */
import { Effect } from "effect"
import { objectType } from "../../inventory/Registry.ts"
import { Templates } from "../../template/Template.ts"
import type { Handler, Route } from "../Route.ts"

const listPlugins: Handler = () =>
  Effect.gen(function* () {
    const { plugins } = yield* Templates
    const results = yield* plugins
    return { status: 200, json: { count: results.length, next: null, previous: null, results } }
  })

export const pluginRoutes: ReadonlyArray<Route> = [
  // Plugins are for writing webhooks, so access to webhooks is enough.
  { path: "/api/plugins/", access: objectType("extras.webhook"), methods: { GET: listPlugins } }
]
