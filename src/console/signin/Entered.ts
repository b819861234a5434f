/** The answers to a right password: a session begins, or the second factor is requested first. */
import { Effect } from "effect"
import { beginLogin } from "../../auth/factor/LoginUnderWay.ts"
import type { UserRow } from "../../auth/Principal.ts"
import { begin } from "../../auth/Session.ts"
import { addressOf } from "../../http/Admission.ts"
import { redirect } from "../../http/Route.ts"
import { senderOf } from "../../http/LostForm.ts"
import { forgottenLogin, loginUnderWayCookie, sessionCookies } from "../../http/wire/Cookies.ts"
import type { Request } from "../../http/wire/Request.ts"
import { sentBefore } from "../form/Carried.ts"
import { goOn } from "../LostForm.ts"
import { factorPage } from "./FactorPage.ts"

/** A form whose session has ended, carried through a login. */
interface CarriedForm {
  /** The user whose session made the form; undefined without one. */
  readonly sender: number | undefined
  /** The fields of the form; none where another site may have sent them. */
  readonly sent: URLSearchParams
}

/** Returns the form that the page of the login carried. */
export const carriedForm = Effect.fnUntraced(function* (form: URLSearchParams, request: Request) {
  const carried = sentBefore(form)
  const sender = carried.size === 0 ? undefined : yield* senderOf(carried, request)
  return { sender, sent: sender === undefined ? new URLSearchParams() : carried } satisfies CarriedForm
})

/** Begins a session of the user, and leads on to the next page, or to the form that the login carried. */
export const entered = Effect.fnUntraced(function* (
  { incoming, origin, principal }: Request,
  user: UserRow,
  next: string,
  { sender, sent }: CarriedForm
) {
  const place = { address: addressOf(incoming), agent: incoming.headers["user-agent"] }
  const { key, seconds } = yield* begin(user.id, principal.session, place)
  const isOwn = sender === user.id
  const reply = isOwn ? goOn("You are logged in", { sent, path: next, session: key }) : redirect(next)
  return { ...reply, cookies: [...sessionCookies(origin, key, seconds), forgottenLogin(origin)] }
})

/** Leads to the page of the second factor; `token` is the cookie that the browser has for forms. */
export const factorRequested = Effect.fnUntraced(function* (
  request: Request,
  user: UserRow,
  { token, next, sent }: { readonly token: string; readonly next: string; readonly sent: URLSearchParams }
) {
  const cookies = [loginUnderWayCookie(request.origin, yield* beginLogin(user, token, next))]
  const page = sent.size === 0 ? redirect("/login/factor/") : yield* factorPage(request, user, token, { sent })
  return { ...page, cookies }
})
