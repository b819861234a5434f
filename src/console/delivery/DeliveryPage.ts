/** The page of a delivery: its journey, its attempts, one exchange, and what its change did. */
import { Clock, Effect } from "effect"
import type { LoggedAttempt } from "../../history/inspect/Attempts.ts"
import { attemptsInSight } from "../../history/inspect/AttemptsInSight.ts"
import { type Origin, isRepeated, journeyOf, originOf } from "../../history/inspect/Journey.ts"
import { type Placed, neighboursOf } from "../../history/inspect/Neighbours.ts"
import { placed, sourceObjects } from "../../history/source/SourceObjects.ts"
import { type DeliveryState, deliveryState, heldNow } from "../../requests/OneDelivery.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { notFound } from "../../http/HttpRefused.ts"
import type { Request } from "../../http/wire/Request.ts"
import { parameterOf } from "../../http/query/Parameter.ts"
import { inspected } from "../../http/webhooks/SentRequests.ts"
import type { Row, View } from "../../inventory/Field.ts"
import { registry } from "../../inventory/Registry.ts"
import { whereIds } from "../../inventory/derive/filter/Where.ts"
import { type Change, changeType, changes } from "../../inventory/read/Changes.ts"
import { byIds, isThere } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { requestLink } from "../change/ChangeTable.ts"
import { whyCards } from "../explain/WhyCards.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { live, liveControl } from "../live/Following.ts"
import { groupOf } from "../frame/Menu.ts"
import { objectLink, sourceLink } from "../source/ObjectLink.ts"
import { objectIn } from "../object/ObjectPage.ts"
import { nameOfType, pathOf, pluralOf } from "../value/Title.ts"
import { probeForm } from "../webhook/Actions.ts"
import { orUnavailable } from "./Unavailable.ts"
import { valueOf } from "../value/Value.ts"
import { actions, retryNote, steps, webhookType } from "./Actions.ts"
import { attemptCard } from "./AttemptCard.ts"
import { attemptList, waitedBefore } from "./AttemptList.ts"
import { changeCard } from "./ChangeCard.ts"
import { journeyRibbon } from "./Journey.ts"
import { statePill } from "./Outcome.ts"

/** Most attempts that the page lists, the newest. */
const listedMax = 100

/** Why an action was refused, for the page that follows. */
interface Refusal {
  readonly problem: string
  readonly status: number
}

/** Answers with the page of the delivery of the id in the path. Fails with 404. */
export const deliveryPage = Effect.fnUntraced(function* (request: Request, refused?: Refusal) {
  const { row, view } = (yield* objectIn(deliveryType, request)) ?? (yield* notFound())
  const delivery = inspected(row)
  const state = (yield* deliveryState(row.id)) ?? (yield* notFound())
  const wanted = numberIn(parameterOf(request.url.searchParams, "attempt"))
  const whole = wanted ?? state.attempts
  const attempts = (yield* attemptsInSight(delivery, { whole, most: listedMax })).map(inUtc)
  const selected = attempts.find(({ number }) => number === whole)
  const origin = yield* originOf(delivery)
  const [change] = origin.change === null ? [] : yield* changesOf(origin.change)
  const nowMillis = yield* Clock.currentTimeMillis
  const path = pathOf(deliveryType, row.id)
  const link = (attempt: number) => `${path}?attempt=${attempt}`
  const listed = { attempts, count: state.attempts, selected: selected?.number, nowMillis, link }
  const inTime = {
    ...listed,
    committedMillis: Date.parse(delivery.time),
    isRepeated: isRepeated(delivery.delivery_id),
    next: delivery.next_attempt ?? undefined,
    held: heldNow(state)?.sentence
  }
  const note = retryNote(state)
  const ofWebhook = delivery.webhook === null ? {} : { webhook: delivery.webhook }
  const mayProbe = delivery.webhook !== null && (yield* byIds(webhookType, [delivery.webhook], "change")).length > 0
  const isOpen = ["queued", "retrying"].includes(state.status)
  return yield* framed(request, {
    ...(yield* titles(row, view, { change, origin, state })),
    crumbs: [[groupOf(deliveryType)], [pluralOf(deliveryType), pathOf(deliveryType)]],
    // The state of a delivery changes what can be done with it.
    actions: live(
      "actions",
      html`<span id="actions" class="actions"
        >${yield* actions(request, { id: row.id, webhook: delivery.webhook, path, state, attempt: selected?.number })}</span
      >`
    ),
    main: html`${refused === undefined ? "" : html`<div class="alert-line alert-bad" role="alert">${refused.problem}</div>`}
      ${live("held", heldLine(request, state, mayProbe ? `${path}probe-webhook/` : undefined))}
      ${live("journey", journeyRibbon(journeyOf(delivery, origin, attempts), nowMillis, link))}
      <div class="cols">
        <div>
          ${live("attempts", attemptList(inTime))}${live("retry-note", html`<div id="retry-note">${isOpen && note !== undefined ? html`<p class="hint">${note}</p>` : ""}</div>`)}
          ${yield* orUnavailable("Deliveries before and after", beside(delivery))}
          ${change === undefined ? "" : yield* orUnavailable("Why it fired", whyCards(change, ofWebhook))}
        </div>
        <div>
          ${live("shown-attempt", html`<div id="shown-attempt">${selected === undefined ? noAttempt(state.attempts, wanted, delivery.message) : yield* orUnavailable(`Attempt ${selected.number}`, attemptCard(request, { row, path, attempt: selected, waited: waitedBefore(selected, inTime) }))}</div>`)}
          ${change === undefined ? "" : yield* orUnavailable("What changed", changeCard(change, request.base))}
        </div>
      </div>
      ${refused === undefined ? liveControl : ""}`,
    ...(refused !== undefined && { status: refused.status })
  })
})

