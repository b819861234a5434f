/** `/system/capture/`: the replication slot, the publication, who reads, what was missed. */
import { Clock, Effect } from "effect"
import { watching } from "../../http/system/MetricsAccess.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { acknowledge, setAsideSeen } from "../../http/system/Capture.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { sourceNames } from "../../history/source/SourceNames.ts"
import { epochs, gaps, leadership, publicationState, slotState } from "../../history/capture/CaptureState.ts"
import { objectType } from "../../inventory/Registry.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { html } from "../Html.ts"
import { framed } from "../frame/Frame.ts"
import { leadershipCard, publicationCard, slotCard } from "./CaptureCards.ts"
import { epochCard, gapCard, setAsideCard } from "./CaptureLists.ts"
import { note, noteLine, withoutNote } from "../system/Note.ts"
import { probed } from "../system/Probe.ts"

const webhookType = objectType("extras.webhook")
const path = "/system/capture/"

const show: Handler = (request) =>
  Effect.gen(function* () {
    yield* watching(request)
    const found = yield* Effect.all(
      {
        slot: probed(slotState),
        publication: probed(publicationState),
        readers: probed(leadership),
        epochs: probed(epochs),
        gaps: probed(gaps),
        setAside: probed(setAsideSeen)
      },
      { concurrency: "unbounded" }
    )
    const mayRule = isEverything(yield* cleared(webhookType, "change"))
    const sourceOf = yield* sourceNames((found.gaps ?? []).flatMap(({ objectTypes }) => objectTypes ?? []))
    const now = yield* Clock.currentTimeMillis
    const reply = yield* framed(request, {
      title: "Capture",
      crumbs: [["System"]],
      actions: html`<a class="btn btn-sm" href="${path}">Refresh</a>`,
      main: html`<div class="system-page">
        ${noteLine(request)} ${gapCard(request, found.gaps, mayRule, sourceOf)}
        <div class="panels">
          <div>${slotCard(found.slot, found.readers)}${publicationCard(found.publication)}</div>
          <div>${leadershipCard(found.readers, now)}${epochCard(found.epochs)}${setAsideCard(found.setAside)}</div>
        </div>
      </div>`
    })
    return withoutNote(request, reply)
  })

const submit: Handler = (request) =>
  Effect.as(acknowledge(request), { ...redirect(path), cookies: [note("gap-acknowledged")] })

export default [
  { path, access: webhookType, methods: { GET: show } },
  { path: `${path}gaps/:id/acknowledge/`, access: webhookType, action: "change", methods: { POST: submit } }
] satisfies ReadonlyArray<Route>
