/** The page that shows recovery codes, once. */
import type { Reply } from "../../http/Route.ts"
import { html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { sheet } from "../frame/Sheet.ts"

export const recoverySheet = (codes: ReadonlyArray<string>): Reply =>
  sheet(
    "Your recovery codes",
    html`<p>
        Each code logs you in once, in place of your other factor. They are shown this once: print them, or store them
        in a password manager. Earlier codes are no longer valid.
      </p>
      <ol class="codes mono" id="codes">
        ${codes.map((code) => html`<li>${code}</li>`)}
      </ol>
      <div class="ways">
        <button class="btn" type="button" data-copy="codes" hidden>${icon("copy")}Copy</button>
        <a class="btn" href="/user/factors/">I have stored them</a>
      </div>`
  )
