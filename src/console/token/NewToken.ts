/**
 * A new key or secret on its way to the page that shows it. A cookie carries it, sealed, from the form that made it to
 * the next page, which deletes the cookie: so it is shown once, and a reload makes no other.
 */
import { Duration, Effect } from "effect"
import { Vault } from "../../inventory/Vault.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { Cookie } from "../../http/wire/Cookies.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"

const name = "newtoken"

/** Time within which the page must be opened. */
const lifetime = Duration.minutes(5)

const optionsOf = ({ origin, url }: Request) =>
  ({ path: url.pathname, httpOnly: true, sameSite: "lax", secure: origin.isSecure }) as const

/** The cookie that brings a key to the next page of this address. */
export const carried = Effect.fnUntraced(function* (request: Request, key: string) {
  const { seal } = yield* Vault
  const value = seal(JSON.stringify({ user: request.principal.user?.id, key }))
  return { name, value, options: { ...optionsOf(request), maxAge: lifetime } } satisfies Cookie
})

/** The key that was carried to the reader, and the cookie that forgets it; nothing if there is none. */
export const arrived = Effect.fnUntraced(function* (request: Request) {
  const { open } = yield* Vault
  const sealed = request.incoming.cookies[name]
  if (sealed === undefined) return { key: undefined, cookies: [] }
  const text = open(sealed)
  const content: unknown = text === undefined ? undefined : JSON.parse(text)
  const isOwn = isDictionary(content) && content["user"] === request.principal.user?.id
  const forget: Cookie = { name, value: undefined, options: optionsOf(request) }
  return { key: isOwn && typeof content["key"] === "string" ? content["key"] : undefined, cookies: [forget] }
})

export const keyBanner = (key: string, base: string): Html =>
  onceCard("Save this token now. It cannot be shown again.", [
    ["Token", key],
    ["Try it", `curl -H "Authorization: Token ${key}" ${base}/api/dcim/sites/`]
  ])

/** Texts that are shown once, to copy. */
export const onceCard = (title: string, lines: ReadonlyArray<readonly [title: string, text: string]>): Html =>
  html`<section class="card once" role="status" aria-labelledby="once">
    <div class="ch"><h2 id="once">${title}</h2></div>
    <div class="once-lines">${lines.map(([name, text]) => line(name, text))}</div>
  </section>`

const line = (title: string, text: string): Html => {
  const id = `once-${title.toLowerCase().replaceAll(" ", "-")}`
  return html`<div class="form-row">
    <label for="${id}">${title}</label>
    <div class="copy-line">
      <input class="field-in mono" id="${id}" value="${text}" readonly />
      <button class="btn btn-sm" type="button" data-copy="${id}" hidden>${icon("copy")}Copy</button>
    </div>
  </div>`
}
