/** `/extras/webhooks/<id>/`: how a webhook is, what was sent to it in the last day, and how it is defined. */
import { Clock, Effect } from "effect"
import { answersCountedMax, answersOf } from "../../history/health/Answers.ts"
import { type Health, healthOf } from "../../history/health/Healths.ts"
import { type Span, spansOf, wholeDay } from "../../history/health/Traffic.ts"
import { percent } from "../../history/health/WebhookHealth.ts"
import { sourceType } from "../../history/source/SourceNames.ts"
import { objectsOfDeliveries } from "../../history/source/SourceObjects.ts"
import { editedLately } from "../../changelog/ChangedBefore.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { mayView } from "../../inventory/Clearance.ts"
import type { Request } from "../../http/wire/Request.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { type Change, changes, changesOf } from "../../inventory/read/Changes.ts"
import type { RowOf, View } from "../../inventory/Field.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { conditionWarnings } from "../../inventory/derive/represent/ConditionWarnings.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { bars } from "../chart/Bars.ts"
import { lines } from "../chart/Lines.ts"
import { changeTable } from "../change/ChangeTable.ts"
import { live, liveControl, withLive } from "../live/Following.ts"
import { number } from "../list/Pager.ts"
import { attributesCard } from "../object/Attributes.ts"
import { deliveryTable } from "../object/DeliveryTable.ts"
import { listedIn, objectOfTab, objectPage } from "../object/ObjectPage.ts"
import { timeOf } from "../value/Time.ts"
import { pathOf } from "../value/Title.ts"
import { valueOf } from "../value/Value.ts"
import { ago } from "./Ago.ts"
import { answerCode, stateDot, stateLabel } from "./Health.ts"
import { webhookType } from "./Opened.ts"
import { warningLine } from "./Warnings.ts"
import { waitingLink } from "../deliveries/WaitingLink.ts"
import { durationText } from "../value/Duration.ts"

/** Deliveries and changes of its definition that the page shows. */
const shownMax = 10

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { row, view } = yield* objectOfTab(webhookType, request)
    const [health] = yield* healthOf([row])
    const spans = (yield* spansOf([row.id], wholeDay)).get(row.id) ?? []
    const edits = yield* changes({
      where: allOf(changesOf(webhookType.id, row.id), editedLately),
      order: "newest first",
      limit: shownMax
    })
    return yield* objectPage(request, {
      ...{ type: webhookType, row, view },
      main: html`${live("health", banner(health!, sourceOf(row, view), yield* Clock.currentTimeMillis))}
        ${row.source === null ? conditionWarnings(row.content_types, row.conditions, view).map(warningLine) : ""}
        <div class="panels">
          <div>${live("traffic", traffic(spans, edits))}${live("latest", yield* latest(row.id, request))}</div>
          <div>${live("numbers", numbers(health!))}${live("answers", yield* answers(row.id))}${edited(edits)}</div>
        </div>
        ${liveControl}`
    })
  })

/** The source whose changes the webhook listens to; empty for the inventory. */
const sourceOf = (row: RowOf<typeof Webhook>, view: View): Html => {
  const source = row.source === null ? null : view.nested(sourceType.id, row.source)
  return source === null ? html`` : html`<span class="sub">changes of ${valueOf(source)}</span>`
}

const banner = (health: Health, source: Html, now: number): Html =>
  html`<section class="card health" id="health" aria-label="Health">
    ${stateDot(health)}<b>${health.sentence}</b>${stateLabel(health)}${source}<span class="grow"></span>
    ${health.lastAttempt === undefined ? "" : html`<span class="sub">last attempt ${ago(health.lastAttempt, now)}</span>${answerCode(health.lastAnswer ?? "")}`}
  </section>`

const traffic = (spans: ReadonlyArray<Span>, edits: ReadonlyArray<Change>): Html => {
  if (spans.length === 0) {
    return html`<section class="card" id="traffic" aria-labelledby="traffic-title">
      <div class="ch"><h2 id="traffic-title">Last 24 hours</h2></div>
      <p class="note sub">Nothing was sent.</p>
    </section>`
  }
  const made = spans.reduce((sum, { attempts }) => sum + attempts, 0)
  const taken = spans.reduce((sum, { delivered }) => sum + delivered, 0)
  const marks = edits.flatMap(({ time, user_name: user }) => {
    const at = spans.findLastIndex(({ since }) => since <= time)
    return at < 0 ? [] : [{ at, label: `Changed at ${time.slice(11, 16)} UTC${user === "" ? "" : ` by ${user}`}` }]
  })
  return html`<section class="card" id="traffic" aria-labelledby="traffic-title">
    <div class="ch">
      <h2 id="traffic-title">Last 24 hours</h2>
      <span class="sub">by ten minutes, ${number(made)} attempts, ${number(made - taken)} not taken</span>
    </div>
    <div class="chart">
      ${bars(
        spans.map(({ attempts, delivered }) => ({ good: delivered, bad: attempts - delivered })),
        `Attempts of the last 24 hours: ${made} made, ${made - taken} not taken`,
        { height: 72, marks }
      )}
      <p class="legend">
        <span><i class="k s-ok"></i>taken</span
        ><span><i class="k s-bad"></i>not taken</span
        >${marks.length === 0 ? "" : html`<span><i class="k s-mark"></i>definition changed</span>`}
      </p>
      ${lines(
        [spans.map(({ p95Millis }) => p95Millis), spans.map(({ p50Millis }) => p50Millis)],
        "How long attempts took, by ten minutes: the median, and the time within which 95 of 100 ended"
      )}
      <p class="legend">
        <span><i class="k line-0"></i>95 % within</span><span><i class="k line-1"></i>half within</span
        ><span class="sub">logarithmic</span>
      </p>
    </div>
    <details class="as-table">
      <summary>Show as table</summary>
      ${table(spans)}
    </details>
  </section>`
}

