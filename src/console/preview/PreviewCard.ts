/** The card of a preview: the changed fields, and the webhooks that would fire. */
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { pathOf } from "../value/Title.ts"
import { valueOf } from "../value/Value.ts"
import type { Preview } from "./Preview.ts"

const webhookType = objectType("extras.webhook")

export const previewCard = (preview: Preview): Html =>
  html`<section class="card preview" aria-labelledby="preview" tabindex="-1" autofocus>
    <div class="ch">
      <h2 id="preview">Preview</h2>
      <span class="sub">Nothing is saved yet.</span>
    </div>
    ${preview.kind === "deleted" ? "" : changes(preview)}
    <div class="preview-part">${webhooks(preview)}</div>
  </section>`

const changes = ({ kind, changed }: Preview): Html => {
  if (changed.length === 0) return html`<p class="preview-part">No field would change.</p>`
  const isNew = kind === "created"
  return html`<div class="table-responsive">
    <table class="table card-table dense changes">
      <caption class="visually-hidden">
        ${isNew ? "Values of the new object" : "Fields that would change"}
      </caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          ${isNew ? "" : html`<th scope="col">Before</th>`}
          <th scope="col">${isNew ? "Value" : "After"}</th>
        </tr>
      </thead>
      <tbody>
        ${changed.map(
          ({ title, before, after }) =>
            html`<tr>
              <th scope="row">${title}</th>
              ${isNew ? "" : html`<td><del>${valueOf(before)}</del></td>`}
              <td><ins>${valueOf(after)}</ins></td>
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
}

const counted = (count: number): string => (count === 1 ? "1 webhook" : `${count} webhooks`)

const webhooks = ({ fires, hidden, mayFire, isPartial }: Preview): Html => {
  const count = fires.length + hidden
  return html`<h3>${count === 0 ? "No webhook would fire." : `${counted(count)} would fire`}</h3>
    ${
      fires.length === 0
        ? ""
        : html`<ul class="fires links">
            ${fires.map(({ id, name, isPaused }) => html`<li><a href="${pathOf(webhookType, id)}">${name}</a>${isPaused ? html` <span class="sub">paused: the delivery waits until it resumes</span>` : ""}</li>`)}
          </ul>`
    }
    ${hidden === 0 ? "" : html`<p class="sub">${counted(hidden)} of them you may not view.</p>`}
    ${
      mayFire.length === 0
        ? ""
        : html`<p class="links">
            Objects that refer to it change as well. Webhooks that may fire for them:
            ${mayFire.map(({ id, name }, at) => html`${at === 0 ? "" : ", "}<a href="${pathOf(webhookType, id)}">${name}</a>`)}.
          </p>`
    }
    ${isPartial ? html`<p class="sub">There are too many webhooks for a preview: only the oldest 1,000 were evaluated.</p>` : ""}`
}
