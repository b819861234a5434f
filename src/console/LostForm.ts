/** The page of a form that came too late: its session has ended, or another one has begun. It keeps what was typed. */
import { Effect } from "effect"
import { csrfToken } from "../auth/Session.ts"
import type { Reply } from "../http/Route.ts"
import type { LostForm } from "../http/LostForm.ts"
import { html } from "./Html.ts"
import { sheet } from "./frame/Sheet.ts"
import { carriedInputs } from "./form/Carried.ts"
import { tokenInput } from "./form/Csrf.ts"
import { confirmPage } from "./factor/ConfirmPage.ts"
import { loginForm } from "./account/LoginForm.ts"

export const lostForm = Effect.fnUntraced(function* ({ incoming, origin, session, mustConfirm, path, sent }: LostForm) {
  if (session !== undefined && mustConfirm)
    return { ...(yield* confirmPage(origin.base, { session, next: path, sent })), status: 403 }
  if (session !== undefined)
    return { ...goOn("The form is older than your session", { session, path, sent }), status: 403 }
  const problem = "Your session has ended. Nothing was saved, and nothing that you typed is lost: log in to continue."
  const form = yield* loginForm({ incoming, origin }, { next: path, sent, title: "Log in again", problem })
  return { ...form, status: 403 }
})

/** Leads on to the form as it was sent. It writes nothing: another site may have sent it. */
export const goOn = (
  title: string,
  { session, path, sent }: Pick<LostForm, "path" | "sent"> & { readonly session: string }
): Reply =>
  sheet(
    title,
    html`<p>Nothing was saved yet, and nothing that you typed is lost.</p>
      <form method="post" action="${path}">
        ${tokenInput(csrfToken(session))}${carriedInputs(sent)}<input type="hidden" name="_again" value="1" />
        <button autofocus>Continue with the form</button>
      </form>`
  )
