/** `/login/factor/`: completes a login by the second factor, after a right password. */
import { Effect } from "effect"
import { auditDenied, auditFactor } from "../../auth/Audit.ts"
import { proveFactor } from "../../auth/factor/Factors.ts"
import { loginUnderWay } from "../../auth/factor/LoginUnderWay.ts"
import { addressOf, isSameSecret } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { csrfCookie, factorCookie, forgottenLogin } from "../../http/wire/Cookies.ts"
import { throttled } from "../../http/wire/RateLimit.ts"
import type { Request } from "../../http/wire/Request.ts"
import { loginForm } from "../account/LoginForm.ts"
import { carriedForm, entered } from "./Entered.ts"
import { factorForm } from "./FactorForm.ts"

const underWay = ({ incoming, origin }: Request) =>
  loginUnderWay(incoming.cookies[factorCookie(origin)], incoming.cookies[csrfCookie(origin)])

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { incoming, origin } = request
    if ((yield* underWay(request)) === undefined) return { ...redirect("/login/"), cookies: [forgottenLogin(origin)] }
    return factorForm(incoming.cookies[csrfCookie(origin)] ?? "", {})
  })

const wrong = "This code is not valid, or it was used before. An app shows a new one every 30 seconds."

const expired =
  "The login has expired, or another browser began it. A second factor has to follow within five minutes. Please begin again."

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const { incoming, origin } = request
    const form = yield* readForm(incoming)
    const carried = yield* carriedForm(form, request)
    const token = incoming.cookies[csrfCookie(origin)] ?? ""
    const isOurs = isSameSecret(form.get("csrfmiddlewaretoken") ?? "", token)
    const login = isOurs ? yield* underWay(request) : undefined
    if (login === undefined) {
      const page = yield* loginForm(request, { next: "/", sent: carried.sent, problem: expired })
      return { ...page, status: 403, cookies: [...page.cookies, forgottenLogin(origin)] }
    }
    const { user, next } = login
    const [name, address] = [user.username ?? "", addressOf(incoming)]
    const recovery = form.get("recovery")
    const proof = yield* proveFactor({ user, address }, recovery ?? form.get("code") ?? "").pipe(
      Effect.catchTags({
        TooManyAttempts: ({ seconds }) => throttled(seconds),
        Denied: (denied) => Effect.as(auditDenied(denied, "POST /login/factor/", name, address), undefined)
      })
    )
    if (proof === undefined)
      return factorForm(token, { sent: carried.sent, problem: wrong, isRecovery: recovery !== null })
    yield* auditFactor(`logged in with ${proof}`, name, address)
    return yield* entered(request, user, next, carried)
  })

export default { path: "/login/factor/", access: "credentials", methods: { GET: show, POST: submit } } satisfies Route
