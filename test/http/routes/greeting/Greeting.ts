/** A route as one file: its path, access, schemas, words and handler. */
import { Effect } from "effect"
import { endpoint } from "../../../../src/http/declare/Endpoint.ts"
import { described, integer, optional, record, string } from "../../../../src/http/declare/Parts.ts"
import type { Route } from "../../../../src/http/Route.ts"
import { objectType } from "../../../../src/inventory/Registry.ts"

const greeting = record({ text: string, times: optional(described(integer, "How often it was said.")) })

export default {
  path: "/api/extras/greetings/:name/",
  access: objectType("extras.tag"),
  methods: {
    GET: endpoint(
      { summary: "A greeting", query: { times: described(integer, "How often.") }, hasFilters: true, reply: greeting },
      ({ params }) => Effect.succeed({ status: 200, json: { text: `Hello, ${params["name"]}` } })
    )
  }
} satisfies Route
