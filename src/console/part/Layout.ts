/** The layout of every page. */
import { type Html, page } from "../Html.ts"
import type { Reply } from "../../http/Route.ts"

/** The answer with a whole page. */
export const pageReply = (title: string, body: Html, status = 200): Reply => ({
  status,
  text: { type: "text/html", content: page(title, body) }
})
