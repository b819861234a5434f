/** `/static/…`: the files that pages load. */
import { Effect } from "effect"
import { namesIn } from "../../http/wire/Negotiation.ts"
import { notFound } from "../../http/HttpRefused.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { serveAsset } from "../Assets.ts"

const show: Handler = ({ params: { file = "" }, url, incoming }) =>
  Effect.gen(function* () {
    const accepted = namesIn(incoming.headers["accept-encoding"] ?? "")
    const found = yield* Effect.promise(() => serveAsset(file, url.searchParams.get("v") ?? "", accepted))
    if (found === undefined) return yield* notFound()
    const { type, content, headers } = found
    return { status: 200, headers, bytes: { type, content: [content] } }
  })

export default { path: "/static/:file", access: "unasked", methods: { GET: show } } satisfies Route
