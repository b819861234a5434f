/**
 * A message that the next page shows once: what was done. It travels in a cookie that names the deed, the object type
 * and the object, never a text: the words are ours.
 */
import { Duration } from "effect"
import type { Request } from "../../http/wire/Request.ts"
import type { Cookie } from "../../http/wire/Cookies.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "./Icon.ts"
import { fieldTitle, nameOf, pathOf, pluralOf } from "../value/Title.ts"

const deeds = {
  added: "added",
  saved: "saved",
  moved: "moved",
  deleted: "deleted",
  restored: "restored",
  paused: "paused",
  resumed: "is being resumed",
  probed: "is being probed: one delivery is sent now, and the others follow if it succeeds",
  unprobed: "needs no probe: its circuit breaker is closed",
  retried: "queued for another attempt",
  advanced: "queued for another attempt now, in place of the one that was scheduled",
  discarded: "discarded",
  started: "started",
  cancelled: "cancelled"
} as const

/** `id`: the object, where the message leads to it; `count`: how many, where it was not one. */
interface Done {
  readonly deed: keyof typeof deeds
  readonly type: ObjectType
  readonly id?: number
  readonly count?: number
}

const cookieName = "flash"
const options = { path: "/", sameSite: "lax", httpOnly: true, maxAge: Duration.minutes(1) } as const

/** The cookie to send with the redirect to the page that shows the message. */
export const flash = ({ deed, type, id, count = 1 }: Done): Cookie => ({
  name: cookieName,
  value: `${deed}-${type.id}-${id ?? ""}-${count}`,
  options
})

const read = (text: string): Done | undefined => {
  const [, deed = "", typeId = "", id = "", count = ""] =
    /^([a-z]+)-([a-z]+\.[a-z]+)-(\d{0,15})-(\d{1,9})$/.exec(text) ?? []
  const type = registry.get(typeId)
  if (!Object.hasOwn(deeds, deed) || type === undefined) return undefined
  return { deed: deed as Done["deed"], type, count: Number(count), ...(id !== "" && { id: Number(id) }) }
}

/** The message of the request, if there is one, and the cookie that ends it. */
export const flashOf = ({ incoming }: Request): { readonly shown: Html; readonly cookies: ReadonlyArray<Cookie> } => {
  const text = incoming.cookies[cookieName]
  if (text === undefined) return { shown: html``, cookies: [] }
  const done = read(text)
  return {
    shown: done === undefined ? html`` : message(done),
    cookies: [{ name: cookieName, value: undefined, options: { path: "/", sameSite: "lax", httpOnly: true } }]
  }
}

const message = ({ deed, type, id, count = 1 }: Done): Html => {
  const what = count === 1 ? fieldTitle(nameOf(type)) : `${count} ${pluralOf(type)}`
  return html`<div class="alert-line flash" role="status">
    ${icon("check")}<span>${what} ${deeds[deed]}.</span
    >${id === undefined ? "" : html` <span class="links"><a href="${pathOf(type, id)}">Open it</a></span>`}
  </div>`
}
