/** The form of the login. It may carry what was typed into another form, whose session has ended. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { relyingPartyAt } from "../../auth/factor/passkey/Ceremony.ts"
import { anyPasskey, requestProof } from "../../auth/factor/passkey/Passkeys.ts"
import type { Request } from "../../http/wire/Request.ts"
import { csrfCookie, formCookie } from "../../http/wire/Cookies.ts"
import { type Html, html } from "../Html.ts"
import { carriedByLogin } from "../form/Carried.ts"
import { tokenInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { passkeyForm } from "../factor/PasskeyForm.ts"
import { sheet } from "../frame/Sheet.ts"
import { type Ways, noWay, providerButtons, waysIn } from "../signin/Ways.ts"

interface Login {
  /** The path to go to afterwards. */
  readonly next: string
  readonly sent?: URLSearchParams
  readonly title?: string
  readonly problem?: string
  /** Under which the log has more about the problem; "" for none. */
  readonly reference?: string
  /** The user name as it was typed before; "" for none. */
  readonly name?: string
}

/** The button for a login by a passkey alone; undefined where no user has one. */
const passkeyButton = Effect.fnUntraced(function* (
  { base }: Pick<Request["origin"], "base">,
  token: string,
  next: string,
  passwords: Ways["passwords"]
) {
  const rp = relyingPartyAt(base)
  if (rp === undefined || passwords === "off") return undefined
  // The page is shown while Postgres is away, too.
  const request = yield* Effect.gen(function* () {
    return (yield* anyPasskey) ? yield* requestProof(rp, undefined, token) : undefined
  }).pipe(Effect.catchTag("SqlError", () => Effect.succeed(undefined)))
  if (request === undefined) return undefined
  return (carried: Html) =>
    html`<p class="ways-or">or</p>
      ${passkeyForm({
        ...{ action: "/login/passkey/", kind: "get", request },
        inputs: html`${tokenInput(token)}<input type="hidden" name="next" value="${next}" />${carried}`,
        button: html`${icon("key")}Log in with a passkey`
      })}`
})

/**
 * The page with every way in. Without a session the CSRF token is a random one, which the browser keeps in a cookie.
 * Fields of another form are carried by a login with a password alone.
 */
export const loginForm = Effect.fnUntraced(function* (
  { incoming, origin }: Pick<Request, "incoming" | "origin">,
  { next, sent = new URLSearchParams(), title = "Log in", problem = "", reference = "", name = "" }: Login
) {
  const ways = yield* waysIn
  const known = incoming.cookies[csrfCookie(origin)] ?? ""
  const token = /^[\w-]{43,64}$/.test(known) ? known : randomBytes(32).toString("base64url")
  const focus = (here: boolean) => (here && ways.providers.length === 0 ? html`autofocus` : "")
  const form = html`<form method="post" action="/login/">
    ${tokenInput(token)}<input type="hidden" name="next" value="${next}" />${carriedByLogin(sent)}
    <p>
      <label
        >Username <input name="username" value="${name}" autocomplete="username" required ${focus(name === "")}
      /></label>
    </p>
    <p>
      <label
        >Password <input name="password" type="password" autocomplete="current-password" required ${focus(name !== "")}
      /></label>
    </p>
    <button>Log in</button>
  </form>`
  const where = html`<br /><span class="sub">Reference <span class="mono">${reference}</span></span>`
  const alert = html`<p class="alert-line" role="alert">${problem}${reference === "" ? "" : where}</p>`
  const passkey = yield* passkeyButton(origin, token, next, ways.passwords)
  const page = sheet(
    title,
    html`${problem === "" ? "" : alert}${providerButtons(ways, next)}${noWay(ways)}
    ${ways.passwords === "off" ? "" : form}${passkey === undefined ? "" : html`${passkey(carriedByLogin(sent))}`}`
  )
  return { ...page, cookies: [formCookie(origin, token)] }
})
