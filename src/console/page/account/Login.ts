/** `/login/`: begins a session with a user name and a password. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { auditDenied, auditLogin } from "../../../auth/Audit.ts"
import { logIn } from "../../../auth/Password.ts"
import { begin } from "../../../auth/Session.ts"
import { addressOf, isSameSecret } from "../../../http/Admission.ts"
import { type Handler, type Request, type Route, redirect } from "../../../http/Route.ts"
import { readForm } from "../../../http/wire/Body.ts"
import { csrfCookie, formCookie, sessionCookies } from "../../../http/wire/Cookies.ts"
import { throttled } from "../../../http/wire/RateLimit.ts"
import { html } from "../../Html.ts"
import { formPage } from "../../part/form/FormPage.ts"

/** The path to go to after the login; the home page where `next` could lead to another site. */
const ownPath = (next: string | null): string => {
  if (next === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes("\\")) return "/"
  const { origin, pathname, search } = new URL(next, "http://ours")
  return origin === "http://ours" && !pathname.startsWith("//") ? pathname + search : "/"
}

/** Without a session the CSRF token is a random one, which the browser keeps in a cookie. */
const loginForm = ({ incoming, origin }: Request, next: string, problem: string) => {
  const known = incoming.cookies[csrfCookie(origin)] ?? ""
  const token = /^[\w-]{43,64}$/.test(known) ? known : randomBytes(32).toString("base64url")
  const fields = html`<input type="hidden" name="next" value="${next}" />
    <p>
      <label>Username <input name="username" autocomplete="username" required autofocus /></label>
    </p>
    <p>
      <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
    </p>
    <button>Log in</button>`
  return { ...formPage("Log in", token, problem, fields), cookies: [formCookie(origin, token)] }
}

const show: Handler = (request) => {
  const next = ownPath(request.url.searchParams.get("next"))
  return Effect.succeed(request.principal.user === undefined ? loginForm(request, next, "") : redirect(next))
}

const wrong = "Please enter a correct username and password. Note that both fields may be case-sensitive."

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const { incoming, origin, principal } = request
    const form = yield* readForm(incoming)
    const next = ownPath(form.get("next"))
    const name = (form.get("username") ?? "").trim()
    const cookie = incoming.cookies[csrfCookie(origin)]
    // Otherwise another site could log somebody in as somebody else.
    if (cookie === undefined || !isSameSecret(form.get("csrfmiddlewaretoken") ?? "", cookie)) {
      return { ...loginForm(request, next, "The form has expired. Please try again."), status: 403 }
    }
    const address = addressOf(incoming)
    const found = yield* logIn(name, form.get("password") ?? "", address).pipe(
      Effect.catchTags({
        TooManyAttempts: ({ seconds }) => throttled(seconds),
        Denied: (denied) => Effect.as(auditDenied(denied, "POST /login/", name, address), undefined)
      })
    )
    if (found === undefined) return loginForm(request, next, wrong)
    const { key, seconds } = yield* begin(found.user.id, principal.session, {
      address,
      agent: incoming.headers["user-agent"]
    })
    yield* auditLogin("logged in", name, address)
    return { ...redirect(next), cookies: sessionCookies(origin, key, seconds) }
  })

export default { path: "/login/", access: "credentials", methods: { GET: show, POST: submit } } satisfies Route
