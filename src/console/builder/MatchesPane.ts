/**
 * Beside the form of a permission: how many objects of each chosen type its constraints match, as they are now. With
 * scripts it follows what is typed; without them a button opens it in a tab of its own.
 */
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"

export const matchesPath = "/users/permissions/matches/"

export const matchesPane = (): Html =>
  html`<aside class="workbench" aria-label="Matches">
    <div
      id="matches"
      hx-post="${matchesPath}"
      hx-include="closest form"
      hx-trigger="load, input delay:300ms from:'closest form'"
      hx-target="this"
      hx-swap="innerHTML"
      hx-sync="this:replace"
    >
      <section class="card">
        <div class="ch"><h2>Matches</h2></div>
        <p class="note sub">Counts the objects that the constraints match.</p>
        <p class="note">
          <button class="btn btn-sm" formaction="${matchesPath}" formtarget="_blank">${icon("eye")}Count</button>
        </p>
      </section>
    </div>
  </aside>`
