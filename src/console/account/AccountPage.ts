/** The frame of the pages about the reader's own account. */
import { Effect } from "effect"
import { Denied } from "../../auth/Denied.ts"
import { loginFirst } from "../../http/Admission.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Html, html } from "../Html.ts"
import { framed } from "../frame/Frame.ts"

const pages = [
  ["/user/", "Profile"],
  ["/user/preferences/", "Preferences"],
  ["/user/api-tokens/", "API tokens"],
  ["/user/sessions/", "Sessions"],
  ["/user/factors/", "Second factor"]
] as const

interface PageParts {
  readonly title: (typeof pages)[number][1]
  readonly main: Html
  readonly status?: number
}

/**
 * The requesting user. Readers who are not logged in are led to the login; a form of theirs is refused, and so is one
 * of a token that may not write.
 */
export const userIn = Effect.fnUntraced(function* ({ principal: { user, mayWrite }, incoming }: Request) {
  const isWrite = incoming.method === "POST"
  if (user === undefined) return yield* isWrite ? new Denied({ reason: "NoCredentials" }) : loginFirst(incoming)
  if (isWrite && !mayWrite) return yield* new Denied({ reason: "NoPermission" })
  return user
})

export const accountPage = (request: Request, { title, main, status = 200 }: PageParts) =>
  framed(request, {
    ...{ title, status },
    crumbs: [["Account"]],
    main: html`<nav class="tabs" aria-label="Pages of the account">
        <ul>
          ${pages.map(([path, name]) => html`<li><a href="${path}" ${name === title ? html` aria-current="page"` : ""}>${name}</a></li>`)}
          <li><a href="/user/password/">Password</a></li>
        </ul>
      </nav>
      ${main}`
  })

/** Shown once at the top of a page, after an action. */
export const doneLine = (text: string): Html => html`<p class="done-line" role="status">${text}</p>`
