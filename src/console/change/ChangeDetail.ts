/** `/extras/object-changes/<id>/`: what a change did, its neighbours, and the way back. */
import { Effect } from "effect"
import { bareType } from "../../event/SourceType.ts"
import { type SourceObject, placed, sourceObjects } from "../../history/source/SourceObjects.ts"
import { lsnOfChange, positionOfChange } from "../../history/explain/Explain.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { type Change, changeType, changedFields, changes, neighbours } from "../../inventory/read/Changes.ts"
import { isThere, readPage, viewFor } from "../../inventory/read/Read.ts"
import { equalTo } from "../../inventory/derive/filter/Where.ts"
import { type Html, html } from "../Html.ts"
import { actionBadge, changeTable, objectText, requestLink } from "./ChangeTable.ts"
import { changeIn } from "./ChangeIn.ts"
import { diffTable } from "./DiffTable.ts"
import { namedFor } from "./Named.ts"
import { wholeObject } from "./WholeObject.ts"
import { whyCards } from "../explain/WhyCards.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { deliveryTable } from "../object/DeliveryTable.ts"
import { objectLink, sourceLink } from "../source/ObjectLink.ts"
import { timeOf } from "../value/Time.ts"
import { capital, pathOf, pluralOf } from "../value/Title.ts"
import { none } from "../value/Value.ts"

/** Most changes of the same request that the page shows. */
const siblingsMax = 20

const show: Handler = (request) =>
  Effect.gen(function* () {
    const change = yield* changeIn(request)
    const type = registry.get(change.changed_object_type)
    const source = (yield* sourceObjects([placed(change)])).get(change.place)
    const fields = yield* changedFields(change)
    const isUpdate = change.action === "update"
    const compared = isUpdate ? fields.filter(({ isChanged }) => isChanged) : fields
    const named = yield* namedFor(type, compared, request.base)
    const { count, table } = yield* diffTable(compared, { named })
    const { previous, next } = yield* neighbours(change)
    const siblings = yield* changes({
      where: equalTo(changeType, { request_id: change.request_id }),
      order: "oldest first",
      limit: siblingsMax + 1
    })
    return yield* framed(request, {
      title: capital(`${objectText(change)} ${change.action}d`),
      crumbs: [[groupOf(changeType)], [pluralOf(changeType), pathOf(changeType)], [`#${change.id}`]],
      actions: html`${journeyLink(change)}${step(previous, "Previous change")}${step(next, "Next change")}${yield* restoring(type, change)}
        <a class="btn btn-sm" href="${changeType.path}${change.id}/">${icon("code")}API</a>`,
      main: html`<div class="panels">
        <div>
          <section class="card" aria-labelledby="changed">
            <div class="ch">
              <h2 id="changed">${isUpdate ? "What changed" : "Values"}</h2>
              ${isUpdate ? html`<span class="sub">${count} of ${fields.length} fields</span>` : ""}
            </div>
            ${table}
          </section>
          ${isFromNetbox(change) ? "" : yield* whyCards(change)}${yield* wholeObject(fields)}
        </div>
        <div>
          ${panel(change, source === undefined ? yield* ownLink(type, change) : objectLink(source), source)}${yield* deliveries(change, request.base)}
          ${sameRequest(change, siblings)}
        </div>
      </div>`
    })
  })

/** Whether it was moved here with its object: webhooks had no part in it. */
const isFromNetbox = (change: Change): boolean => positionOfChange(change) === undefined

/** Most deliveries of the change that the page shows. */
const deliveriesMax = 20

/** The webhooks with a delivery of the change; nothing for readers who may view no deliveries. */
const deliveries = Effect.fnUntraced(function* (change: Change, base: string) {
  const at = positionOfChange(change)
  if (at === undefined || !(yield* mayView(deliveryType))) return html``
  const { changed_object_type: type, changed_object_id: id } = change
  // The first two comparisons find the rows by an index.
  const where = equalTo(deliveryType, { object_type: type, object_id: id, ...at })
  const page = { where, ordering: ["-time"], limit: deliveriesMax, offset: 0, isCut: true }
  const { rows, beside } = yield* readPage(deliveryType, page)
  return html`<section class="card" aria-labelledby="told">
    <div class="ch"><h2 id="told">Deliveries</h2></div>
    ${
      rows.length === 0
        ? html`<p class="note sub">No delivery of it was attempted yet.</p>`
        : deliveryTable(rows, yield* viewFor(deliveryType, rows, base, beside), "brief")
    }
  </section>`
})

