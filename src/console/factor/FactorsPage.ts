/** `/user/factors/`: the second factors of the reader, which can be set up and removed. */
import { Effect } from "effect"
import { auditFactor } from "../../auth/Audit.ts"
import { type UserFactors, factorsOf, removeFactors } from "../../auth/factor/Factors.ts"
import { recoveryCodesMax } from "../../auth/factor/RecoveryCode.ts"
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
      main: request.principal.isLocal === true ? cards(request, factors) : elsewhere
    })
  })

/** Sessions by a provider, a proxy or a token change nothing here. */
const elsewhere = html`<div class="card">
  <div class="empty">
    <b>You did not log in with a password of this service.</b>
    <p>The provider or proxy by which you signed in verifies your second factor.</p>
  </div>
</div>`

const cards = (request: Request, { totp, recoveryCodes }: UserFactors): Html =>
  html`${request.url.searchParams.has("removed") ? doneLine("The second factor is removed. Your password alone logs you in.") : ""}
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
              ${action(request, "/user/factors/", html`<button class="btn btn-sm btn-danger">${icon("trash")}Remove it and the recovery codes</button>`)}`
      }
    </section>
    ${totp === null ? "" : recoveryCard(request, recoveryCodes)}`

const recoveryCard = (request: Request, left: number): Html =>
  html`<section class="card" aria-labelledby="recovery">
    <div class="ch"><h2 id="recovery">Recovery codes</h2></div>
    <p class="note">
      ${left} of ${recoveryCodesMax} are left. Each logs you in once, when your app is away. New codes replace all
      earlier ones.
    </p>
    ${action(request, "/user/factors/recovery/", html`<button class="btn btn-sm">${icon("refresh")}Make new codes</button>`)}
  </section>`

const action = (request: Request, path: string, button: Html): Html =>
  html`<form class="note" method="post" action="${path}">${csrfInput(request)}${button}</form>`

const remove: Handler = (request) =>
  Effect.gen(function* () {
    const found = localUser(request)
    if ("status" in found) return found
    if (!(yield* removeFactors(found.user.id))) return redirect("/user/factors/")
    yield* auditFactor("removed the second factors", username(request.principal), addressOf(request.incoming))
    return redirect("/user/factors/?removed=1")
  })

export default { path: "/user/factors/", access: "open", methods: { GET: show, POST: remove } } satisfies Route
