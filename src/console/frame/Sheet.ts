/** A page with one card in its middle: the login, an error. No cache keeps it, and no other site can frame it. */
import type { Reply } from "../../http/Route.ts"
import { type Html, html } from "../Html.ts"
import { documentReply } from "./Document.ts"
import { icon } from "./Icon.ts"
import { wholePage } from "./InPlace.ts"

export const sheet = (title: string, content: Html, status = 200): Reply => {
  const reply = documentReply(
    title,
    html`<div class="centre">
      <main>
        <a class="brand" href="/"><span class="brand-mark">${icon("stack-3")}</span>Rackwire</a>
        <div class="card sheet">
          <h1>${title}</h1>
          ${content}
        </div>
      </main>
    </div>`,
    { status }
  )
  return { ...reply, headers: { ...reply.headers, ...wholePage } }
}
