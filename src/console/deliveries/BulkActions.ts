/** `/extras/deliveries/retry/` and `…/discard/`: shows what would be done to which deliveries, then requests it. */
import { Effect } from "effect"
import type { BulkAction } from "../../requests/Plan.ts"
import { askForOperation, operationType } from "../../requests/Operations.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { plannedFor, triedFor } from "../../http/deliveries/Selection.ts"
import { readForm } from "../../http/wire/Body.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { isThere } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { alert } from "../bulk/BulkPage.ts"
import { deliveriesIn, leftOutNote, sharesCard, trialCard } from "./PlanCards.ts"
import { flash } from "../frame/Flash.ts"
import { csrfInput } from "../form/Csrf.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { type NamedObjects, namedObjects } from "../filter/NamedObjects.ts"
import { filterText } from "../filter/Filters.ts"
import { filterTitle } from "../filter/FilterName.ts"
import { number } from "../list/Pager.ts"
import { changed, searchOf, withQuery } from "../list/Query.ts"
import { groupOf } from "../frame/Menu.ts"
import { timeOf } from "../value/Time.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { inWordsAll } from "../fault/InWords.ts"

const list = pathOf(deliveryType)
const titles: Readonly<Record<BulkAction, string>> = { retry: "Retry", discard: "Discard" }

type Plan = Effect.Success<ReturnType<typeof plannedFor>>

/** The list that the filters of the address are for. */
const listOf = ({ url }: Request): string => {
  const query = new URLSearchParams(url.searchParams)
  for (const name of ["dry_run", "all"]) query.delete(name)
  return withQuery(list, query)
}

const page = (action: BulkAction, request: Request, main: Html, status = 200) =>
  framed(request, {
    title: `${titles[action]} deliveries`,
    crumbs: [[groupOf(deliveryType)], [pluralOf(deliveryType), listOf(request)]],
    main,
    status
  })

const show =
  (action: BulkAction): Handler =>
  (request) =>
    Effect.gen(function* () {
      const planned = yield* plannedFor(action, request)
      const { plan } = planned
      const query = request.url.searchParams
      const isTried = action === "retry" && query.has("dry_run") && plan.total > 0
      const named = yield* namedObjects(deliveryType, searchOf(planned.query), request.base)
      const trial = isTried ? trialCard(yield* triedFor(request, planned), plan.total) : ""
      return yield* page(
        action,
        request,
        plan.total === 0
          ? nothing(action, planned, request)
          : html`${askCard(action, planned, request, named)}${trial}${sharesCard(action, plan)}`
      )
    }).pipe(toldOn(action, request))

const nothing = (action: BulkAction, { plan }: Plan, request: Request): Html =>
  html`<div class="card">
    <div class="empty">
      <b>There is nothing to ${action}.</b>
      ${leftOutNote(action, plan, request.url.searchParams)}<a class="btn btn-sm" href="${listOf(request)}"
        >Back to the list</a
      >
    </div>
  </div>`

const askCard = (action: BulkAction, { plan, query }: Plan, request: Request, named: NamedObjects): Html => {
  const { searchParams } = request.url
  const count = `${plan.isMinimum ? "at least " : ""}${deliveriesIn(plan.total)}`
  const successful = action === "retry" && query.some(([name, value]) => name === "status" && value === "successful")
  return html`<form class="card object-form" method="post" action="${withQuery(`${list}${action}/`, searchParams)}">
    ${csrfInput(request)}
    <p>
      ${titles[action]} <b>${count}</b>?
      ${plan.oldest === null ? "" : html`The oldest is of ${timeOf(plan.oldest, "second")}.`} ${unattemptedNote(plan)}
      ${action === "retry" ? "Each gets a new retry schedule." : "They will not be sent; an attempt under way ends."}
    </p>
    <p class="chips">
      ${query.map(([name, value]) => html`<span class="chip-f">${filterText(deliveryType, named, name, value)}</span>`)}
    </p>
    ${successful ? alert(html`<b>Some have succeeded.</b> Their receivers get them a second time.`) : ""}
    ${leftOutNote(action, plan, searchParams)}
    <div class="form-end">
      <button class="btn btn-sm ${action === "retry" ? "btn-primary" : "btn-danger"}" name="confirmed" value="1">
        ${icon(action === "retry" ? "send" : "trash")}${titles[action]} ${count}
      </button>
      ${
        action === "retry"
          ? html`<a class="btn btn-sm" href="${changed(searchParams, { dry_run: "true" })}">${icon("eye")}Dry run</a>`
          : ""
      }
      <a class="btn btn-sm" href="${listOf(request)}">Cancel</a>
    </div>
  </form>`
}

const unattemptedNote = ({ total, unattempted }: Plan["plan"]): string => {
  if (unattempted === 0) return ""
  if (unattempted === total) return unattempted === 1 ? "It was never attempted." : "None of them was ever attempted."
  return `${number(unattempted)} of them ${unattempted === 1 ? "was" : "were"} never attempted.`
}

const submit =
  (action: BulkAction): Handler =>
  (request) =>
    Effect.gen(function* () {
      if ((yield* readForm(request.incoming)).has("_again")) return yield* show(action)(request)
      const { query, where, plan } = yield* plannedFor(action, request)
      // Somebody else has done it meanwhile: the page says that there is nothing left.
      if (plan.total === 0) return yield* show(action)(request)
      const id = yield* askForOperation({ action, query, where, dryRun: false })
      const isShown = yield* isThere(operationType, id)
      return {
        ...redirect(isShown ? pathOf(operationType, id) : listOf(request)),
        cookies: [flash({ deed: "started", type: operationType })],
        written: [id]
      }
    }).pipe(toldOn(action, request))

/** A refusal of the filters, in words. */
const toldOn =
  (action: BulkAction, request: Request) =>
  <A, E, R>(effect: Effect.Effect<A, E | HttpRefused, R>) =>
    Effect.catchIf(
      effect,
      (error): error is HttpRefused => error instanceof HttpRefused && [400, 429, 503].includes(error.status),
      (refused) =>
        page(
          action,
          request,
          html`${alert(html`<b>Nothing was changed.</b> ${(isEmpty(request) ? meansAll : faultsIn(refused.body)).map((text) => html`<div>${text}</div>`)}`)}
            <a class="btn btn-sm" href="${listOf(request)}">Back to the list</a>
            ${isEmpty(request) ? html`<a class="btn btn-sm" href="?all=true">I mean every delivery</a>` : ""}`,
          refused.status
        )
    )

/** A page has a button where a request says `all`. */
const meansAll = ["Name at least one filter, or say that you mean every delivery."]

const isEmpty = ({ url }: Request): boolean => searchOf(url.searchParams).size === 0

/** The messages of a refusal with the filters that they are about. */
const faultsIn = (body: unknown): ReadonlyArray<string> => {
  if (!isDictionary(body)) return []
  const { detail, filter, ...others } = body
  if (typeof detail === "string") return [detail]
  if (Array.isArray(filter)) return filter.map(String)
  return Object.entries({ ...(isDictionary(filter) ? filter : {}), ...others }).map(
    ([name, messages]) =>
      `${filterTitle(name)} (${name}): ${inWordsAll({ type: deliveryType, name, messages: [messages].flat().map(String) })}`
  )
}

export default (["retry", "discard"] as const).map((action): Route => ({
  path: `${list}${action}/`,
  access: deliveryType,
  action: "change",
  keepsForm: true,
  methods: { GET: show(action), POST: submit(action) }
}))
