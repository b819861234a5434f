/** The columns of the list of webhooks with their state, and the numbers above it. */
import { Clock, Effect } from "effect"
import { type Health, healthOf } from "../../history/health/Healths.ts"
import { noTraffic, trafficTogether } from "../../history/health/Traffic.ts"
import { sourceType } from "../../history/source/SourceNames.ts"
import { percent } from "../../history/health/WebhookHealth.ts"
import { mayDo } from "../../inventory/Clearance.ts"
import type { Row, RowOf } from "../../inventory/Field.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { isEmpty } from "../../match/Condition.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import type { Dressing } from "../list/ListColumn.ts"
import { inSource } from "../source/ObjectLink.ts"
import { waitingLink } from "../deliveries/WaitingLink.ts"
import { number } from "../list/Pager.ts"
import { nameOfType, pathOf } from "../value/Title.ts"
import { beginning, none } from "../value/Value.ts"
import { durationText } from "../value/Duration.ts"
import { answerCode, dayBars, stateDot, stateLabel } from "./Health.ts"
import { ago } from "./Ago.ts"

type WebhookRow = RowOf<typeof Webhook>

const webhookType = objectType<typeof Webhook>("extras.webhook")

export const webhookDressing = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
  const webhooks = rows as ReadonlyArray<WebhookRow>
  const healths = new Map((yield* healthOf(webhooks)).map((health) => [health.webhook, health]))
  const used = yield* byIds(sourceType, new Set(webhooks.flatMap(({ source }) => source ?? [])))
  const sources = new Map(used.map(({ id, name }) => [id, name]))
  const mayPause = yield* mayDo(webhookType, "change")
  const now = yield* Clock.currentTimeMillis
  const of =
    (show: (health: Health, row: WebhookRow) => Html) =>
    (row: Row): Html =>
      show(healths.get(row.id)!, row as WebhookRow)
  return {
    aboveId: "webhook-numbers",
    above: strip(yield* trafficTogether(webhooks.map(({ id }) => id)), [...healths.values()]),
    before: of(stateDot),
    below: of((health, row) => html`${label(health, row)}${description(row)}`),
    columns: [
      { title: "Events", cell: of((_, row) => firesOn(row, sources.get(row.source ?? 0))), isLess: true },
      { title: "Endpoint", field: "payload_url", cell: of((_, row) => endpoint(row)), isLess: true },
      { title: "Last 24 hours", cell: of((health) => traffic(health)), isLess: true },
      { title: "Success", cell: of(({ day }) => html`${percent(day.delivered, day.attempts)}`), isNumber: true },
      { title: "p95", cell: of(({ day }) => millis(day.p95Millis)), isNumber: true, isLess: true },
      { title: "Last attempt", cell: of((health) => last(health, now)), isLess: true },
      { title: "Waiting", cell: of((health) => waiting(health)), isNumber: true, isLess: true },
      ...(mayPause ? [{ title: "Pause", cell: of((_, row) => pauseButton(row)) }] : [])
    ]
  } satisfies Dressing
})

const label = (health: Health, { conditions }: WebhookRow): Html =>
  html`${stateLabel(health)}${isEmpty(conditions) ? "" : html`<span class="lbl" title="It has conditions">${icon("filter")}<span class="visually-hidden">has conditions</span></span>`}`

const description = ({ description: text }: WebhookRow): Html =>
  text === "" ? html`` : html`<div class="sub">${text}</div>`

/** Most types whose names are in the title of a cell. */
const typesMax = 40

/** `source`: the name of its source, if it has one. */
const firesOn = ({ content_types: types, ...row }: WebhookRow, source: string | undefined): Html => {
  const kinds = [
    ["C", "created", row.type_create],
    ["U", "updated", row.type_update],
    ["D", "deleted", row.type_delete]
  ] as const
  const names = types.slice(0, typesMax).map(nameOfType)
  const on = kinds.filter(([, , isOn]) => isOn === true).map(([, kind]) => kind)
  return html`<span class="cud" role="img" aria-label="${on.join(", ")}"
      >${kinds.map(([letter, , isOn]) => html`<b${isOn === true ? html` class="on"` : ""}>${letter}</b>`)}</span
    >
    <div class="sub nowrap" title="${names.join(", ")}">
      ${names[0] ?? "no types"}${types.length > 1 ? ` and ${types.length - 1} more` : ""}${inSource(source)}
    </div>`
}

const endpoint = ({ http_method: method, payload_url: url }: WebhookRow): Html =>
  html`<span class="mth">${String(method)}</span><span class="mono trunc" title="${url}">${beginning(url, 80)}</span>`

const traffic = (health: Health): Html =>
  html`${dayBars(health)}
    <div class="sub nowrap">${number(health.day.attempts)} attempt${health.day.attempts === 1 ? "" : "s"}</div>`

const millis = (value: number | undefined): Html => (value === undefined ? none : html`${durationText(value)}`)

const last = ({ lastAttempt, lastAnswer }: Health, now: number): Html =>
  lastAttempt === undefined
    ? none
    : html`<span class="nowrap"
        >${answerCode(lastAnswer ?? "")} <span class="sub">${ago(lastAttempt, now)}</span></span
      >`

const waiting = ({ webhook, waiting: count }: Health): Html =>
  count === 0 ? html`<span class="sub">0</span>` : waitingLink(webhook, count)

/** Within the form that selects objects of the list, whose token it sends. */
const pauseButton = ({ id, name, paused }: WebhookRow): Html => {
  const path = pathOf(webhookType, id)
  return paused === true
    ? html`<a class="btn btn-sm btn-icon" href="${path}resume/" aria-label="Resume ${name}" title="Resume"
        >${icon("player-play")}</a
      >`
    : html`<button
        class="btn btn-sm btn-icon"
        formaction="${path}pause/"
        name="from"
        value="list"
        aria-label="Pause ${name}"
        title="Pause"
      >
        ${icon("player-pause")}
      </button>`
}

const strip = (traffic: typeof noTraffic, healths: ReadonlyArray<Health>): Html => {
  const waits = healths.filter(({ waiting }) => waiting > 0)
  const ill = healths.filter(({ needsLook }) => needsLook)
  const failing = ill.filter(({ state }) => state === "failing").length
  const illWords = ill.length === 0 ? "all are well" : `${failing === 0 ? "none" : number(failing)} failing`
  const stat = (title: string, value: string, note: Html): Html =>
    html`<div class="stat">
      <span class="k">${title}</span><span class="v">${value}</span><span class="d">${note}</span>
    </div>`
  return html`<section class="stats" id="webhook-numbers" aria-label="The webhooks below, last 24 hours">
    ${stat("Deliveries", number(traffic.delivered), html`${number(traffic.attempts)} attempts`)}
    ${stat("Succeeded at once", percent(traffic.atOnce, traffic.delivered), html`by the first attempt`)}
    ${stat("Commit to receipt, p95", traffic.sinceCommitP95Millis === undefined ? "—" : durationText(traffic.sinceCommitP95Millis), html`by the first attempt`)}
    ${stat(
      "Waiting",
      number(waits.reduce((sum, { waiting }) => sum + waiting, 0)),
      html`${number(waits.length)} webhook${waits.length === 1 ? "" : "s"}`
    )}
    ${stat("Need attention", number(ill.length), html`${illWords}`)}
  </section>`
}
