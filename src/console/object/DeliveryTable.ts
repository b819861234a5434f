/** A table of deliveries: when, which event, to which webhook, and how it went. */
import type { Row, View } from "../../inventory/Field.ts"
import type { ObjectOfDelivery, SourceObject } from "../../history/source/SourceObjects.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { type Html, html } from "../Html.ts"
import { objectWithType } from "../source/ObjectLink.ts"
import { timeOf } from "../value/Time.ts"
import { nameOfType, pathOf } from "../value/Title.ts"
import { beginning, none, valueOf } from "../value/Value.ts"

/** Most characters of an error message. */
const messageLengthMax = 200

/** Names the columns that the page shows already, and the table leaves out. `brief`: object, event and time. */
export type DeliveryExtent = "of an object" | "of a webhook" | "of a source" | "brief"

/** Whether a table has the object of each delivery, and its webhook. */
const showsObject = (extent: DeliveryExtent): boolean => extent === "of a webhook" || extent === "of a source"
const showsWebhook = (extent: DeliveryExtent): boolean => extent !== "of a webhook"

/** `objectIn` gives the objects of sources, for a table with objects. */
export const deliveryTable = (
  rows: ReadonlyArray<Row>,
  view: View,
  extent: DeliveryExtent,
  objectIn: ObjectOfDelivery = () => undefined
): Html =>
  html`<div class="table-responsive">
    <table class="table table-vcenter dense">
      <caption class="visually-hidden">
        Deliveries
      </caption>
      <thead>
        <tr>
          ${extent === "brief" ? "" : html`<th scope="col">Time</th>`}
          <th scope="col">Outcome</th>
          ${showsObject(extent) ? html`<th scope="col">Object</th>` : ""}
          ${showsWebhook(extent) ? html`<th scope="col">Webhook</th>` : ""}
          ${extent === "brief" ? "" : html`<th scope="col" class="lo">Event</th>`}
          <th scope="col" class="lo">Attempts</th>
          <th scope="col" class="lo">Answer</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => line(row, representation(deliveryType, row, view), extent, objectIn(row)))}
      </tbody>
    </table>
  </div>`

const line = (
  row: Row,
  shown: Readonly<Record<string, unknown>>,
  extent: DeliveryExtent,
  source: SourceObject | undefined
): Html => {
  const { time, status, webhook, event, attempts, response_status: answer, message } = shown
  const linked = (text: Html): Html =>
    html`<th scope="row" class="nowrap"><a href="${pathOf(deliveryType, row.id)}">${text}</a></th>`
  return html`<tr>
    ${
      extent === "brief"
        ? linked(valueOf(status))
        : html`${linked(timeOf(String(time), "second"))}
            <td>${valueOf(status)}</td>`
    }
    ${showsObject(extent) ? html`<td>${objectOf(shown, source)}</td>` : ""}
    ${showsWebhook(extent) ? html`<td>${webhook === null ? html`<span class="sub">deleted</span>` : valueOf(webhook)}</td>` : ""}
    ${extent === "brief" ? "" : html`<td class="lo">${valueOf(event)}</td>`}
    <td class="lo">${valueOf(attempts)}</td>
    <td class="lo whole">
      ${answer === null ? (message === "" || message === null ? none : beginning(String(message), messageLengthMax)) : valueOf(answer)}
    </td>
  </tr>`
}

/** The object of an event, which may be gone. */
const objectOf = (
  { object, object_type: type, object_id: id }: Readonly<Record<string, unknown>>,
  source: SourceObject | undefined
): Html =>
  source !== undefined
    ? objectWithType(String(type), source)
    : object === null || object === undefined
      ? html`${nameOfType(String(type))} #${String(id)}`
      : valueOf(object)
