/** `/logout/`: ends the session of this browser, and leads to the logout of the provider that it began with. */
import { Effect } from "effect"
import { auditLogin } from "../../auth/Audit.ts"
import { username } from "../../auth/Principal.ts"
import { csrfToken, end } from "../../auth/Session.ts"
import { signInOfSession } from "../../auth/oidc/ProviderSession.ts"
import { SingleSignOn } from "../../auth/oidc/SingleSignOn.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { forgottenCookies } from "../../http/wire/Cookies.ts"
import { html } from "../Html.ts"
import { formPage } from "../form/FormPage.ts"
import { sheet } from "../frame/Sheet.ts"

const show: Handler = ({ principal: { session } }) =>
  Effect.succeed(
    session === undefined ? redirect("/") : formPage("Log out", csrfToken(session), "", html`<button>Log out</button>`)
  )

const submit: Handler = ({ principal, incoming, origin, base }) =>
  Effect.gen(function* () {
    const cookies = forgottenCookies(origin)
    if (principal.session === undefined) return { ...redirect("/"), cookies }
    const { provider, idToken } = yield* signInBy(principal.session)
    yield* end(principal.session)
    yield* auditLogin("logged out", username(principal), addressOf(incoming))
    const url = yield* provider === undefined
      ? Effect.succeed(undefined)
      : provider.endSessionUrl(`${base}/login/`, idToken)
    if (provider === undefined || url === undefined) return { ...redirect("/"), cookies }
    // A link: the policy of pages lets no form lead to another site.
    const page = sheet(
      "Logged out",
      html`<p>Your session here has ended. You may still be logged in at ${provider.options.label}.</p>
        <div class="ways">
          <a class="btn" href="${url}">Log out of ${provider.options.label} too</a>
          <a class="btn" href="/login/">Log in again</a>
        </div>`
    )
    return { ...page, cookies }
  })

const signInBy = Effect.fnUntraced(function* (session: string) {
  const { providers } = yield* SingleSignOn
  const signIn = providers.length === 0 ? undefined : yield* signInOfSession(session)
  const provider = providers.find(({ options }) => options.name === signIn?.provider)
  return { provider, idToken: signIn?.idToken }
})

export default { path: "/logout/", access: "credentials", methods: { GET: show, POST: submit } } satisfies Route
