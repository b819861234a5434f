/** Failed deliveries by cause, each with what to do about all of it. */
import type { FailureGroup } from "../../history/log/Failures.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { durationText } from "../value/Duration.ts"
import { icon } from "../frame/Icon.ts"
import { number } from "../list/Pager.ts"
import { timeOf } from "../value/Time.ts"
import { fieldTitle, inSentence, pathOf } from "../value/Title.ts"
import { beginning } from "../value/Value.ts"
import { causeTitle } from "./Cause.ts"

const webhookType = objectType("extras.webhook")

/** Most groups that the page shows. */
const groupsMax = 25

/** Most characters of a message. */
const messageLengthMax = 160

/** The filter of the deliveries of a group, as the API takes it. */
export const filterOf = ({ webhook, status, reason, response_status: answer }: FailureGroup): URLSearchParams =>
  new URLSearchParams({
    ...{ webhook_id: `${webhook}`, status, reason },
    ...(answer === null ? { response_status__empty: "true" } : { response_status: `${answer}` })
  })

/** `mayAct`: whether the reader may retry and discard all of them. */
export const failureTable = (groups: ReadonlyArray<FailureGroup>, mayAct: boolean): Html => {
  const shown = groups.slice(0, groupsMax)
  return html`<div class="card" id="failures">
    <div class="table-responsive">
      <table class="table table-vcenter dense">
        <caption class="visually-hidden">
          Deliveries by cause
        </caption>
        <thead>
          <tr>
            <th scope="col">Cause</th>
            <th scope="col">Webhook</th>
            <th scope="col" class="num lo">Deliveries</th>
            <th scope="col" class="lo">First and last seen</th>
            <th scope="col"><span class="visually-hidden">Actions</span></th>
          </tr>
        </thead>
        <tbody>
          ${shown.map((group) => row(group, mayAct))}
        </tbody>
      </table>
    </div>
    ${
      groups.length > shown.length
        ? html`<p class="note sub">
            ${groups.length - shown.length} more causes, with fewer deliveries, are in the API.
          </p>`
        : ""
    }
  </div>`
}

const row = (group: FailureGroup, mayAct: boolean): Html => {
  const { webhook, webhook_name: name, reason, response_status: answer, count, first, last, example, host } = group
  const query = filterOf(group)
  const list = `${pathOf(deliveryType)}?${query}`
  return html`<tr>
    <th scope="row" class="nm">
      <span class="dot bad"></span>
      <div>
        <a href="${list}">${causeTitle(reason, answer)}</a>
        ${host === "" ? "" : html`<div class="sub mono">${host}</div>`}
        ${group.message === "" ? "" : html`<div class="sub">${beginning(group.message, messageLengthMax)}</div>`}
        ${before(group)}
      </div>
    </th>
    <td>
      ${name === null ? html`<span class="sub">deleted</span>` : html`<a href="${pathOf(webhookType, webhook)}">${name}</a>`}
    </td>
    <td class="num lo"><b>${number(count)}</b></td>
    <td class="lo">
      ${timeOf(first)}<br />${timeOf(last)}
      <div class="links"><a href="${pathOf(deliveryType, example)}">Latest example</a></div>
    </td>
    <td class="ra">${mayAct ? actions(query, count, name !== null) : ""}</td>
  </tr>`
}

const actions = (query: URLSearchParams, count: number, isThere: boolean): Html =>
  html`${
      isThere
        ? html`<a class="btn btn-sm" href="${pathOf(deliveryType)}retry/?${`${query}`}"
            >${icon("refresh", "wide")}Retry ${number(count)}</a
          >`
        : ""
    }
    <a class="btn btn-sm btn-ghost-danger" href="${pathOf(deliveryType)}discard/?${`${query}`}"
      >${icon("trash")}Discard ${number(count)}</a
    >`

/** The change of the webhook before the first of the failures. */
const before = ({ changed_before: change }: FailureGroup): Html => {
  if (change === null) return html``
  const { seconds, id, action, fields, user_name: user } = change
  const what =
    action === "create" ? "Webhook created" : fields.length === 0 ? "Webhook saved" : `${fieldsText(fields)} changed`
  const who = user === "" ? "" : ` by ${user}`
  return html`<div class="cause-before links">
    ${icon("pencil")}<a href="${pathOf(changeType, id)}">${what}${who} ${durationText(seconds * 1000)} before</a>
  </div>`
}

/** Most fields that are named. */
const fieldsMax = 3

const fieldsText = (fields: ReadonlyArray<string>): string => {
  const [first = "", ...others] = fields.slice(0, fieldsMax).map(fieldTitle)
  const rest = fields.length - fieldsMax
  return [first, ...others.map(inSentence), ...(rest > 0 ? [`${rest} more`] : [])].join(", ")
}
