/** `/user/factors/`: the second factors of the reader, which can be set up and removed. */
import { Effect } from "effect"
import { auditFactor } from "../../auth/Audit.ts"
import { type UserFactors, factorsOf, removeTotp } from "../../auth/factor/Factors.ts"
import { recoveryCodesMax } from "../../auth/factor/RecoveryCode.ts"
import { type Passkey, passkeysMax, passkeysOf } from "../../auth/factor/passkey/Passkeys.ts"
import { username } from "../../auth/Principal.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Html, html } from "../Html.ts"
import { accountPage, doneLine, userIn } from "../account/AccountPage.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { timeOf } from "../value/Time.ts"
import { localUser } from "./LocalUser.ts"

const show: Handler = (request) =>
  Effect.gen(function* () {
    const user = yield* userIn(request)
    const factors = yield* factorsOf(user.id)
    return yield* accountPage(request, {
      title: "Second factor",
      main: request.principal.isLocal === true ? cards(request, factors, yield* passkeysOf(user.id)) : elsewhere
    })
  })

/** Sessions by a provider, a proxy or a token change nothing here. */
const elsewhere = html`<div class="card">
  <div class="empty">
    <b>You did not log in with a password of this service.</b>
    <p>The provider or proxy by which you signed in verifies your second factor.</p>
  </div>
</div>`

const cards = (request: Request, { totp, recoveryCodes }: UserFactors, passkeys: ReadonlyArray<Passkey>): Html =>
  html`${request.url.searchParams.has("removed") ? doneLine("The authenticator app is removed.") : ""}
    <section class="card" aria-labelledby="app">
      <div class="ch"><h2 id="app">Authenticator app</h2></div>
      ${
        totp === null
          ? html`<p class="note">
                With a second factor your password alone logs nobody in: a code of an app on your phone, or of a
                password manager, is needed too.
              </p>
              <p class="note">
                <a class="btn btn-sm btn-primary" href="/user/factors/app/">${icon("shield")}Set up</a>
              </p>`
          : html`<p class="note">Set up ${timeOf(totp)}. Each login needs a code of it.</p>
              ${action(request, "/user/factors/", html`<button class="btn btn-sm btn-danger">${icon("trash")}Remove the app</button>`)}`
      }
    </section>
    ${passkeyCard(request, passkeys)}
    ${totp === null && passkeys.length === 0 ? "" : recoveryCard(request, recoveryCodes)}`

const passkeyCard = (request: Request, passkeys: ReadonlyArray<Passkey>): Html =>
  html`<section class="card" aria-labelledby="passkeys">
    <div class="ch">
      <h2 id="passkeys">Passkeys</h2>
      <span class="grow"></span>
      ${passkeys.length < passkeysMax ? html`<a class="btn btn-sm" href="/user/factors/passkeys/">${icon("plus")}Add</a>` : ""}
    </div>
    ${
      passkeys.length === 0
        ? html`<p class="note">A passkey logs you in beside your password, or in place of it.</p>`
        : html`<ul class="passkeys">
            ${passkeys.map((passkey) => passkeyRow(request, passkey))}
          </ul>`
    }
  </section>`

const passkeyRow = (request: Request, { id, name, made, last_used: used }: Passkey): Html =>
  html`<li class="note">
    <b>${name}</b>
    <span class="sub">added ${timeOf(made)}, ${used === null ? "never used" : html`last used ${timeOf(used)}`}</span>
    <form method="post" action="/user/factors/passkeys/remove/">
      ${csrfInput(request)}<button class="btn btn-sm" name="passkey" value="${id}" aria-label="Remove ${name}">
        ${icon("trash")}Remove
      </button>
    </form>
  </li>`

const recoveryCard = (request: Request, left: number): Html =>
  html`<section class="card" aria-labelledby="recovery">
    <div class="ch"><h2 id="recovery">Recovery codes</h2></div>
    <p class="note">
      ${left} of ${recoveryCodesMax} are left. Each logs you in once, in place of your other factor. New codes replace
      all earlier ones.
    </p>
    ${action(request, "/user/factors/recovery/", html`<button class="btn btn-sm">${icon("refresh")}Make new codes</button>`)}
  </section>`

const action = (request: Request, path: string, button: Html): Html =>
  html`<form class="note" method="post" action="${path}">${csrfInput(request)}${button}</form>`

const remove: Handler = (request) =>
  Effect.gen(function* () {
    yield* userIn(request)
    const found = localUser(request)
    if ("status" in found) return found
    if (!(yield* removeTotp(found.user.id))) return redirect("/user/factors/")
    yield* auditFactor("removed an authenticator app", username(request.principal), addressOf(request.incoming))
    return redirect("/user/factors/?removed=1")
  })

export default { path: "/user/factors/", access: "open", methods: { GET: show, POST: remove } } satisfies Route
