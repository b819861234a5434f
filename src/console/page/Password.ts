/** `/user/password/`: a user's own password, changed with the one before it. */
import { Effect } from "effect"
import { html } from "../Html.ts"
import { auditLogin } from "../../auth/Audit.ts"
import { changePassword } from "../../auth/Password.ts"
import { username } from "../../auth/Principal.ts"
import { begin, csrfToken } from "../../auth/Session.ts"
import { addressOf, formOf } from "../../http/Admission.ts"
import { sessionCookies } from "../../http/wire/Cookies.ts"
import { formPage } from "../part/FormPage.ts"
import { throttled } from "../../http/wire/RateLimit.ts"
import type { Handler, Reply, Route } from "../../http/Route.ts"

const toLogin: Reply = { status: 302, headers: { location: "/login/?next=/user/password/" } }

const passwordForm = (session: string, problem: string) =>
  formPage(
    "Change your password",
    csrfToken(session),
    problem,
    html`<p>
        <label
          >Current password
          <input name="old_password" type="password" autocomplete="current-password" required autofocus
        /></label>
      </p>
      <p>
        <label>New password <input name="new_password" type="password" autocomplete="new-password" required /></label>
      </p>
      <button>Change</button>`
  )

const temporary = "Your password was generated for the first login. Choose one of your own."

const show: Handler = ({ principal: { session, mustChangePassword } }) =>
  Effect.succeed(session === undefined ? toLogin : passwordForm(session, mustChangePassword === true ? temporary : ""))

const submit: Handler = ({ principal, incoming, author, origin }) =>
  Effect.gen(function* () {
    const { user, session } = principal
    if (user === undefined || session === undefined) return toLogin
    const form = yield* formOf(incoming)
    const [before, wanted] = ["old_password", "new_password"].map((name) => form.get(name) ?? "")
    const address = addressOf(incoming)
    const problem = yield* changePassword(principal, before!, wanted!, { address, author }).pipe(
      Effect.catchTag("Denied", () => Effect.succeed("Your current password was not that one.")),
      Effect.catchTag("TooManyAttempts", ({ seconds }) => throttled(seconds))
    )
    if (problem !== undefined) return passwordForm(session, problem)
    yield* auditLogin("changed the password", username(principal), address)
    // Every session ended with the old password; this browser gets another.
    const begun = yield* begin(user.id, session)
    return {
      status: 302,
      headers: { location: "/" },
      cookies: sessionCookies(origin, begun.key, begun.seconds)
    }
  })

export default {
  path: "/user/password/",
  access: "credentials",
  methods: { GET: show, POST: submit }
} satisfies Route
