/** `/login/`: begins a session with a user name and a password. */
import { Effect } from "effect"
import { auditDenied, auditLogin } from "../../auth/Audit.ts"
import { logIn } from "../../auth/password/Password.ts"
import { begin } from "../../auth/Session.ts"
import { addressOf, isSameSecret } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { senderOf } from "../../http/LostForm.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { Request } from "../../http/wire/Request.ts"
import { csrfCookie, sessionCookies } from "../../http/wire/Cookies.ts"
import { throttled } from "../../http/wire/RateLimit.ts"
import { sentBefore } from "../form/Carried.ts"
import { ownPath } from "../frame/OwnPath.ts"
import { loginForm } from "./LoginForm.ts"
import { goOn } from "../LostForm.ts"

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
    const { incoming, origin, principal } = request
    const form = yield* readForm(incoming)
    const next = ownPath(form.get("next")) ?? "/"
    const name = (form.get("username") ?? "").trim()
    const cookie = incoming.cookies[csrfCookie(origin)]
    const carried = sentBefore(form)
    const sender = carried.size === 0 ? undefined : yield* senderOf(carried, request)
    // The fields of a form whose session has ended; none where another site may have sent them.
    const sent = sender === undefined ? new URLSearchParams() : carried
    // Otherwise another site could log somebody in as somebody else.
    if (cookie === undefined || !isSameSecret(form.get("csrfmiddlewaretoken") ?? "", cookie)) {
      const problem = lostCookie(request)
      return { ...(yield* loginForm(request, { next, sent, name, problem })), status: 403 }
    }
    const address = addressOf(incoming)
    const found = yield* logIn(name, form.get("password") ?? "", address).pipe(
      Effect.catchTags({
        TooManyAttempts: ({ seconds }) => throttled(seconds),
        Denied: (denied) => Effect.as(auditDenied(denied, "POST /login/", name, address), undefined)
      })
    )
    if (found === undefined) return yield* loginForm(request, { next, sent, name, problem: wrong })
    const { key, seconds } = yield* begin(found.user.id, principal.session, {
      address,
      agent: incoming.headers["user-agent"]
    })
    yield* auditLogin("logged in", name, address)
    const isOwn = sender === found.user.id
    const reply = isOwn ? goOn("You are logged in", { sent, path: next, session: key }) : redirect(next)
    return { ...reply, cookies: sessionCookies(origin, key, seconds) }
  })

export default { path: "/login/", access: "credentials", methods: { GET: show, POST: submit } } satisfies Route
