/** The frame of an object's pages: its name, what can be done to it, and a tab for each page. */
import { Effect } from "effect"
import { waitingCount } from "../../history/health/Healths.ts"
import { sourceType } from "../../history/source/SourceNames.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { notFound } from "../../http/HttpRefused.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Action, Clearance, visibleToSender } from "../../inventory/Clearance.ts"
import type { Row, View } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Where, isEverything, isNothing, equalTo, refersToOne } from "../../inventory/derive/filter/Where.ts"
import { changeType, changesOf } from "../../inventory/read/Changes.ts"
import { countEach } from "../../inventory/read/CountEach.ts"
import { readOne, viewFor } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { accountActions } from "../account/AccountCards.ts"
import { webhookActions } from "../webhook/Actions.ts"
import { webhookType } from "../webhook/Opened.ts"
import { waitingPath } from "../deliveries/WaitingLink.ts"
import { framed } from "../frame/Frame.ts"
import { addedTypes, writtenTypes } from "../form/Opened.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { number } from "../list/Pager.ts"
import { drawnOf } from "../rack/Drawn.ts"
import { primaryAction } from "../space/PrimaryAction.ts"
import { capital, nameOf, pathOf, pluralOf } from "../value/Title.ts"

export const journalType = objectType("extras.journalentry")

interface Tab {
  /** The last part of its path; "" for the main page. */
  readonly name: string
  readonly title: string
  /** The type of the objects that the tab lists, and those of an object. */
  readonly lists?: { readonly type: ObjectType; readonly of: (type: ObjectType, id: number) => Where }
}

const tabs = {
  journal: {
    name: "journal",
    title: "Journal",
    lists: {
      type: journalType,
      of: ({ id: type }, id) => equalTo(journalType, { assigned_object_type: type, assigned_object_id: id })
    }
  },
  changelog: {
    name: "changelog",
    title: "Change log",
    lists: { type: changeType, of: ({ id: type }, id) => changesOf(type, id) }
  },
  deliveries: {
    name: "deliveries",
    title: "Deliveries",
    lists: {
      type: deliveryType,
      // The deliveries to a webhook, to the webhooks of a source, or about an object.
      of: ({ id: type }, id) =>
        type === webhookType.id
          ? equalTo(deliveryType, { webhook: id })
          : type === sourceType.id
            ? refersToOne(deliveryType, "webhook", webhookType, equalTo(webhookType, { source: id }))
            : equalTo(deliveryType, { object_type: type, object_id: id })
    }
  },
  configuration: { name: "configuration", title: "Configuration" },
  skipped: { name: "skipped", title: "Skipped" }
} as const satisfies Readonly<Record<string, Tab>>

type TabName = keyof typeof tabs

/** The tabs of objects, and those of webhooks. */
const usualTabs: ReadonlyArray<Tab> = [tabs.journal, tabs.changelog, tabs.deliveries]
const webhookTabs: ReadonlyArray<Tab> = [
  tabs.deliveries,
  tabs.skipped,
  tabs.configuration,
  tabs.journal,
  tabs.changelog
]

/** The condition of what a tab lists for an object. */
export const listedIn = (tab: "journal" | "changelog" | "deliveries", type: ObjectType, id: number): Where =>
  tabs[tab].lists.of(type, id)

/** Counts stop here. */
const countedMax = 1000

interface PageParts {
  readonly type: ObjectType
  readonly row: Row
  readonly view: View
  /** The tab that is shown; none for the main page. */
  readonly tab?: TabName
  /** Links beside the actions. */
  readonly links?: Html
  readonly main: Html
  readonly status?: number
}

/** The object of the id in the path, with long values cut. Undefined if there is none that the reader may view. */
export const objectIn = Effect.fnUntraced(function* <T extends ObjectType>(
  type: T,
  { params: { id = "" }, base }: Request
) {
  if (!/^\d{1,15}$/.test(id)) return undefined
  const { rows, beside } = yield* readOne(type, Number(id), true)
  const [row] = rows
  return row === undefined
    ? undefined
    : { row, view: yield* viewFor(type, rows, base, beside), customFields: beside.customFields }
})

