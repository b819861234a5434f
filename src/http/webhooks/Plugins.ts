/**
 * `GET /api/plugins/`: the root of NetBox's plugins, and in it the template plugins with their examples and ready-made
 * templates. Clients of NetBox read addresses by name there; the list of the plugins has the keys of a page.
 */
import { Effect, Schema } from "effect"
import { Denied } from "../../auth/Denied.ts"
import { mayView } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { Templates } from "../../template/Template.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, each, listOf, object, optional, pageOf, record, string } from "../declare/Parts.ts"
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

const root = "/api/plugins/"
const installedPath = `${root}installed-plugins/`

/** Plugins are for writing webhooks, so access to webhooks is enough; to others none are listed. */
const listPlugins = endpoint(
  {
    summary: "The root of plugins, and the template plugins with their examples and ready-made templates",
    reply: pageOf(plugin, { "installed-plugins": string })
  },
  ({ base }) =>
    Effect.gen(function* () {
      const { plugins } = yield* Templates
      const results = (yield* mayView(objectType("extras.webhook"))) ? yield* plugins : []
      const beside = { count: results.length, next: null, previous: null, "installed-plugins": base + installedPath }
      return { status: 200, json: { ...beside, results } }
    })
)

const installed = record(each(["name", "package", "author", "author_email", "description", "version"], string))

/** As NetBox lists them, for staff. A template plugin is one file: it names no author and has no version. */
const listInstalled = endpoint({ summary: "The installed plugins, for staff", reply: listOf(installed) }, (request) =>
  Effect.gen(function* () {
    const { user } = request.principal
    if (user === undefined) return yield* new Denied({ reason: "NoCredentials" })
    if (user.is_staff !== true && user.is_superuser !== true) return yield* new Denied({ reason: "NoPermission" })
    const { plugins } = yield* Templates
    const json = (yield* plugins).map(({ name, description }) => ({
      ...{ name, package: name, author: "", author_email: "", description, version: "" }
    }))
    return { status: 200, json }
  })
)

export default [
  { path: root, access: "open", methods: { GET: listPlugins } },
  { path: installedPath, access: "open", methods: { GET: listInstalled } }
] satisfies ReadonlyArray<Route>
