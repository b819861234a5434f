/** Changes and webhooks: which fired, and the gate or clause that stopped the others. */
import type { Journey } from "../../history/explain/Journey.ts"
import type { SourceObject } from "../../history/source/SourceObjects.ts"
import type { Reckoned } from "../../history/explain/Explain.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { actionBadge, objectText } from "../change/ChangeTable.ts"
import { inSourceLink } from "../source/ObjectLink.ts"
import { capital, pathOf } from "../value/Title.ts"
import { badge, none } from "../value/Value.ts"

const webhookType = objectType("extras.webhook")

/** Most webhooks that have a column. */
const columnsMax = 12

/** The webhooks that listen to one of the changes, those that fired first. */
const columnsOf = (changes: Journey["changes"]): ReadonlyArray<Reckoned> => {
  const listening = changes.flatMap(({ webhooks }) => webhooks)
  const fired = (each: Reckoned) => Number(each.outcome === "fired")
  const byId = new Map(listening.toSorted((a, b) => fired(a) - fired(b)).map((each) => [each.webhook, each]))
  return [...byId.values()].toSorted((a, b) => fired(b) - fired(a) || (a.name < b.name ? -1 : 1))
}

/** `objects`: those of sources, by the place of their changes. */
export const matrix = (changes: Journey["changes"], objects: ReadonlyMap<string, SourceObject>): Html => {
  const columns = columnsOf(changes)
  const shown = columns.slice(0, columnsMax)
  return html`<div class="table-responsive">
      <table class="table table-vcenter dense matrix">
        <caption class="visually-hidden">
          Changes and the webhooks that listen to them
        </caption>
        <thead>
          <tr>
            <th scope="col">Change</th>
            ${shown.map(({ webhook, name, exists }) => html`<th scope="col">${exists ? html`<a href="${pathOf(webhookType, webhook)}">${name}</a>` : name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${changes.map(
            ({ change, webhooks, asked }) =>
              html`<tr>
                <th scope="row">
                  <a href="${pathOf(changeType, change.id)}">${capital(objectText(change))}</a
                  >${ofSource(objects.get(change.place))} ${actionBadge(change)}
                </th>
                ${shown.map(
                  ({ webhook }) =>
                    html`<td>
                      ${cell(
                        webhooks.find((each) => each.webhook === webhook),
                        asked > webhooks.length
                      )}
                    </td>`
                )}
              </tr>`
          )}
        </tbody>
      </table>
    </div>
    ${columns.length === 0 ? html`<p class="note sub">No webhook that you may view listens to these changes.</p>` : ""}
    ${
      columns.length > columnsMax || changes.some(({ webhooks, asked }) => asked > webhooks.length)
        ? html`<p class="note sub">More webhooks listen to these changes: the page of each change names them.</p>`
        : ""
    }`
}

const ofSource = (object: SourceObject | undefined): Html | string => (object === undefined ? "" : inSourceLink(object))

/** `isCut`: the change has more webhooks than were read. */
const cell = (reckoned: Reckoned | undefined, isCut: boolean): Html => {
  if (reckoned === undefined) return isCut ? html`<span class="sub">Not shown</span>` : none
  const { outcome, gate, reason, fate } = reckoned
  if (outcome === "fired") {
    if (fate === undefined) return badge("successful", "Fired")
    const shown = badge(fate.state, fate.state === "unknown" ? "Fired; no record" : capital(fate.state))
    const link =
      fate.delivery === undefined ? shown : html`<a href="/extras/deliveries/${fate.delivery.id}/">${shown}</a>`
    return html`${link}${fate.reason === "" ? "" : html`<span class="why-text" title="${fate.reason}">${fate.reason}</span>`}`
  }
  const word = outcome === "undecided" ? "Undecided" : outcome === "unknown" ? "Unknown" : capital(gate ?? "skipped")
  return html`<span class="miss">${word}</span><span class="why-text" title="${reason}">${reason}</span>`
}
