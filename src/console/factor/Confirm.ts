/** `/user/confirm/`: the user of a session gives the password or a code again, before changes that are critical. */
import { Effect } from "effect"
import { auditDenied } from "../../auth/Audit.ts"
import { Denied } from "../../auth/Denied.ts"
import { proveFactor } from "../../auth/factor/Factors.ts"
import { relyingPartyAt } from "../../auth/factor/passkey/Ceremony.ts"
import { provePasskey } from "../../auth/factor/passkey/Passkeys.ts"
import { provePassword } from "../../auth/password/Password.ts"
import { type UserRow, username } from "../../auth/Principal.ts"
import { confirmSession } from "../../auth/Session.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { throttled } from "../../http/wire/RateLimit.ts"
import type { Request } from "../../http/wire/Request.ts"
import { sentBefore } from "../form/Carried.ts"
import { ownPath } from "../frame/OwnPath.ts"
import { goOn } from "../LostForm.ts"
import { answerIn } from "./PasskeyForm.ts"
import { confirmPage } from "./ConfirmPage.ts"

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { user, session, mustConfirm } = request.principal
    const next = ownPath(request.url.searchParams.get("next")) ?? "/"
    if (user === undefined || session === undefined || mustConfirm !== true) return redirect(next)
    return yield* confirmPage(request.base, { session, name: username(request.principal), next })
  })

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const { principal, incoming } = request
    const { user, session } = principal
    if (user === undefined || session === undefined) return redirect("/login/")
    const form = yield* readForm(incoming)
    const next = ownPath(form.get("next")) ?? "/"
    // The fields of a form that was refused; the token of the session proves that one of our pages sent them.
    const sent = sentBefore(form)
    if (principal.isLocal !== true) return redirect(next)
    const problem = yield* problemOf(request, user, form, session)
    if (problem !== undefined) {
      const isCode = form.has("code")
      const name = username(principal)
      return yield* confirmPage(request.base, { session, name, next, sent, problem, isCode })
    }
    yield* confirmSession(session)
    return sent.size === 0 ? redirect(next) : goOn("You are confirmed", { session, path: next, sent })
  })

const wrong = (form: URLSearchParams): string => {
  if (form.has("code")) return "This code is not valid, or it was used before."
  return form.has("answer") ? "The passkey was not accepted. Please try again." : "This is not your password."
}

/** Returns what is wrong with the password, or the code of the second factor, in the form; undefined for a right one. */
const problemOf = ({ base, incoming, author }: Request, user: UserRow, form: URLSearchParams, session: string) => {
  const address = addressOf(incoming)
  const code = form.get("code")
  const prove = Effect.gen(function* () {
    if (form.has("answer")) {
      const rp = relyingPartyAt(base)
      if (rp === undefined) return yield* new Denied({ reason: "WrongPasskey" })
      yield* provePasskey(rp, { user, address }, answerIn(form, session))
    } else if (code === null) yield* provePassword(user, form.get("password") ?? "", { address, author })
    else yield* proveFactor({ user, address }, code)
  })
  return prove.pipe(
    Effect.as(undefined),
    Effect.catchTags({
      TooManyAttempts: ({ seconds }) => throttled(seconds),
      Denied: (denied) =>
        Effect.as(auditDenied(denied, "POST /user/confirm/", user.username ?? "", address), wrong(form)),
      SignInRefused: ({ sentence }) => Effect.succeed(sentence)
    })
  )
}

export default { path: "/user/confirm/", access: "credentials", methods: { GET: show, POST: submit } } satisfies Route
