/** `/<app>/<type>/<id>/`: the page of one object, from the declaration of its type alone. */
import { Effect } from "effect"
import { operationType } from "../../requests/Operations.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { notFound } from "../../http/HttpRefused.ts"
import type { Handler, Route } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { allOf, equalTo } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { changeType, changes, changesOf } from "../../inventory/read/Changes.ts"
import { type Html, html } from "../Html.ts"
import { customLinks } from "../link/CustomLinks.ts"
import { accountCards } from "../account/AccountCards.ts"
import { objectText } from "../change/ChangeTable.ts"
import { framed } from "../frame/Frame.ts"
import { live, liveControl, withLive } from "../live/Following.ts"
import { groupOf } from "../frame/Menu.ts"
import { relatedCard, relatedTo } from "../value/Related.ts"
import { attributesCard } from "./Attributes.ts"
import { customFieldsCard } from "./CustomFieldsCard.ts"
import { objectIn, objectPage } from "./ObjectPage.ts"
import { hasLivePanel, panelsOf } from "./Panels.ts"
import { timeOf } from "../value/Time.ts"
import { capital, pathOf, pluralOf } from "../value/Title.ts"
import { markdown } from "../value/Markdown.ts"

const show =
  (type: ObjectType, isLive: boolean): Handler =>
  (request) =>
    Effect.gen(function* () {
      const found = yield* objectIn(type, request)
      if (found === undefined) return (yield* deleted(type, request)) ?? (yield* notFound())
      const { row, view, customFields } = found
      const shown = representation(type, row, view) as Readonly<Record<string, unknown>>
      const own = attributesCard(type, shown)
      const related = yield* relatedTo(type, row.id)
      const panels = yield* panelsOf({ type, row, view, shown, request }, related)
      return yield* objectPage(request, {
        ...{ type, row, view },
        links: yield* customLinks({ type, shown, request }),
        main: html`${panels.first}
          <div class="panels">
            <div>
              ${isLive ? live("own", html`<div id="own">${own}</div>`) : own}${panels.main}${comments(shown["comments"])}
            </div>
            <div>
              ${panels.side}${yield* customFieldsCard(customFields, shown["custom_fields"])}${relatedCard(related, type, row.id)}${yield* accountCards(type.id)(row, request)}
            </div>
          </div>
          <div class="wide">${panels.wide}</div>
          ${isLive ? liveControl : ""}`
      })
    })

/** The page of an object that was deleted, if the reader may view the change; undefined else. */
const deleted = Effect.fnUntraced(function* (type: ObjectType, request: Request) {
  const { params, author } = request
  if (type.kind !== "object" || !/^\d{1,15}$/.test(params["id"] ?? "")) return undefined
  const where = allOf(changesOf(type.id, Number(params["id"])), equalTo(changeType, { action: "delete" }))
  const [change] = yield* changes({ where, order: "newest first", limit: 1 })
  if (change === undefined) return undefined
  return yield* framed(request, {
    title: "Not found",
    crumbs: [[groupOf(type)], [pluralOf(type), pathOf(type)]],
    main: html`<div class="card">
      <div class="empty">
        <b
          >${capital(objectText(change))} was deleted on
          ${timeOf(change.time)}${change.user_name === "" ? "" : ` by ${change.user_name}`}.</b
        >
        <span class="links"
          ><a href="${pathOf(changeType, change.id)}"
            >What it was${type.isReadOnly ? "" : ", and how to restore it"}</a
          ></span
        >
        <p class="sub">Request <span class="mono">${author.requestId}</span></p>
      </div>
    </div>`,
    status: 404
  })
})

const comments = (text: unknown): Html =>
  typeof text !== "string" || text === ""
    ? html``
    : html`<section class="card" aria-labelledby="comments">
        <div class="ch"><h2 id="comments">Comments</h2></div>
        ${markdown(text)}
      </section>`

/** Types of which an object has a page of its own. */
const elsewhere: ReadonlySet<ObjectType> = new Set<ObjectType>([
  changeType,
  deliveryType,
  operationType,
  objectType("extras.webhook")
])

export default [...registry.values()]
  .filter((type) => !elsewhere.has(type))
  .map((type): Route => {
    const isLive = hasLivePanel(type)
    const page = show(type, isLive)
    return { path: `${pathOf(type)}:id/`, access: type, methods: { GET: isLive ? withLive(page) : page } }
  })
