/** `/extras/deliveries/<id>/`: one delivery; `?attempt=2` chooses an attempt, `&view=verify` how it is shown. */
import { Effect } from "effect"
import { attemptsInSight } from "../../history/inspect/AttemptsInSight.ts"
import { bodyFile } from "../../history/inspect/snippet/Snippet.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { notFound } from "../../http/HttpRefused.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import { attemptIn, inspected, sentRequestFor } from "../../http/webhooks/SentRequests.ts"
import { deliveryPage } from "./DeliveryPage.ts"
import { pathOf } from "../value/Title.ts"
import { withLive } from "../live/Following.ts"

/** The body of the request of an attempt, as a file. */
const download: Handler = (request) =>
  Effect.gen(function* () {
    const whole = (yield* attemptIn(request)) ?? 1
    const row = yield* rowOf(deliveryType, request)
    const attempt = (yield* attemptsInSight(inspected(row), { whole })).find(({ number }) => number === whole)
    if (attempt === undefined) return yield* notFound()
    const { body } = yield* sentRequestFor(request, row, attempt)
    if (body === undefined) return yield* notFound()
    return {
      status: 200,
      bytes: { type: "application/octet-stream", content: [body.bytes] },
      // No browser shows it as a page.
      headers: { "content-disposition": `attachment; filename="${bodyFile}"` }
    }
  })

const path = `${pathOf(deliveryType)}:id/`

export default [
  { path, access: deliveryType, methods: { GET: withLive((request) => deliveryPage(request)) } },
  { path: `${path}body/`, access: deliveryType, methods: { GET: download } }
] satisfies ReadonlyArray<Route>