/** The way to the whole transaction. */
const journeyLink = (change: Change): Html => {
  const at = positionOfChange(change)
  return at === undefined
    ? html``
    : html`<a class="btn btn-sm" href="/logging/journeys/${`${at.position}`}/">${icon("route")}Journey</a>`
}

const step = (change: Change | undefined, title: "Previous change" | "Next change"): Html => {
  const isNext = title === "Next change"
  const name = isNext ? "chevron-right" : "chevron-left"
  return change === undefined
    ? html``
    : html`<a class="btn btn-sm" href="${pathOf(changeType, change.id)}" rel="${isNext ? "next" : "prev"}"
        >${isNext ? "" : icon(name)}${title}${isNext ? icon(name) : ""}</a
      >`
}

/** The link to the object, if it still exists and may be viewed. */
const ownLink = Effect.fnUntraced(function* (type: ObjectType | undefined, change: Change) {
  const text = change.object_repr === "" ? `#${change.changed_object_id}` : change.object_repr
  if (type === undefined) return html`${text}`
  if (!(yield* isThere(type, change.changed_object_id))) return html`${text} <span class="sub">(no longer there)</span>`
  return html`<a href="${pathOf(type, change.changed_object_id)}">${text}</a>`
})

/** The way to restore what was before, for readers who may write the object. */
const restoring = Effect.fnUntraced(function* (type: ObjectType | undefined, { id, action }: Change) {
  if (type === undefined || type.isReadOnly || action === "create") return html``
  if (!(yield* mayDo(type, action === "delete" ? "add" : "change"))) return html``
  return html`<a class="btn btn-sm" href="${pathOf(changeType, id)}restore/">${icon("restore")}Restore these values</a>`
})

const panel = (change: Change, object: Html, source: SourceObject | undefined): Html => {
  const lsn = lsnOfChange(change)
  return html`<section class="card" aria-labelledby="change">
    <div class="ch"><h2 id="change">Change</h2></div>
    <dl class="attrs">
      <dt>Time</dt>
      <dd>${timeOf(change.time, "second")}</dd>
      <dt>User</dt>
      <dd>${change.user_name === "" ? none : change.user_name}</dd>
      ${
        change.message === ""
          ? ""
          : html`<dt>Reason</dt>
              <dd>${change.message}</dd>`
      }
      <dt>Action</dt>
      <dd>${actionBadge(change)}</dd>
      <dt>Object</dt>
      <dd>${object}</dd>
      <dt>Object type</dt>
      <dd class="mono">${bareType(change.changed_object_type)}</dd>
      ${
        source === undefined
          ? ""
          : html`<dt>Source</dt>
              <dd>${sourceLink(source)}</dd>`
      }
      <dt>Request</dt>
      <dd>${requestLink(change, 36)}</dd>
      <dt>Position</dt>
      ${
        lsn === undefined
          ? html`<dd>None: it was made in NetBox, before the object was moved here.</dd>`
          : html`<dd class="mono">LSN ${lsn} <span class="sub">${change.place}</span></dd>`
      }
    </dl>
  </section>`
}

const sameRequest = (change: Change, siblings: ReadonlyArray<Change>): Html => {
  const shown = siblings.slice(0, siblingsMax)
  return html`<section class="card" aria-labelledby="request">
    <div class="ch"><h2 id="request">The same request</h2></div>
    ${
      siblings.length === 1
        ? html`<p class="note sub">It changed nothing else.</p>`
        : changeTable(shown, { caption: "Changes of the same request", hides: ["request"], current: change.id })
    }
    ${
      siblings.length > siblingsMax
        ? html`<p class="note links">
            <a href="${pathOf(changeType)}?request_id=${change.request_id}">All changes of the request</a>
          </p>`
        : ""
    }
  </section>`
}

export default { path: `${pathOf(changeType)}:id/`, access: changeType, methods: { GET: show } } satisfies Route
