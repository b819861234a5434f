/** The document around every page: theme, styles, scripts, and the headers that keep strangers' content harmless. */
import type { Reply } from "../../http/Route.ts"
import { assetUrl } from "../Assets.ts"
import { type Html, html } from "../Html.ts"
import type { Preferences, Theme } from "../account/Preferences.ts"

/** The headers of every page. */
export const pageHeaders = {
  // A page loads from us alone, and no markup in it can run.
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "same-origin",
  "cache-control": "no-store"
}

const files = {
  favicon: assetUrl("favicon.svg"),
  font: assetUrl("inter.woff2"),
  theme: assetUrl("theme.js"),
  style: assetUrl("app.css"),
  htmx: assetUrl("htmx.js"),
  script: assetUrl("app.js")
}

/** Going back loads a page again, what is put in works at once, and no extension or style of htmx is needed. */
const htmxConfig = JSON.stringify({
  history: "reload",
  defaultSettleDelay: 0,
  extensions: "none",
  includeIndicatorCSS: false
})

interface Look {
  readonly theme?: Theme
  readonly density?: Preferences["density"]
  readonly keys?: Preferences["keys"]
  readonly status?: number
}

/** `theme` is the reader's, if the reader is known; without one the cookie counts, then the browser (theme.js). */
export const documentReply = (
  title: string,
  body: Html,
  { theme = "auto", density = "comfortable", keys = "on", status = 200 }: Look = {}
): Reply => ({
  status,
  headers: pageHeaders,
  text: {
    type: "text/html",
    content: html`<!doctype html>
      <html
        lang="en"
        data-scheme="${theme === "dark" ? "dark" : "light"}"
        data-theme="${theme}"
        data-density="${density}"
        data-keys="${keys}"
      >
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title === "Rackwire" ? title : `${title} · Rackwire`}</title>
          <link rel="icon" href="${files.favicon}" type="image/svg+xml" />
          <link rel="preload" href="${files.font}" as="font" type="font/woff2" crossorigin />
          <link rel="stylesheet" href="${files.style}" />
          <script src="${files.theme}"></script>
          <meta name="htmx-config" content="${htmxConfig}" />
          <script src="${files.htmx}" defer></script>
          <script src="${files.script}" type="module"></script>
        </head>
        <body>
          ${body}
        </body>
      </html> `.text
  }
})
