/** The pages by which people log in and out. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { html } from "../Html.ts"
import { auditDenied, auditLogin } from "../../auth/Audit.ts"
import { logIn } from "../../auth/Password.ts"
import { username } from "../../auth/Principal.ts"
import { begin, csrfToken, end } from "../../auth/Session.ts"
import { addressOf, formOf, same } from "../../http/Admission.ts"
import { csrfCookie, forgottenCookies, formCookie, sessionCookies } from "../../http/wire/Cookies.ts"
import { formPage } from "../part/FormPage.ts"
import { throttled } from "../../http/wire/RateLimit.ts"
import type { Handler, Reply, Request, Route } from "../../http/Route.ts"

/** A path of ours to go on to; anything that could lead elsewhere is the home page. */
const ownPath = (next: string | null): string => {
  if (next === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes("\\")) return "/"
  const { origin, pathname, search } = new URL(next, "http://ours")
  return origin === "http://ours" && !pathname.startsWith("//") ? pathname + search : "/"
}

const redirect = (to: string): Reply => ({ status: 302, headers: { location: to } })

const loginForm = Effect.fnUntraced(function* (request: Request, next: string, problem: string) {
  const { incoming, origin } = request
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
})

const showLogin: Handler = (request) => {
  const next = ownPath(request.url.searchParams.get("next"))
  return request.principal.user === undefined ? loginForm(request, next, "") : Effect.succeed(redirect(next))
}

const wrong = "Please enter a correct username and password. Note that both fields may be case-sensitive."

const submitLogin: Handler = (request) =>
  Effect.gen(function* () {
    const form = yield* formOf(request.incoming)
    const next = ownPath(form.get("next"))
    const name = (form.get("username") ?? "").trim()
    const cookie = request.incoming.cookies[csrfCookie(request.origin)]
    // Otherwise another site could log somebody in as somebody else.
    if (cookie === undefined || !same(form.get("csrfmiddlewaretoken") ?? "", cookie)) {
      return { ...(yield* loginForm(request, next, "The form has expired. Please try again.")), status: 403 }
    }
    const address = addressOf(request.incoming)
    const result = yield* Effect.result(logIn(name, form.get("password") ?? "", address))
    if (result._tag === "Failure") {
      const { failure } = result
      if (failure._tag === "SqlError") return yield* Effect.fail(failure)
      if (failure._tag === "TooManyAttempts") return yield* throttled(failure.seconds)
      yield* auditDenied(failure, "POST /login/", name, address)
      return yield* loginForm(request, next, wrong)
    }
    const { key, seconds } = yield* begin(result.success.user.id, request.principal.session)
    yield* auditLogin("logged in", name, address)
    return { ...redirect(next), cookies: sessionCookies(request.origin, key, seconds) }
  })

const showLogout: Handler = ({ principal }) =>
  Effect.succeed(
    principal.session === undefined
      ? redirect("/")
      : formPage("Log out", csrfToken(principal.session), "", html`<button>Log out</button>`)
  )

const submitLogout: Handler = ({ principal, incoming, origin }) =>
  Effect.gen(function* () {
    if (principal.session !== undefined) {
      yield* end(principal.session)
      yield* auditLogin("logged out", username(principal), addressOf(incoming))
    }
    return { ...redirect("/"), cookies: forgottenCookies(origin) }
  })

export default [
  { path: "/login/", access: "credentials", methods: { GET: showLogin, POST: submitLogin } },
  { path: "/logout/", access: "credentials", methods: { GET: showLogout, POST: submitLogout } }
] satisfies ReadonlyArray<Route>
