/** How capture is, and acknowledging a gap. */
import { Effect } from "effect"
import { cleared } from "../../inventory/Clearance.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import {
  acknowledgeGap,
  epochs,
  gaps,
  leadership,
  publicationState,
  setAsideState,
  slotState
} from "../../history/capture/CaptureState.ts"
import { objectType } from "../../inventory/Registry.ts"
import { watching } from "./MetricsAccess.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { Handler, Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { mayRule } from "./Sending.ts"

const webhookType = objectType("extras.webhook")

/** State of the changes set aside; the changes themselves for users who may change every webhook and so read them. */
export const setAsideSeen = Effect.gen(function* () {
  const state = yield* setAsideState
  return isEverything(yield* cleared(webhookType, "change")) ? state : { ...state, changes: [] }
})

/** `GET /api/core/capture/`. */
const show: Handler = (request) =>
  Effect.gen(function* () {
    yield* watching(request)
    const json = {
      slot: yield* slotState,
      publication: yield* publicationState,
      ...(yield* leadership),
      epochs: yield* epochs,
      gaps: yield* gaps,
      setAside: yield* setAsideSeen
    }
    return { status: 200, json }
  })

/** Acknowledges the gap of the address. Fails with 409 if none of this number waits for it. */
export const acknowledge = Effect.fnUntraced(function* ({ params, author }: Request) {
  yield* mayRule
  const id = params["id"] ?? ""
  if (!/^\d{1,15}$/.test(id) || !(yield* acknowledgeGap(Number(id)))) {
    const detail = `There is no gap ${id.slice(0, 20)} that waits to be acknowledged.`
    return yield* new HttpRefused({ reason: "Conflict", body: { detail } })
  }
  yield* Effect.logInfo(`capture: gap ${id} was acknowledged by ${author.username}`)
})

const submit: Handler = (request) =>
  Effect.gen(function* () {
    yield* acknowledge(request)
    return { status: 200, json: { id: Number(request.params["id"]), acknowledged: true } }
  })

export const captureRoutes: ReadonlyArray<Route> = [
  { path: "/api/core/capture/", access: webhookType, methods: { GET: show } },
  {
    path: "/api/core/capture/gaps/:id/acknowledge/",
    access: webhookType,
    action: "change",
    methods: { POST: submit }
  }
]
