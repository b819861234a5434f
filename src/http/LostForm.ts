/**
 * Forms that arrive too late: their session has ended, another one has begun, or its user has to
 * confirm first. A page keeps their fields.
 *
 * Only a form that bears the CSRF token of its sender's own session is kept when that session has ended, and only for
 * its user: otherwise another site could send a form, and the user who logs in would submit it. A form that is kept is shown
 * again with `_again`, and only addresses that show such forms take one (Admission.ts).
 */
import { Effect } from "effect"
import { Denied } from "../auth/Denied.ts"
import { csrfToken, ownerOf } from "../auth/Session.ts"
import { isSameSecret } from "./Admission.ts"
import type { Asked } from "./Handle.ts"
import { confirmPath } from "./account/Confirmation.ts"
import { HttpRefused } from "./HttpRefused.ts"
import type { Refusal, Route } from "./Route.ts"
import type { Request } from "./wire/Request.ts"
import { pageLimits, uploadIn } from "./images/Upload.ts"
import { formSizeMax, isForm, readBytes, readForm } from "./wire/Body.ts"
import { sessionCookie } from "./wire/Cookies.ts"
import { isOfType } from "./wire/MediaType.ts"
import { asksForHtml } from "./wire/Reader.ts"

/** A form that was refused. `session`: the key of the sender's session; absent without one. */
export interface LostForm extends Pick<Request, "incoming" | "origin"> {
  readonly session: string | undefined
  /** Whether the user of the session has to confirm first. */
  readonly mustConfirm: boolean
  readonly path: string
  readonly sent: URLSearchParams
}

/** A form that was refused for want of a session or of its token, with its fields; undefined for other requests. */
export const keptForm = Effect.fnUntraced(function* (
  { keepsForm, takesFiles }: Route,
  { incoming, origin, url }: Asked,
  refusal: Refusal
) {
  const mayHaveForm = isForm(incoming) || (takesFiles === true && isOfType(incoming.headers["content-type"], formType))
  const isKept = keepsForm === true && incoming.method === "POST" && mayHaveForm && asksForHtml(incoming)
  if (!isKept) return undefined
  const isStale = refusal instanceof HttpRefused && refusal.reason === "StaleForm"
  const mustConfirm = leadsTo(confirmPath, refusal)
  const isEnded = leadsTo("/login/", refusal) || (refusal instanceof Denied && refusal.reason === "NoCredentials")
  if (!isStale && !isEnded && !mustConfirm) return undefined
  const sent = yield* isForm(incoming) ? readForm(incoming) : fieldsOfUpload(incoming)
  if (sent === undefined) return undefined
  const lost: LostForm = { incoming, origin, session: undefined, mustConfirm, path: url.pathname + url.search, sent }
  if (isStale || mustConfirm) return { ...lost, session: incoming.cookies[sessionCookie(origin)] }
  return (yield* senderOf(sent, lost)) === undefined ? undefined : lost
})

const formType = "multipart/form-data"

/** The fields of a form with files; undefined if the files make it larger than other forms, or it cannot be read. */
const fieldsOfUpload = (incoming: LostForm["incoming"]) =>
  readBytes(incoming, formSizeMax).pipe(
    Effect.flatMap((bytes) => uploadIn(bytes, incoming.headers["content-type"]!, pageLimits)),
    Effect.map(({ fields }) => fields),
    Effect.catch(() => Effect.undefined)
  )

const leadsTo = (path: string, refusal: Refusal): boolean =>
  refusal instanceof HttpRefused && refusal.headers?.["location"]?.startsWith(path) === true

/** The user whose session made the form, if the browser still has the session's cookie; undefined if no session made it. */
export const senderOf = Effect.fnUntraced(function* (
  form: URLSearchParams,
  { incoming, origin }: Pick<Request, "incoming" | "origin">
) {
  const session = incoming.cookies[sessionCookie(origin)]
  const token = form.get("csrfmiddlewaretoken") ?? ""
  return session === undefined || !isSameSecret(token, csrfToken(session)) ? undefined : yield* ownerOf(session)
})
