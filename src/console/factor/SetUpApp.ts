/** `/user/factors/app/`: sets up an authenticator app: shows a secret, and stores it once a code of it was sent. */
import { Effect } from "effect"
import { auditFactor } from "../../auth/Audit.ts"
import { factorsOf, offerTotp, offeredSecret, setUpTotp } from "../../auth/factor/Factors.ts"
import { addressForApps } from "../../auth/factor/Totp.ts"
import { type UserRow, username } from "../../auth/Principal.ts"
import { csrfToken, endOthers } from "../../auth/Session.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { Request } from "../../http/wire/Request.ts"
import { html } from "../Html.ts"
import { formPage } from "../form/FormPage.ts"
import { localUser } from "./LocalUser.ts"
import { qrCode } from "./QrCode.ts"
import { recoverySheet } from "./RecoverySheet.ts"

interface Offer {
  readonly secret: string
  readonly ticket: string
}

/** In groups of four, as apps show it. */
const grouped = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, "$1 ")

const page = Effect.fnUntraced(function* ({ base, principal }: Request, { secret, ticket }: Offer, problem = "") {
  const address = yield* Effect.promise(() => addressForApps(secret, username(principal), new URL(base).hostname))
  const picture = yield* Effect.promise(() => qrCode(address, "QR code of the secret below"))
  return formPage(
    "Set up an authenticator app",
    csrfToken(principal.session ?? ""),
    problem,
    html`${
        principal.mustSetUpFactor === true
          ? html`<p>
              An administrator requires a second factor of you: a code of an app, or
              <a href="/user/factors/passkeys/">a passkey</a>, beside your password.
            </p>`
          : ""
      }
      <p>Scan this code with an authenticator app, or type the secret into it.</p>
      ${picture}
      <p class="secret-text mono" id="secret">${grouped(secret)}</p>
      <input type="hidden" name="ticket" value="${ticket}" />
      <p>
        <label
          >Code that the app shows
          <input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required autofocus
        /></label>
      </p>
      <button>Set up</button>
      <p class="other-way">Your sessions in other browsers end.</p>
      <p>
        ${principal.mustSetUpFactor === true ? html`<a href="/logout/">Log out</a>` : html`<a href="/user/factors/">Cancel</a>`}
      </p>`
  )
})

/** Whether the user has an app already. */
const isSetUp = ({ id }: UserRow) => Effect.map(factorsOf(id), ({ totp }) => totp !== null)

const show: Handler = (request) =>
  Effect.gen(function* () {
    const found = localUser(request)
    if ("status" in found) return found
    if (yield* isSetUp(found.user)) return redirect("/user/factors/")
    return yield* page(request, yield* offerTotp(found.user.id))
  })

const wrong = "This is not the code of the app. Check the clock of its device, and send the code that it shows now."
const expired = "This took more than 15 minutes: here is a new secret. Delete the one before from your app."

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const found = localUser(request)
    if ("status" in found) return found
    const { user, session } = found
    if (yield* isSetUp(user)) return redirect("/user/factors/")
    const form = yield* readForm(request.incoming)
    const ticket = form.get("ticket") ?? ""
    const secret = yield* offeredSecret(user.id, ticket)
    if (secret === undefined) return yield* page(request, yield* offerTotp(user.id), expired)
    const codes = yield* setUpTotp(user.id, secret, form.get("code") ?? "")
    if (codes === undefined) return yield* page(request, { secret, ticket }, wrong)
    // They began without the second factor.
    yield* endOthers(user.id, session)
    yield* auditFactor("set up an authenticator app", username(request.principal), addressOf(request.incoming))
    return codes.length > 0 ? recoverySheet(codes) : redirect("/user/factors/")
  })

export default {
  path: "/user/factors/app/",
  access: "credentials",
  methods: { GET: show, POST: submit }
} satisfies Route
