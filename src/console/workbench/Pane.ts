/**
 * The workbench beside the form of a webhook: what the webhook would do with a real change, as its fields are now.
 * With scripts it follows what is typed; without them a button opens it in a tab of its own.
 */
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"

export const workbenchPath = "/extras/webhooks/workbench/"

export const workbench = (id: number | undefined): Html =>
  html`<aside class="workbench" aria-label="Workbench">
    ${id === undefined ? "" : html`<input type="hidden" name="_webhook" value="${id}" />`}
    <div>
      <div
        id="workbench"
        hx-post="${workbenchPath}"
        hx-include="closest form"
        hx-trigger="load, input delay:300ms from:'closest form'"
        hx-target="this"
        hx-swap="innerHTML"
        hx-sync="this:replace"
      >
        <section class="card">
          <div class="ch"><h2>Workbench</h2></div>
          <p class="note sub">Shows what this webhook would do with a real change.</p>
          <p class="note">
            <button class="btn btn-sm" formaction="${workbenchPath}" formtarget="_blank">${icon("eye")}Try it</button>
          </p>
        </section>
      </div>
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
