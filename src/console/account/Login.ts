/** `/login/`: begins a session with a user name and a password, and leads to the second factor of users who have one. */
import { Effect } from "effect"
import { auditLogin, auditRefused, auditSignIn, auditThrottled } from "../../auth/Audit.ts"
import { factorsOf, hasFactor } from "../../auth/factor/Factors.ts"
import { logIn } from "../../auth/password/Password.ts"
import { addressOf, isSameSecret } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { Request } from "../../http/wire/Request.ts"
import { csrfCookie } from "../../http/wire/Cookies.ts"
import { throttled } from "../../http/wire/RateLimit.ts"
import { ownPath } from "../frame/OwnPath.ts"
import { loginForm } from "./LoginForm.ts"
import { carriedForm, entered, factorRequested } from "../signin/Entered.ts"

const show: Handler = (request) => {
  const next = ownPath(request.url.searchParams.get("next")) ?? "/"
  return request.principal.user === undefined ? loginForm(request, { next }) : Effect.succeed(redirect(next))
}

/** Why the browser sent no cookie with the form. Over plain HTTP it keeps none that is meant for TLS. */
const lostCookie = ({ incoming, origin }: Request): string =>
  origin.isSecure && incoming.headers["origin"]?.startsWith("http:") === true
    ? `This page was opened over http://, where the browser keeps no login, because BASE_URL begins with https://. Open ${origin.base}/login/ instead.`
    : "The form has expired. Please try again."

const wrong = "Please enter a correct username and password. Note that both fields may be case-sensitive."

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const { incoming, origin, author } = request
    const form = yield* readForm(incoming)
    const next = ownPath(form.get("next")) ?? "/"
    const name = (form.get("username") ?? "").trim()
    const cookie = incoming.cookies[csrfCookie(origin)]
    const carried = yield* carriedForm(form, request)
    const { sent } = carried
    // Otherwise another site could log somebody in as somebody else.
    if (cookie === undefined || !isSameSecret(form.get("csrfmiddlewaretoken") ?? "", cookie)) {
      const problem = lostCookie(request)
      return { ...(yield* loginForm(request, { next, sent, name, problem })), status: 403 }
    }
    const address = addressOf(incoming)
    const found = yield* logIn(name, form.get("password") ?? "", { address, author }).pipe(
      Effect.catchTags({
        TooManyAttempts: ({ seconds }) => Effect.andThen(auditThrottled(name, address), throttled(seconds)),
        Denied: (denied) =>
          Effect.as(auditRefused(denied, { what: "POST /login/", way: "password", name }, address), wrong),
        SignInRefused: ({ sentence }) => Effect.succeed(sentence)
      })
    )
    if (typeof found === "string") {
      const reference = found === wrong ? "" : author.requestId
      return yield* loginForm(request, { next, sent, name, problem: found, reference })
    }
    if (hasFactor(yield* factorsOf(found.user.id)))
      return yield* factorRequested(request, found.user, { token: cookie, next, sent })
    yield* found.account === undefined
      ? auditLogin("logged in", name, address)
      : auditSignIn(found.how, found.user.username ?? "", { ...found.account, way: "ldap" }, address)
    return yield* entered(request, found.user, next, carried)
  })

export default { path: "/login/", access: "credentials", methods: { GET: show, POST: submit } } satisfies Route
