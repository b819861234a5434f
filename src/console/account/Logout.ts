/** `/logout/`: ends the session of this browser. */
import { Effect } from "effect"
import { auditLogin } from "../../auth/Audit.ts"
import { username } from "../../auth/Principal.ts"
import { csrfToken, end } from "../../auth/Session.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { forgottenCookies } from "../../http/wire/Cookies.ts"
import { html } from "../Html.ts"
import { formPage } from "../form/FormPage.ts"

const show: Handler = ({ principal: { session } }) =>
  Effect.succeed(
    session === undefined ? redirect("/") : formPage("Log out", csrfToken(session), "", html`<button>Log out</button>`)
  )

const submit: Handler = ({ principal, incoming, origin }) =>
  Effect.gen(function* () {
    if (principal.session !== undefined) {
      yield* end(principal.session)
      yield* auditLogin("logged out", username(principal), addressOf(incoming))
    }
    return { ...redirect("/"), cookies: forgottenCookies(origin) }
  })

export default { path: "/logout/", access: "credentials", methods: { GET: show, POST: submit } } satisfies Route
