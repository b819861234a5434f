/** `/user/`: who the reader is, and what the reader may do. */
import { Effect } from "effect"
import type { Handler, Route } from "../../http/Route.ts"
import { objectType } from "../../inventory/Registry.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { html } from "../Html.ts"
import { accountPage, userIn } from "./AccountPage.ts"
import { permissionTable } from "./PermissionWords.ts"
import { attribute, valueOf } from "../value/Value.ts"

const userType = objectType("users.user")

const show: Handler = (request) =>
  Effect.gen(function* () {
    const user = yield* userIn(request)
    const shown = representation(userType, user, yield* viewFor(userType, [user], request.base))
    return yield* accountPage(request, {
      title: "Profile",
      main: html`<div class="panels">
        <div>
          <section class="card" aria-labelledby="may">
            <div class="ch"><h2 id="may">What you may do</h2></div>
            ${permissionTable(request.principal)}
          </section>
        </div>
        <div>
          <section class="card" aria-labelledby="you">
            <div class="ch"><h2 id="you">You</h2></div>
            <dl class="attrs">
              ${["username", "first_name", "last_name", "email"].map((name) => attribute(name, shown[name]))}
              <dt>Groups</dt>
              <dd>${valueOf(shown["groups"])}</dd>
              <dt>Superuser</dt>
              <dd>${valueOf(user.is_superuser)}</dd>
              ${attribute("date_joined", shown["date_joined"])}
            </dl>
          </section>
        </div>
      </div>`
    })
  })

export default { path: "/user/", access: "open", methods: { GET: show } } satisfies Route
