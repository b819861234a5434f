/** `/user/confirm/`: the user of a session gives the password or a code again, before changes that are critical. */
import { Effect } from "effect"
import { auditDenied } from "../../auth/Audit.ts"
import { proveFactor } from "../../auth/factor/Factors.ts"
import { provePassword } from "../../auth/password/Password.ts"
import { type UserRow, username } from "../../auth/Principal.ts"
import { confirmSession } from "../../auth/Session.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { throttled } from "../../http/wire/RateLimit.ts"
import type { Request } from "../../http/wire/Request.ts"
import { ownPath } from "../frame/OwnPath.ts"
import { confirmForm } from "./ConfirmForm.ts"

const show: Handler = ({ principal, url }) => {
  const next = ownPath(url.searchParams.get("next")) ?? "/"
  const { session, mustConfirm } = principal
  if (session === undefined || mustConfirm !== true) return Effect.succeed(redirect(next))
  return Effect.succeed(confirmForm({ session, name: username(principal), next }))
}

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const { principal, incoming } = request
    const { user, session } = principal
    if (user === undefined || session === undefined) return redirect("/login/")
    const form = yield* readForm(incoming)
    const next = ownPath(form.get("next")) ?? "/"
    if (principal.isLocal !== true) return redirect(next)
    if (!(yield* proved(request, user, form))) {
      const isCode = form.has("code")
      const problem = isCode ? "This code is not valid, or it was used before." : "This is not your password."
      return confirmForm({ session, name: username(principal), next, problem, isCode })
    }
    yield* confirmSession(session)
    return redirect(next)
  })

/** Whether the form has the password, or a code of the second factor that was not used before. */
const proved = ({ incoming }: Request, user: UserRow, form: URLSearchParams) => {
  const address = addressOf(incoming)
  const code = form.get("code")
  const prove = Effect.gen(function* () {
    if (code === null) yield* provePassword(user, form.get("password") ?? "", address)
    else yield* proveFactor({ user, address }, code)
  })
  return prove.pipe(
    Effect.as(true),
    Effect.catchTags({
      TooManyAttempts: ({ seconds }) => throttled(seconds),
      Denied: (denied) => Effect.as(auditDenied(denied, "POST /user/confirm/", user.username ?? "", address), false)
    })
  )
}

export default { path: "/user/confirm/", access: "credentials", methods: { GET: show, POST: submit } } satisfies Route
