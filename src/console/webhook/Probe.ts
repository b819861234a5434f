/** `/extras/webhooks/<id>/probe/`: one delivery is attempted now, although the circuit breaker is open. */
import { Effect } from "effect"
import { askForProbe } from "../../log/BreakerTable.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { flash } from "../frame/Flash.ts"
import { pathOf } from "../value/Title.ts"
import { openedWebhook, webhookType } from "./Opened.ts"

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const { row } = yield* openedWebhook(request)
    const deed = (yield* askForProbe([row.id])).length > 0 ? "probed" : "unprobed"
    return {
      ...redirect(pathOf(webhookType, row.id)),
      cookies: [flash({ deed, type: webhookType })],
      written: [row.id]
    }
  })

export default {
  path: `${pathOf(webhookType)}:id/probe/`,
  access: webhookType,
  action: "change",
  methods: { POST: submit }
} satisfies Route
