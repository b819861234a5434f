/** A message that the next page shows once: what was done to the service. It travels in a cookie that names it. */
import { Duration } from "effect"
import type { Reply } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { Cookie } from "../../http/wire/Cookies.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"

const texts = {
  "sending-paused": "All sending is paused. Requests under way end.",
  "sending-was-paused": "All sending was paused already.",
  "sending-resumed": "Sending continues.",
  "queue-paused": "The webhook is paused: its deliveries wait.",
  "queue-not-paused": "The webhook was not paused.",
  "queue-resumed": "The webhook is resumed: everything that waited is sent.",
  "queue-probed": "The webhook is being probed: one delivery is sent now, and the others follow if it succeeds.",
  "queue-not-probed": "The webhook needs no probe: its circuit breaker is closed.",
  "process-quiet": "The process ends its work in progress, and takes no new work.",
  "process-works": "The process takes work again.",
  "gap-acknowledged": "The gap is acknowledged."
} as const

export type Note = keyof typeof texts

const cookieName = "note"
const options = { path: "/", sameSite: "lax", httpOnly: true } as const

/** The cookie to send with the redirect to the page that shows the message. */
export const note = (value: Note): Cookie => ({
  name: cookieName,
  value,
  options: { ...options, maxAge: Duration.minutes(1) }
})

const noteIn = ({ incoming }: Request): Note | undefined => {
  const told = incoming.cookies[cookieName]
  return told !== undefined && Object.hasOwn(texts, told) ? (told as Note) : undefined
}

export const noteLine = (request: Request): Html => {
  const told = noteIn(request)
  return told === undefined
    ? html``
    : html`<div class="alert-line flash" role="status">${icon("check")}<span>${texts[told]}</span></div>`
}

/** The page without the message the next time. */
export const withoutNote = (request: Request, reply: Reply): Reply =>
  noteIn(request) === undefined
    ? reply
    : { ...reply, cookies: [...(reply.cookies ?? []), { name: cookieName, value: undefined, options }] }
