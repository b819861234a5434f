/** The tools of the list of deliveries: a search, spans of time, and what can be done to several. */
import { deliveryType } from "../../log/DeliveryRows.ts"
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { changed, filtersOf, withQuery } from "../list/Query.ts"
import { icon } from "../frame/Icon.ts"
import { linksLeave } from "../frame/InPlace.ts"
import { pathOf } from "../value/Title.ts"
import { timeText } from "./Asked.ts"

const list = pathOf(deliveryType)

/** Searches attempts, so it waits for the reader to finish. */
export const contentSearch = (query: URLSearchParams): Html =>
  html`<form class="qs" method="get" action="${list}" role="search" aria-label="Search in deliveries">
    ${icon("search")}<label class="visually-hidden" for="quick">Search in ids, messages, headers and answers</label
    ><input
      id="quick"
      type="search"
      name="contains"
      placeholder="Id, message, header or answer"
      autocomplete="off"
      maxlength="200"
      value="${query.get("contains") ?? ""}"
    />
    ${[...query].flatMap(([name, value]) => (name === "contains" || name === "offset" ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`]))}
  </form>`

const spans: ReadonlyArray<readonly [title: string, hours: number]> = [
  ["Last hour", 1],
  ["24 hours", 24],
  ["7 days", 168],
  ["30 days", 720]
]

/** Before every delivery. */
const ever = "1970-01-01"

/** The usual span needs nothing in the address, and moves on with the time. */
export const spanLinks = (query: URLSearchParams, nowMillis: number, isUsual: boolean): Html => {
  const none = { time__gte: undefined, time__gt: undefined, time__lt: undefined, time__lte: undefined }
  return html`<nav class="spans" aria-label="Time">
    ${spans.map(([title, hours]) => {
      const isNow = isUsual && hours === 24
      const since = hours === 24 ? undefined : timeText(Math.floor(nowMillis / 60_000 - hours * 60) * 60_000)
      return html`<a
        class="btn btn-sm"
        href="${changed(query, { ...none, offset: undefined, time__gte: since })}"
        ${isNow ? html`aria-current="true"` : ""}
        >${title}</a
      >`
    })}<a
      class="btn btn-sm"
      href="${changed(query, { ...none, offset: undefined, time__gte: ever })}"
      ${query.get("time__gte") === ever ? html`aria-current="true"` : ""}
      >All</a
    >
  </nav>`
}

/** The boxes of the page are sent as filters; all that match are the filters of the list. */
export const actionBar = (query: URLSearchParams, total: number, isEstimated: boolean): Html => {
  const filters = filtersOf(query)
  const all = isEstimated ? `about ${number(Number(total.toPrecision(3)))}` : number(total)
  return html`<div class="bulk-bar" role="group" aria-label="Selected deliveries">
    <span class="sub" data-selected aria-live="polite">With the selected:</span>
    <button class="btn btn-sm" formaction="${list}retry/">${icon("send")}Retry</button>
    <button class="btn btn-sm" formaction="${list}discard/">${icon("trash")}Discard</button>
    <span class="grow"></span>
    <span class="sub">All ${all} that match:</span>
    <span class="end" ${linksLeave}
      ><a class="btn btn-sm" href="${withQuery(`${list}retry/`, filters)}">Retry all…</a>
      <a class="btn btn-sm" href="${withQuery(`${list}discard/`, filters)}">Discard all…</a></span
    >
  </div>`
}