/** The same for a tab. Fails with 404. */
export const objectOfTab = Effect.fnUntraced(function* <T extends ObjectType>(type: T, request: Request) {
  return (yield* objectIn(type, request)) ?? (yield* notFound())
})

/** Answers with a page of the object. */
export const objectPage = Effect.fnUntraced(function* (
  request: Request,
  { type, row, view, tab, links, main, status }: PageParts
) {
  const display = type.display(row, view)
  const title = tab === undefined ? display : `${display}: ${tabs[tab].title}`
  return yield* framed(request, {
    title,
    heading: display,
    crumbs: [[groupOf(type)], [pluralOf(type), pathOf(type)]],
    actions: html`${links ?? ""}${yield* actions(type, row, request)}`,
    main: html`${yield* tabList(type, row.id, tab)}${main}`,
    ...(status !== undefined && { status })
  })
})

/** Links to the forms of what the reader may do; the form refuses objects that are not among them. */
const actions = Effect.fnUntraced(function* (type: ObjectType, row: Row, request: Request) {
  const { id } = row
  const { where } = yield* Clearance
  const may = (action: Action) => writtenTypes.includes(type) && !isNothing(where(type, action))
  const path = pathOf(type, id)
  return html`${yield* drawnOf(type, id)}${yield* primaryAction(type, row, request)}${yield* accountActions(type, id, request)}${type.id === webhookType.id && may("change") ? yield* webhookActions(id, request) : ""}
    ${may("add") && addedTypes.includes(type) ? html`<a class="btn btn-sm" href="${pathOf(type)}add/?clone=${id}">${icon("copy")}Clone</a>` : ""}
    ${may("change") ? html`<a class="btn btn-sm" data-key="e" href="${path}edit/">${icon("pencil")}Edit</a>` : ""}
    ${may("delete") ? html`<a class="btn btn-sm" href="${path}delete/">${icon("trash")}Delete</a>` : ""}
    <a class="btn btn-sm" href="${type.path}${id}/">${icon("code")}API</a>`
})

/** The tabs of which the reader may view some objects. Accounts and records have none. */
const tabList = Effect.fnUntraced(function* (type: ObjectType, id: number, current: TabName | undefined) {
  if (type.kind !== "object") return html``
  const visible = yield* visibleToSender
  const isWebhook = type.id === webhookType.id
  const shown = (isWebhook ? webhookTabs : usualTabs).filter(
    ({ lists }) => lists === undefined || !isNothing(visible(lists.type))
  )
  const counted = shown.flatMap(({ lists }) => (lists === undefined ? [] : [lists]))
  const counts = yield* countEach(
    counted.map((lists) => ({ type: lists.type, where: lists.of(type, id) })),
    countedMax
  )
  const path = pathOf(type, id)
  const waits = isWebhook && isEverything(visible(deliveryType)) ? yield* waitingCount([id]) : 0
  const link = (to: string, title: string, isCurrent: boolean, count?: number) =>
    html`<li>
      <a href="${to}" ${isCurrent ? html` aria-current="page"` : ""}
        >${title}${count === undefined ? "" : html`<span class="cnt">${number(count)}${count < countedMax ? "" : "+"}</span>`}</a
      >
    </li>`
  return html`<nav class="tabs" aria-label="Pages of the object">
    <ul>
      ${link(path, isWebhook ? "Overview" : capital(nameOf(type)), current === undefined)}
      ${
        waits === 0
          ? ""
          : html`<li>
              <a href="${waitingPath}?webhook_id=${id}">Waiting<span class="cnt">${number(waits)}</span></a>
            </li>`
      }
      ${shown.map(({ name, title, lists }) => link(`${path}${name}/`, title, current === name, lists && counts[counted.indexOf(lists)]))}
    </ul>
  </nav>`
})
