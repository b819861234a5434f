/** `/login/factor/`: completes a login by the second factor, after a right password. */
import { Effect } from "effect"
import { auditFactor, auditRefused, auditThrottled } from "../../auth/Audit.ts"
import { Denied } from "../../auth/Denied.ts"
import { relyingPartyAt } from "../../auth/factor/passkey/Ceremony.ts"
import { provePasskey } from "../../auth/factor/passkey/Passkeys.ts"
import type { UserRow } from "../../auth/Principal.ts"
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
import { answerIn } from "../factor/PasskeyForm.ts"
import { factorPage } from "./FactorPage.ts"

const underWay = ({ incoming, origin }: Request) =>
  loginUnderWay(incoming.cookies[factorCookie(origin)], incoming.cookies[csrfCookie(origin)])

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { incoming, origin } = request
    const login = yield* underWay(request)
    if (login === undefined) return { ...redirect("/login/"), cookies: [forgottenLogin(origin)] }
    return yield* factorPage(request, login.user, incoming.cookies[csrfCookie(origin)] ?? "", {})
  })

const wrongRecovery = "This code is not valid, or it was used before."
const wrongCode = `${wrongRecovery} An app shows a new one every 30 seconds.`

const wrongPasskey =
  "The passkey was not accepted: the page was open for more than five minutes, or it is not one of yours."

/** Returns what the form proves the second factor by. */
const proved = ({ base, incoming }: Request, user: UserRow, form: URLSearchParams, token: string) =>
  Effect.gen(function* () {
    const address = addressOf(incoming)
    const code = form.get("recovery") ?? form.get("code") ?? ""
    if (!form.has("answer")) return yield* proveFactor({ user, address }, code)
    const rp = relyingPartyAt(base)
    if (rp === undefined) return yield* new Denied({ reason: "WrongPasskey" })
    yield* provePasskey(rp, { user, address }, answerIn(form, token))
    return "a passkey" as const
  })

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
    const proof = yield* proved(request, user, form, token).pipe(
      Effect.catchTags({
        TooManyAttempts: ({ seconds }) => Effect.andThen(auditThrottled(name, address), throttled(seconds)),
        Denied: (denied) =>
          Effect.as(auditRefused(denied, { what: "POST /login/factor/", way: "password", name }, address), undefined)
      })
    )
    if (proof === undefined)
      return yield* factorPage(request, user, token, {
        ...{ sent: carried.sent, isRecovery: recovery !== null },
        problem: form.has("answer") ? wrongPasskey : recovery === null ? wrongCode : wrongRecovery
      })
    yield* auditFactor(`logged in with ${proof}`, name, address)
    return yield* entered(request, user, next, carried)
  })

export default { path: "/login/factor/", access: "credentials", methods: { GET: show, POST: submit } } satisfies Route
