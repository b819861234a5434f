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
import { endpoint } from "../declare/Endpoint.ts"
import { described, flag, integer, listOf, number, orNull, record, string, time } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { mayRule } from "./Sending.ts"

const webhookType = objectType("extras.webhook")

/** State of the changes set aside; the changes themselves for users who may change every webhook and so read them. */
export const setAsideSeen = Effect.gen(function* () {
  const state = yield* setAsideState
  return isEverything(yield* cleared(webhookType, "change")) ? state : { ...state, changes: [] }
})

const captor = { process: string, state: string, lagMillis: number, problem: string }

const capture = record({
  slot: record({
    ...{ name: string, exists: flag, plugin: orNull(string), active: flag, walStatus: orNull(string) },
    ...{ restartLsn: orNull(string), confirmedLsn: orNull(string), currentLsn: string },
    lagBytes: described(integer, "WAL that is written and not confirmed."),
    retainedBytes: described(integer, "WAL that the server keeps for the slot."),
    retainedBytesMax: described(orNull(integer), "`max_slot_wal_keep_size`; null for no limit.")
  }),
  publication: record({
    ...{ name: string, exists: flag, tables: integer },
    differences: described(listOf(string), "From what it should be; empty if it is whole.")
  }),
  leader: orNull(record({ ...captor, generation: integer, since: orNull(time) })),
  standbys: listOf(record(captor)),
  epochs: listOf(
    record({
      ...{ number: integer, slot: string, began: time, continues: flag },
      ...{ captured: orNull(time), capturedLsn: orNull(string) }
    })
  ),
  gaps: listOf(
    record({
      ...{ id: integer, cause: string, reason: string, objectTypes: orNull(listOf(string)) },
      ...{ since: time, until: orNull(time), acknowledged: orNull(time) }
    })
  ),
  setAside: record({
    count: integer,
    changes: listOf(record({ objectType: string, objectId: string, kind: string, reason: string, committed: time }))
  })
})

const show = endpoint({ summary: "How capture is", reply: capture }, (request) =>
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
)

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

const submit = endpoint(
  { summary: "End the alarm of a gap", reply: record({ id: integer, acknowledged: flag }) },
  (request) =>
    Effect.as(acknowledge(request), { status: 200, json: { id: Number(request.params["id"]), acknowledged: true } })
)

export default [
  { path: "/api/core/capture/", access: webhookType, methods: { GET: show } },
  {
    path: "/api/core/capture/gaps/:id/acknowledge/",
    access: webhookType,
    action: "change",
    methods: { POST: submit }
  }
] satisfies ReadonlyArray<Route>
