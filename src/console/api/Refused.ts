/** Why a request to the API was refused, in words: who its sender is, and what the sender lacks. */
import { type Principal, username } from "../../auth/Principal.ts"
import type { Refusal } from "../../http/Route.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { pluralOf } from "../value/Title.ts"

export const refused = (refusal: Refusal | undefined, principal: Principal, login: string): Html => {
  const told = refusal === undefined ? undefined : reasonOf(refusal, principal, login)
  return told === undefined ? html`` : html`<div class="alert-line" role="alert">${told}</div>`
}

const reasonOf = (refusal: Refusal, principal: Principal, login: string): Html | undefined => {
  const who = html`You are logged in as <b>${username(principal)}</b>.`
  switch (refusal._tag) {
    case "Denied":
      if (refusal.reason === "NoCredentials") {
        return html`You are not logged in, so nothing was changed. <a href="${login}" target="_blank">Log in</a> in
          another tab and send the form again: it contains what you typed.`
      }
      return refusal.missing === undefined
        ? who
        : html`${who} You need the permission to
            <b>${refusal.missing.action} ${pluralOf(objectType(refusal.missing.objectType))}</b>
            (<code>${refusal.missing.objectType}</code>). An administrator can grant it.`
    case "OutOfBounds":
      return html`${who} Your permissions cover some ${pluralOf(objectType(refusal.objectType))}
      (<code>${refusal.objectType}</code>) only, and the object would not be one of them.`
    case "HttpRefused":
      if (refusal.reason === "Forbidden" || refusal.reason === "StaleForm") {
        return html`The form is older than your session, so nothing was changed. Send it again: it contains what you
        typed.`
      }
      return refusal.reason === "PreconditionFailed"
        ? html`Somebody else has changed the object since this page was shown. Nothing was changed. Send the form again
          to overwrite it.`
        : undefined
    default:
      return undefined
  }
}
