/** `/gauges/`: the gauges alone, for pages that are open for long. */
import { Effect } from "effect"
import type { Handler, Route } from "../../http/Route.ts"
import { gauges } from "../frame/Gauges.ts"

const show: Handler = (request) =>
  Effect.map(gauges(request), ({ text }) => ({
    status: 200,
    headers: { "cache-control": "no-store" },
    text: { type: "text/html", content: text }
  }))

export default { path: "/gauges/", access: "open", isPolled: true, methods: { GET: show } } satisfies Route
