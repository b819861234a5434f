/** Beside the form of a permission: how many objects of each chosen type its constraints match, as they are now. */
import { type Html, html } from "../Html.ts"
import { formPane } from "../live/FormPane.ts"

export const matchesPath = "/users/permissions/matches/"

export const matchesPane = (): Html =>
  html`<aside class="workbench" aria-label="Matches">
    ${formPane({
      id: "matches",
      path: matchesPath,
      title: "Matches",
      note: "Counts the objects that the constraints match.",
      action: "Count"
    })}
  </aside>`
