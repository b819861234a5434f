/** The layout of every page. */
import type { Reply } from "../../http/Route.ts"
import { Html, html } from "../Html.ts"

const style =
  "body{font:16px/1.5 system-ui;max-width:60rem;margin:4rem auto;padding:0 1rem}code,pre{background:#8882;padding:0 .3em}pre{white-space:pre-wrap}td,th{text-align:left;vertical-align:top;padding:.2em 1em .2em 0}"

/** The text of a whole page. */
export const page = (title: string, body: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      <style>
        ${new Html(style)}
      </style>
      ${body}
    </html> `.text

/** Answers with a whole page. */
export const pageReply = (title: string, body: Html, status = 200): Reply => ({
  status,
  text: { type: "text/html", content: page(title, body) }
})
