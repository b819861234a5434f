/** The frame of a page for a reader who is known: menu, search, and the reader's own menu. */
import { Effect } from "effect"
import { Settings, version } from "../../Config.ts"
import { username } from "../../auth/Principal.ts"
import { mayWatch } from "../../http/system/MetricsAccess.ts"
import type { Request } from "../../http/wire/Request.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import { type Html, html } from "../Html.ts"
import { documentReply } from "./Document.ts"
import { flashOf } from "./Flash.ts"
import { gauges } from "./Gauges.ts"
import { preferencesOf } from "../account/Preferences.ts"
import { icon } from "./Icon.ts"
import { linksInPlace, linksLeave } from "./InPlace.ts"
import { menu } from "./Menu.ts"
import { inZone } from "../value/Time.ts"

interface Page {
  readonly title: string
  /** The heading, where it differs from the title. */
  readonly heading?: string | Html
  /** A line below the heading. */
  readonly subtitle?: Html
  /** Pages above this one: title and path; a group of the menu has no page. */
  readonly crumbs?: ReadonlyArray<readonly [title: string, path?: string]>
  readonly actions?: Html
  readonly main: Html
  /** Whether links and forms of the main part change it in place. */
  readonly isInPlace?: boolean
  readonly status?: number
}

/** Answers with the page in its frame. The menu shows what the reader may see. */
export const framed = Effect.fnUntraced(function* (
  request: Request,
  { title, heading = title, subtitle, crumbs = [], actions, main, isInPlace = false, status }: Page
) {
  const { url } = request
  const visible = yield* visibleToSender
  const { inventory } = yield* Settings
  const watches = yield* mayWatch(request)
  const flash = flashOf(request)
  const body = html`<a class="skip" href="#main">Skip to content</a>
    <div class="shell">
      <aside class="side">
        <a class="brand" href="/"><span class="brand-mark">${icon("stack-3")}</span>Rackwire</a>
        <details class="burger"><summary>${icon("menu-2")}Menu</summary></details>
        <nav aria-label="Main menu">${menu({ visible, path: url.pathname, watches, inventory })}</nav>
        <div class="side-foot">Rackwire ${version}</div>
      </aside>
      <div class="page-wrapper">
        ${topBar(request, yield* gauges(request))}
        <main id="main" tabindex="-1" ${isInPlace ? linksInPlace : ""}>
          <div class="ph" ${linksLeave}>
            <div>
              ${crumbs.length === 0 ? "" : breadcrumb(crumbs)}
              <h1>${heading}</h1>
              ${subtitle ?? ""}
            </div>
            <div class="ph-act">${actions ?? ""}</div>
          </div>
          ${flash.shown}${main}
        </main>
      </div>
    </div>`
  const { timeZone, ...look } = preferencesOf(request)
  const page = timeZone === "UTC" ? body : inZone(body, timeZone)
  return { ...documentReply(title, page, { ...look, status: status ?? 200 }), cookies: flash.cookies }
})

const breadcrumb = (crumbs: NonNullable<Page["crumbs"]>): Html =>
  html`<nav aria-label="Breadcrumb" class="crumbs">
    <ol>
      ${crumbs.map(([title, path]) => html`<li>${path === undefined ? title : html`<a href="${path}">${title}</a>`}</li>`)}
    </ol>
  </nav>`

const topBar = ({ principal, url }: Request, state: Html): Html =>
  html`<header class="topbar">
    <form class="top-search" role="search" action="/search/">
      ${icon("search")}<label class="visually-hidden" for="search">Search</label
      ><input
        id="search"
        name="q"
        type="search"
        placeholder="Search all objects"
        autocomplete="off"
        maxlength="200"
        value="${url.pathname === "/search/" ? (url.searchParams.get("q") ?? "") : ""}"
      /><kbd>/</kbd>
    </form>
    <span class="grow"></span>
    ${state}
    <button class="tbtn" type="button" data-theme-toggle aria-label="Switch between light and dark">
      ${icon("moon", "only-light")}${icon("sun", "only-dark")}
    </button>
    ${principal.user === undefined ? html`<a class="ubtn" href="/login/?next=${encodeURIComponent(url.pathname + url.search)}">Log in</a>` : userMenu(username(principal))}
  </header>`

const userMenu = (name: string): Html =>
  html`<details class="menu">
    <summary class="ubtn">
      <span class="ava">${name.slice(0, 2).toUpperCase()}</span
      ><span class="lo">${name}</span>${icon("chevron-down", "chev")}
    </summary>
    <ul class="menu-list">
      <li><a href="/user/">${icon("user-circle")}Profile</a></li>
      <li><a href="/user/preferences/">${icon("settings")}Preferences</a></li>
      <li><a href="/user/api-tokens/">${icon("key")}API tokens</a></li>
      <li><a href="/user/sessions/">${icon("devices")}Sessions</a></li>
      <li><a href="/user/password/">${icon("lock")}Change password</a></li>
      <li><a href="/help/keys/">${icon("keyboard")}Keys</a></li>
      <li><a href="/logout/">${icon("logout")}Log out</a></li>
    </ul>
  </details>`
