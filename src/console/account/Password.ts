/** `/user/password/`: users change their own password, with the one before it. */
import { Effect } from "effect"
import { auditOwnPassword, auditRefused, auditThrottled } from "../../auth/Audit.ts"
import { changePassword } from "../../auth/password/Password.ts"
import { username } from "../../auth/Principal.ts"
import { begin, csrfToken } from "../../auth/Session.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { sessionCookies } from "../../http/wire/Cookies.ts"
import { throttled } from "../../http/wire/RateLimit.ts"
import { html } from "../Html.ts"
import { formPage } from "../form/FormPage.ts"

const toLogin = redirect("/login/?next=/user/password/")

const passwordForm = (session: string, name: string, problem: string) =>
  formPage(
    "Change your password",
    csrfToken(session),
    problem,
    html`<input name="username" autocomplete="username" value="${name}" readonly hidden />
      <p>
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

const show: Handler = ({ principal }) => {
  const { session, mustChangePassword } = principal
  const problem = mustChangePassword === true ? temporary : ""
  return Effect.succeed(session === undefined ? toLogin : passwordForm(session, username(principal), problem))
}

const submit: Handler = ({ principal, incoming, author, origin }) =>
  Effect.gen(function* () {
    const { user, session } = principal
    if (user === undefined || session === undefined) return toLogin
    const form = yield* readForm(incoming)
    const address = addressOf(incoming)
    const [before, wanted] = [form.get("old_password") ?? "", form.get("new_password") ?? ""]
    const problem = yield* changePassword(user, before, wanted, { address, author }).pipe(
      Effect.catchTags({
        Denied: (denied) =>
          Effect.as(
            auditRefused(denied, { what: "POST /user/password/", way: "password", name: username(principal) }, address),
            "Your current password was not that one."
          ),
        TooManyAttempts: ({ seconds }) =>
          Effect.andThen(auditThrottled(username(principal), address), throttled(seconds))
      })
    )
    if (problem !== undefined) return passwordForm(session, username(principal), problem)
    yield* auditOwnPassword(username(principal), address)
    // The new password ended every session of the user; this browser gets a new one.
    const begun = yield* begin(user.id, session, { address, agent: incoming.headers["user-agent"] })
    return { ...redirect("/"), cookies: sessionCookies(origin, begun.key, begun.seconds) }
  })

export default {
  path: "/user/password/",
  access: "credentials",
  methods: { GET: show, POST: submit }
} satisfies Route