/** The reason why the delivery is not attempted, with the way to remove it. */
const heldLine = (request: Request, state: DeliveryState, probe: string | undefined): Html => {
  const held = heldNow(state)
  return held === undefined
    ? html`<div id="held"></div>`
    : html`<div class="alert-line warn-line" role="status" id="held">
        ${icon("player-pause")}<span>${held.sentence}</span>
        ${held.by === "breaker" && probe !== undefined ? probeForm(request, probe) : ""}
      </div>`
}

/** The ways to the neighbours. */
const beside = Effect.fnUntraced(function* (delivery: Placed) {
  return html`<div class="neighbours">
    ${steps("Same webhook", yield* neighboursOf(delivery, "webhook"))}${steps("Same object", yield* neighboursOf(delivery, "object"))}
  </div>`
})

const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined

/** As the console shows times. */
const inUtc = (attempt: LoggedAttempt): LoggedAttempt => ({
  ...attempt,
  started: new Date(attempt.started).toISOString()
})

const changesOf = (id: number) => changes({ where: whereIds([id]), order: "oldest first", limit: 1 })

const noAttempt = (count: number, wanted: number | undefined, message: string | null): Html =>
  html`<div class="card">
    <div class="empty">
      <b>${wanted === undefined || count === 0 ? "It was not attempted yet." : `The log has no attempt ${wanted}.`}</b>
      ${message === null || message === "" ? "" : html`<p class="sub">${message}</p>`}
    </div>
  </div>`

interface DeliveryOrigin {
  readonly change: Change | undefined
  readonly origin: Origin
  readonly state: DeliveryState
}

/** `device sfo2-leaf-07 updated`, its state, and the ways to the webhook, the change and the request. */
const titles = Effect.fnUntraced(function* (row: Row, view: View, { change, origin, state }: DeliveryOrigin) {
  const { object_type: typeId, object_id: objectId, event, request_id: requestId } = row
  const type = registry.get(String(typeId))
  const name = change === undefined || change.object_repr === "" ? `#${String(objectId)}` : change.object_repr
  const kind = nameOfType(String(typeId))
  const source = change === undefined ? undefined : (yield* sourceObjects([placed(change)])).get(change.place)
  const isLinked = type !== undefined && (yield* isThere(type, Number(objectId)))
  const object =
    source !== undefined
      ? objectLink(source)
      : isLinked
        ? html`<a href="${pathOf(type, Number(objectId))}">${name}</a>`
        : html`${name}`
  const webhook = inspected(row).webhook
  const of = { request_id: String(requestId) } as Change
  const parts: ReadonlyArray<Html> = [
    html`<span class="mono">${String(row["delivery_id"])}</span>`,
    html`to
    ${webhook === null || state.webhook === "deleted" ? "a deleted webhook" : valueOf(view.nested(webhookType.id, webhook))}`,
    ...(source === undefined ? [] : [html`from ${sourceLink(source)}`]),
    ...(change === undefined || change.user_name === "" ? [] : [html`by ${change.user_name}`]),
    ...(change === undefined ? [] : [html`<a href="${pathOf(changeType, change.id)}">change #${change.id}</a>`]),
    html`request ${requestLink(change ?? of)}`,
    ...(origin.changes < 2 ? [] : [html`${origin.changes} changes in this transaction`])
  ]
  return {
    title: `${kind} ${name} ${String(event)}: delivery ${row.id}`,
    heading: html`<span>${kind} ${object} ${String(event)}</span> ${live("state", statePill(state.status))}`,
    subtitle: html`<p class="sub m-0 links">${parts.map((each, at) => html`${at === 0 ? "" : " · "}${each}`)}</p>`
  }
})