const table = (spans: ReadonlyArray<Span>): Html =>
  html`<div class="table-responsive" tabindex="0">
    <table class="table dense">
      <caption class="visually-hidden">
        Attempts by ten minutes
      </caption>
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col" class="num">Attempts</th>
          <th scope="col" class="num">Taken</th>
          <th scope="col" class="num">Half within</th>
          <th scope="col" class="num">95 % within</th>
        </tr>
      </thead>
      <tbody>
        ${spans
          .filter(({ attempts }) => attempts > 0)
          .map(
            ({ since, attempts, delivered, p50Millis, p95Millis }) =>
              html`<tr>
                <th scope="row">${timeOf(since)}</th>
                <td class="num">${number(attempts)}</td>
                <td class="num">${number(delivered)}</td>
                <td class="num">${p50Millis === undefined ? "—" : durationText(p50Millis)}</td>
                <td class="num">${p95Millis === undefined ? "—" : durationText(p95Millis)}</td>
              </tr>`
          )}
      </tbody>
    </table>
  </div>`

const numbers = ({ day, waiting, webhook }: Health): Html => {
  const time = (millis: number | undefined) => (millis === undefined ? "—" : durationText(millis))
  return html`<section class="card" id="numbers" aria-labelledby="numbers-title">
    <div class="ch">
      <h2 id="numbers-title">Numbers</h2>
      <span class="sub">24 hours</span>
    </div>
    <dl class="attrs">
      <dt>Attempts</dt>
      <dd>${number(day.attempts)}</dd>
      <dt>Succeeded</dt>
      <dd>${percent(day.delivered, day.attempts)} of attempts</dd>
      <dt>At once</dt>
      <dd>${percent(day.atOnce, day.delivered)} of deliveries, by their first attempt</dd>
      <dt>Given up</dt>
      <dd>${number(day.failed)}</dd>
      <dt>Attempts took</dt>
      <dd>${time(day.p50Millis)} (half), ${time(day.p95Millis)} (95 %), ${time(day.p99Millis)} (99 %)</dd>
      <dt>Commit to receipt</dt>
      <dd>${time(day.sinceCommitP95Millis)} (95 % of those delivered at once)</dd>
      <dt>Waiting</dt>
      <dd>${waiting === 0 ? "0" : waitingLink(webhook, waiting)}</dd>
    </dl>
  </section>`
}

/** Nothing for readers who may view no deliveries. */
const answers = Effect.fnUntraced(function* (webhook: number) {
  if (!(yield* mayView(deliveryType))) return html``
  const groups = yield* answersOf(webhook)
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  return html`<section class="card" id="answers" aria-labelledby="answers-title">
    <div class="ch">
      <h2 id="answers-title">Answers</h2>
      <span class="sub">${total < answersCountedMax ? "24 hours" : `the newest ${number(answersCountedMax)}`}</span>
    </div>
    ${
      groups.length === 0
        ? html`<p class="note sub">There is no delivery.</p>`
        : html`<ul class="rel">
            ${groups.map(({ status, code, reason, count }) => {
              const query = new URLSearchParams({ webhook_id: `${webhook}`, status })
              if (code !== null) query.set("response_status", `${code}`)
              else if (reason !== "") query.set("reason", reason)
              return html`<li>
                <a href="${pathOf(deliveryType)}?${query.toString()}"
                  >${answerCode(code === null ? reason || status : `${code}`)}<span class="sub">&nbsp;${status}</span
                  ><span class="cnt">${number(count)}</span></a
                >
              </li>`
            })}
          </ul>`
    }
  </section>`
})

const edited = (edits: ReadonlyArray<Change>): Html =>
  html`<section class="card" aria-labelledby="edited">
    <div class="ch">
      <h2 id="edited">Its definition changed</h2>
      <span class="sub">24 hours</span>
    </div>
    ${edits.length === 0 ? html`<p class="note sub">Nobody changed it.</p>` : changeTable(edits, { caption: "Changes of the webhook", hides: ["object", "request"] })}
  </section>`

const latest = Effect.fnUntraced(function* (webhook: number, request: Request) {
  if (!(yield* mayView(deliveryType))) return html``
  const where = listedIn("deliveries", webhookType, webhook)
  const { rows, beside } = yield* readPage(deliveryType, {
    where,
    ordering: ["-time"],
    limit: shownMax,
    offset: 0,
    isCut: true
  })
  const deliveries = yield* viewFor(deliveryType, rows, request.base, beside)
  const objectIn = yield* objectsOfDeliveries(rows)
  return html`<section class="card" id="latest" aria-labelledby="latest-title">
    <div class="ch">
      <h2 id="latest-title">Latest deliveries</h2>
      <a class="sub" href="${pathOf(deliveryType)}?webhook_id=${webhook}">All deliveries</a>
    </div>
    ${rows.length === 0 ? html`<p class="note sub">There is no delivery.</p>` : deliveryTable(rows, deliveries, "of a webhook", objectIn)}
  </section>`
})

const configuration: Handler = (request) =>
  Effect.gen(function* () {
    const { row, view } = yield* objectOfTab(webhookType, request)
    const shown = representation(webhookType, row, view) as Readonly<Record<string, unknown>>
    return yield* objectPage(request, {
      ...{ type: webhookType, row, view, tab: "configuration" },
      main: attributesCard(webhookType, shown)
    })
  })

const routes: ReadonlyArray<Route> = [
  { path: `${pathOf(webhookType)}:id/`, access: webhookType, methods: { GET: withLive(show) } },
  { path: `${pathOf(webhookType)}:id/configuration/`, access: webhookType, methods: { GET: configuration } }
]

export default routes
