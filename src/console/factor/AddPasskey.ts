/** `/user/factors/passkeys/`: adds a passkey; `/user/factors/passkeys/remove/`: removes one. */
import { Effect } from "effect"
import { auditDenied, auditFactor } from "../../auth/Audit.ts"
import { factorsOf, hasFactor } from "../../auth/factor/Factors.ts"
import { relyingPartyAt } from "../../auth/factor/passkey/Ceremony.ts"
import {
  addPasskey,
  nameCharsMax,
  passkeysMax,
  removePasskey,
  requestNewPasskey
} from "../../auth/factor/passkey/Passkeys.ts"
import { username } from "../../auth/Principal.ts"
import { csrfToken, endOthers } from "../../auth/Session.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { Request } from "../../http/wire/Request.ts"
import { isStorable } from "../../inventory/Field.ts"
import { html } from "../Html.ts"
import { tokenInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { sheet } from "../frame/Sheet.ts"
import { type LocalUser, localUser } from "./LocalUser.ts"
import { answerIn, passkeyForm } from "./PasskeyForm.ts"
import { recoverySheet } from "./RecoverySheet.ts"

const title = "Add a passkey"

const page = Effect.fnUntraced(function* ({ base, principal }: Request, { user, session }: LocalUser, problem = "") {
  const rp = relyingPartyAt(base)
  const back = html`<p class="other-way"><a href="/user/factors/">Cancel</a></p>`
  if (rp === undefined) {
    const why = "Browsers keep passkeys for https:// addresses with a host name alone, and for localhost."
    return sheet(
      title,
      html`<p>${why}</p>
        ${back}`
    )
  }
  const request = yield* requestNewPasskey(rp, { id: user.id, name: username(principal) }, session)
  const inputs = html`${tokenInput(csrfToken(session))}
    <p>
      <label
        >Name, by which you recognize it
        <input name="name" maxlength="${nameCharsMax}" placeholder="Laptop" autocomplete="off" required autofocus
      /></label>
    </p>`
  return sheet(
    title,
    html`${problem === "" ? "" : html`<p class="alert-line" role="alert">${problem}</p>`}
      <p>
        A passkey is kept by your device, a password manager or a security key. It logs you in beside your password, or
        in place of it.
      </p>
      ${passkeyForm({ action: "/user/factors/passkeys/", kind: "create", request, inputs, button: html`${icon("key")}${title}` })}${back}`
  )
})

const show: Handler = (request) =>
  Effect.gen(function* () {
    const found = localUser(request)
    return "status" in found ? found : yield* page(request, found)
  })

const refused = `The answer of the browser does not fit the request, which counts for five minutes and once; or you have ${passkeysMax} passkeys. Please try again.`

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const found = localUser(request)
    if ("status" in found) return found
    const { user, session } = found
    const rp = relyingPartyAt(request.base)
    const form = yield* readForm(request.incoming)
    const name = (form.get("name") ?? "").trim().slice(0, nameCharsMax)
    if (rp === undefined || !isStorable(name)) return yield* page(request, found)
    const isFirst = !hasFactor(yield* factorsOf(user.id))
    const [by, address] = [username(request.principal), addressOf(request.incoming)]
    const codes = yield* addPasskey(rp, user.id, answerIn(form, session), name === "" ? "Passkey" : name).pipe(
      Effect.catchTag("Denied", (denied) =>
        Effect.as(auditDenied(denied, `POST ${request.url.pathname}`, by, address), undefined)
      )
    )
    if (codes === undefined) return yield* page(request, found, refused)
    // They began without a second factor.
    if (isFirst) yield* endOthers(user.id, session)
    yield* auditFactor("added a passkey", by, address)
    return codes.length > 0 ? recoverySheet(codes) : redirect("/user/factors/")
  })

const remove: Handler = (request) =>
  Effect.gen(function* () {
    const found = localUser(request)
    if ("status" in found) return found
    const id = (yield* readForm(request.incoming)).get("passkey") ?? ""
    const isRemoved = /^\d{1,15}$/.test(id) && (yield* removePasskey(found.user.id, id))
    if (isRemoved) yield* auditFactor("removed a passkey", username(request.principal), addressOf(request.incoming))
    return redirect("/user/factors/")
  })

export default [
  { path: "/user/factors/passkeys/", access: "credentials", methods: { GET: show, POST: submit } },
  { path: "/user/factors/passkeys/remove/", access: "credentials", methods: { POST: remove } }
] satisfies ReadonlyArray<Route>
