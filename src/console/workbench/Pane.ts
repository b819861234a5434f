/** The workbench beside the form of a webhook: what the webhook would do with a real change, as its fields are now. */
import { type Html, html } from "../Html.ts"
import { formPane } from "../live/FormPane.ts"

export const workbenchPath = "/extras/webhooks/workbench/"

export const workbench = (id: number | undefined): Html =>
  html`<aside class="workbench" aria-label="Workbench">
    ${id === undefined ? "" : html`<input type="hidden" name="_webhook" value="${id}" />`}
    <div>
      ${formPane({
        id: "workbench",
        path: workbenchPath,
        title: "Workbench",
        note: "Shows what this webhook would do with a real change.",
        action: "Try it"
      })}
      <details class="card paste">
        <summary>Paste an event</summary>
        <label class="visually-hidden" for="_event">Event</label>
        <textarea
          class="field-in mono"
          id="_event"
          name="_event"
          rows="8"
          spellcheck="false"
          aria-describedby="_event-hint"
          placeholder='{"event": "updated", "model": "site", "data": {"name": "BER1"}}'
        ></textarea>
        <p class="hint" id="_event-hint">As a receiver gets it. It is tried until you empty the field.</p>
      </details>
    </div>
  </aside>`
