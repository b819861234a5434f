/**
 * The custom links of an object: buttons and menus on its page.
 *
 * Their templates are rendered by the worker threads of all templates, all links of the page in one batch. Each link is
 * an owner there, so a slow one delays itself alone. What is not rendered by the deadline is left out: a page never
 * fails or waits because of a link.
 */
import { Duration, Effect, Option } from "effect"
import sanitize from "sanitize-html"
import type { Request } from "../../http/wire/Request.ts"
import { Clearance, mayView } from "../../inventory/Clearance.ts"
import type { RowOf } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { allOf, equalTo, isNothing, withText } from "../../inventory/derive/filter/Where.ts"
import { list } from "../../inventory/read/Read.ts"
import type CustomLinkType from "../../inventory/types/extras/CustomLink.ts"
import { Templates } from "../../template/Template.ts"
import { Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { linkAddress } from "./LinkAddress.ts"

const linkType = objectType<typeof CustomLinkType>("extras.customlink")

type CustomLink = RowOf<typeof CustomLinkType>

/** Most links of a page. */
const linksMax = 50

/** Longest time that a page waits for its links. */
const deadline = Duration.millis(500)

interface Subject {
  readonly type: ObjectType
  /** The representation of the object. */
  readonly shown: Readonly<Record<string, unknown>>
  readonly request: Request
}

/** A link as the page shows it: with an address, or with the reason why it has none. */
interface ShownLink {
  readonly link: CustomLink
  readonly text: Html
  readonly address: string | undefined
  readonly reason: string
}

export const customLinks = Effect.fnUntraced(function* (subject: Subject) {
  const { type } = subject
  if (type.kind !== "object" || !(yield* mayView(linkType))) return html``
  const where = allOf(equalTo(linkType, { enabled: "true" }), withText(linkType, "content_types", type.id))
  const links = yield* list(linkType, { where, ordering: [], limit: linksMax, offset: 0 })
  if (links.length === 0) return html``
  const context = yield* contextOf(subject, links)
  const shown = yield* Effect.forEach(links, (link) => rendered(link, context), { concurrency: "unbounded" })
  const groups = Map.groupBy(
    shown.flatMap((each) => each ?? []),
    ({ link }) => link.group_name
  )
  return html`${Array.from(groups, ([name, members]) => (name === "" ? members.map(button) : menu(name, members)))}`
})

/** Undefined if the text is empty, or the link was not rendered in time. */
const rendered = Effect.fnUntraced(function* (link: CustomLink, context: string) {
  const { render } = yield* Templates
  const made = yield* render(
    [{ label: link.link_text }, { address: link.link_url }],
    context,
    "jinja",
    `custom link ${link.id}`
  ).pipe(
    Effect.match({
      onFailure: ({ told }): ShownLink => ({ link, text: html`${link.name}`, address: undefined, reason: told }),
      onSuccess: ([text = "", address = ""]) => linkOf(link, text, address)
    }),
    Effect.timeoutOption(deadline)
  )
  return Option.getOrUndefined(made)
})

const linkOf = (link: CustomLink, output: string, url: string): ShownLink | undefined => {
  // Its markup is left out. What is left is escaped.
  const text = sanitize(output, { allowedTags: [], allowedAttributes: {} }).trim()
  if (text === "") return undefined
  const address = linkAddress(url)
  const reason = "The address has a scheme that is not allowed."
  return { link, text: new Html(text), address, reason: address === undefined ? reason : "" }
}

/** The context of the templates: NetBox's names, with plain data in place of objects of Django. */
const contextOf = Effect.fnUntraced(function* ({ shown, request }: Subject, links: ReadonlyArray<CustomLink>) {
  const isNamed = (name: RegExp) => links.some((link) => name.test(link.link_text) || name.test(link.link_url))
  const object = Object.hasOwn(shown, "custom_fields") ? { ...shown, cf: shown["custom_fields"] } : shown
  const user = userOf(request)
  return JSON.stringify({
    object,
    // The name of NetBox up to 3.4.
    ...(isNamed(/\bobj\b/) && { obj: object }),
    debug: false,
    request: { id: request.author.requestId, method: "GET", path: request.url.pathname, user },
    user,
    ...(isNamed(/\bperms\b/) && { perms: yield* permissions })
  })
})

const userOf = ({ principal: { user } }: Request) => ({
  id: user?.id ?? null,
  username: user?.username ?? "",
  first_name: user?.first_name ?? "",
  last_name: user?.last_name ?? "",
  email: user?.email ?? "",
  is_authenticated: user !== undefined,
  is_staff: user?.is_staff ?? false,
  is_superuser: user?.is_superuser ?? false
})

/** `perms.dcim.view_site`: whether the reader may do it to some objects at least. */
const permissions = Effect.map(Clearance, ({ where }) => {
  const actions = ["view", "add", "change", "delete"] as const
  const byApp = Map.groupBy(registry.values(), ({ app }) => app)
  return Object.fromEntries(
    Array.from(byApp, ([app, types]) => [
      app,
      Object.fromEntries(
        types.flatMap((type) =>
          actions.map((action) => [`${action}_${type.name}`, !isNothing(where(type, action))] as const)
        )
      )
    ])
  )
})

const target = ({ new_window: isNew }: CustomLink): Html =>
  isNew ? html` target="_blank" rel="noopener noreferrer"` : html` rel="noopener noreferrer"`

const button = ({ link, text, address, reason }: ShownLink): Html =>
  address === undefined
    ? html`<button class="btn btn-sm" type="button" disabled title="${reason}">${text}</button>`
    : html`<a class="btn btn-sm link-${link.button_class}" href="${address}" ${target(link)}>${text}</a>`

/** The menu of a group, in the colour of its first link. */
const menu = (name: string, members: ReadonlyArray<ShownLink>): Html => {
  const [first] = members as readonly [ShownLink, ...Array<ShownLink>]
  const entry = ({ link, text, address, reason }: ShownLink) =>
    address === undefined
      ? html`<li><button type="button" disabled title="${reason}">${text}</button></li>`
      : html`<li><a href="${address}" ${target(link)}>${text}</a></li>`
  return html`<details class="menu">
    <summary class="btn btn-sm link-${first.link.button_class}">${name}${icon("chevron-down", "chev")}</summary>
    <ul class="menu-list">
      ${members.map(entry)}
    </ul>
  </details>`
}
