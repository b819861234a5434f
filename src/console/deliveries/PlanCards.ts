/** The plan of a retry or a discard of many deliveries: by webhook, with warnings; and the trial of a retry. */
import type { BulkAction, Plan, Share, verdicts } from "../../requests/Plan.ts"
import type { Trial } from "../../requests/RenderAgain.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { changed } from "../list/Query.ts"
import { timeOf } from "../value/Time.ts"
import { pathOf } from "../value/Title.ts"
import { lengthOf } from "./HistogramChart.ts"

const webhookType = objectType("extras.webhook")
const outcomes = deliveryType.fields["status"]!.choices!

export const deliveriesIn = (count: number): string => `${number(count)} ${count === 1 ? "delivery" : "deliveries"}`

/** Warnings for a reader before deliveries of the webhook are sent again. */
const warningsOf = ({
  name,
  count,
  ordering,
  rate_limit: perSecond,
  enabled,
  paused
}: Share): ReadonlyArray<string> => {
  if (name === null) return ["The webhook was deleted: nothing can be sent."]
  return [
    ...(ordering === "object"
      ? ["It orders by object: these are sent after newer deliveries of the same objects."]
      : []),
    ...(perSecond === null
      ? []
      : [`At most ${perSecond} per second: at least ${lengthOf(Math.ceil(count / perSecond))}.`]),
    ...(enabled === false ? ["It is disabled: these wait until it is enabled."] : []),
    ...(paused === true ? ["It is paused: these wait until it is resumed."] : [])
  ]
}

export const sharesCard = (action: BulkAction, { webhooks }: Plan): Html => {
  const hasWarnings = action === "retry" && webhooks.some((each) => warningsOf(each).length > 0)
  return html`<section class="card" aria-labelledby="by-webhook">
    <div class="ch">
      <h2 id="by-webhook">By webhook</h2>
      <span class="cnt">${number(webhooks.length)}</span>
    </div>
    <div class="table-responsive">
      <table class="table table-vcenter card-table dense">
        <caption class="visually-hidden">
          Deliveries by webhook
        </caption>
        <thead>
          <tr>
            <th scope="col">Webhook</th>
            <th scope="col">Deliveries</th>
            <th scope="col">Oldest</th>
            ${hasWarnings ? html`<th scope="col">Note</th>` : ""}
          </tr>
        </thead>
        <tbody>
          ${webhooks.map(
            (each) =>
              html`<tr>
                <th scope="row">
                  ${each.name === null ? html`#${each.webhook}, deleted` : html`<a href="${pathOf(webhookType, each.webhook)}">${each.name}</a>`}
                </th>
                <td>${number(each.count)}</td>
                <td>${timeOf(each.oldest, "second")}</td>
                ${hasWarnings ? html`<td>${warningsOf(each).map((text) => html`<div class="warn-text">${text}</div>`)}</td>` : ""}
              </tr>`
          )}
        </tbody>
      </table>
    </div>
  </section>`
}

/** Outcomes that a discard cannot change. */
const ended: ReadonlySet<string> = new Set(["successful", "discarded"])

export const leftOutNote = (action: BulkAction, { leftOut }: Plan, query: URLSearchParams): Html =>
  leftOut.length === 0
    ? html``
    : html`<p class="note sub links" id="left-out">
        Left out:
        ${leftOut.map(({ status, count }, at) => {
          const words = `${number(count)} ${(outcomes[status] ?? status).toLowerCase()}`
          const isFinal = action === "discard" && ended.has(status)
          return html`${at === 0 ? "" : ", "}${isFinal ? words : html`<a href="${changed(query, { status })}">${words}</a>`}`
        })}.
        ${action === "retry" ? "A receiver gets what has succeeded a second time." : "Ended deliveries cannot be discarded."}
      </p>`

const findings: Readonly<Record<(typeof verdicts)[number], string>> = {
  identical: "identical",
  different: "would render differently",
  failing: "cannot be rendered",
  deleted: "of a deleted webhook",
  expired: "no longer in the change log",
  hidden: "of objects that their user may not view"
}

export const trialCard = ({ lookedAt, counts, examples }: Trial, total: number): Html =>
  html`<section class="card" id="dry-run" aria-labelledby="trial" tabindex="-1">
    <div class="ch">
      <h2 id="trial">Dry run</h2>
      <span class="sub">Nothing was sent.</span>
    </div>
    <p class="note">
      ${
        Object.entries(findings)
          .flatMap(([verdict, words]) => {
            const count = counts[verdict as keyof typeof counts]
            return count === 0 ? [] : [`${number(count)} ${words}`]
          })
          .join(", ") || "There is nothing to render"
      }.
      ${lookedAt < total ? `Of ${number(total)}, the newest ${number(lookedAt)} were rendered with the webhooks as they are now.` : "Rendered with the webhooks as they are now."}
    </p>
    ${
      examples.length === 0
        ? ""
        : html`<div class="note links">
            ${examples.map(({ delivery, detail }) => html`<p>Delivery <a href="${pathOf(deliveryType, delivery)}">#${delivery}</a>: ${detail}</p>`)}
          </div>`
    }
  </section>`
