/** The page for a path that no route has. */
import type { Reply } from "../http/Route.ts"
import { html } from "./Html.ts"
import { pageReply } from "./part/Layout.ts"

export const notFoundPage = (path: string): Reply =>
  pageReply(
    "Not found",
    html`<h1>Not found</h1>
      <p>${path}</p>`,
    404
  )
