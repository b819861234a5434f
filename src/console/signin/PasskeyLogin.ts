/** `/login/passkey/`: logs in by a passkey alone, whose device has verified its user. */
import { Effect } from "effect"
import { auditFactor, auditRefused } from "../../auth/Audit.ts"
import { userOfPasskey } from "../../auth/factor/LoginUnderWay.ts"
import { relyingPartyAt } from "../../auth/factor/passkey/Ceremony.ts"
import { provenUser } from "../../auth/factor/passkey/Passkeys.ts"
import { addressOf, isSameSecret } from "../../http/Admission.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { csrfCookie } from "../../http/wire/Cookies.ts"
import { loginForm } from "../account/LoginForm.ts"
import { answerIn } from "../factor/PasskeyForm.ts"
import { ownPath } from "../frame/OwnPath.ts"
import { carriedForm, entered } from "./Entered.ts"
import { limitFlood } from "./Flood.ts"

const problem =
  "The passkey was not accepted: it is not one of this service, or the page was open for more than five minutes. Please try again."

const submit: Handler = (request) =>
  Effect.gen(function* () {
    yield* limitFlood(request)
    const { incoming, origin } = request
    const form = yield* readForm(incoming)
    const next = ownPath(form.get("next")) ?? "/"
    const carried = yield* carriedForm(form, request)
    const cookie = incoming.cookies[csrfCookie(origin)] ?? ""
    const rp = relyingPartyAt(request.base)
    const isOurs = isSameSecret(form.get("csrfmiddlewaretoken") ?? "", cookie)
    const address = addressOf(incoming)
    const proved =
      rp === undefined || !isOurs
        ? undefined
        : yield* provenUser(rp, undefined, answerIn(form, cookie)).pipe(
            Effect.catchTag("Denied", (denied) =>
              Effect.as(
                auditRefused(denied, { what: "POST /login/passkey/", way: "passkey", name: "" }, address),
                undefined
              )
            )
          )
    const user = proved === undefined ? undefined : yield* userOfPasskey(proved)
    if (user === undefined) {
      return { ...(yield* loginForm(request, { next, sent: carried.sent, problem })), status: 403 }
    }
    yield* auditFactor("logged in by a passkey", user.username ?? "", address)
    return yield* entered(request, user, next, carried)
  })

export default { path: "/login/passkey/", access: "credentials", methods: { POST: submit } } satisfies Route
