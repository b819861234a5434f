/** `/`: a sentence about the product, then the faults, where to begin, the latest changes, and how many objects there are. */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import { loginFirst } from "../../http/Admission.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { everything, isNothing } from "../../inventory/derive/filter/Where.ts"
import { changeType, changes, withoutAppendOnly } from "../../inventory/read/Changes.ts"
import { countEach } from "../../inventory/read/CountEach.ts"
import { type Html, html } from "../Html.ts"
import { changeTable } from "../change/ChangeTable.ts"
import { changeWords } from "../change/ChangeWords.ts"
import { framed } from "../frame/Frame.ts"
import { attention } from "./Attention.ts"
import { firstSteps } from "./FirstSteps.ts"
import { groupOf, inMenuOrder, isGroupShown } from "../frame/Menu.ts"
import { number } from "../list/Pager.ts"
import { pathOf, pluralOf } from "../value/Title.ts"

/** Counts stop here: the exact count of a large table would take longer than the rest of the page. */
const countedMax = 10_000

interface TypeCount {
  readonly type: ObjectType
  readonly count: number
}

const show: Handler = (request) =>
  Effect.gen(function* () {
    const visible = yield* visibleToSender
    const types = [...registry.values()].filter((type) => type.kind === "object" && !isNothing(visible(type)))
    // Nothing can be shown to somebody unknown: the login is the way in.
    if (request.principal.user === undefined && types.length === 0) return yield* loginFirst(request.incoming)
    const { inventory } = yield* Settings
    const counted = types.filter((type) => isGroupShown(groupOf(type), inventory))
    const found = yield* countEach(
      counted.map((type) => ({ type, where: everything })),
      countedMax
    )
    const counts = counted.map((type, at) => ({ type, count: found[at]! }))
    const mayMoveIn = inventory === "on" && request.principal.user?.is_superuser === true && isEmpty(counts)
    return yield* framed(request, {
      title: "Rackwire",
      subtitle: subtitles[inventory],
      main: html`${types.length > 0 ? "" : nothing}${mayMoveIn ? moveIn : ""}${yield* attention}${yield* firstSteps(request.principal, inventory)}
        <div class="panels home">
          ${yield* latestChanges}
          <div>${links}</div>
        </div>
        ${tiles(counts)}`
    })
  })

const subtitles = {
  on: html`<p class="sub m-0">
    Rackwire keeps the inventory of your networks and sends every committed change of it to your webhooks.
  </p>`,
  off: html`<p class="sub m-0">Rackwire sends every recorded change of your sources to your webhooks.</p>`
}

const nothing = html`<p class="alert-line">You may view no objects. An administrator can grant you a permission.</p>`

const moveIn = html`<p class="alert-line">
  The inventory is empty. An existing NetBox moves in with its ids, users, tokens and webhooks:
  <code>rackwire move postgresql://reader:secret@host/netbox</code>, described in <code>docs/move.md</code>.
</p>`

/** Users, and objects such as webhooks and tags, are there before an inventory is. */
const isEmpty = (counts: ReadonlyArray<TypeCount>): boolean =>
  counts.length > 0 && counts.every(({ type, count }) => count === 0 || type.app === "users" || type.app === "extras")

const changesMax = 8

const latestChanges = Effect.gen(function* () {
  const latest = yield* changes({ where: withoutAppendOnly, order: "newest first", limit: changesMax })
  return html`<section class="card" aria-labelledby="latest">
    <div class="ch">
      <h2 id="latest">Latest changes</h2>
      <a class="sub" href="${pathOf(changeType)}">All changes</a>
    </div>
    ${
      latest.length === 0
        ? html`<p class="note sub">The change log has no change that you may view.</p>`
        : changeTable(latest, { caption: "Latest changes", hides: ["request"], words: yield* changeWords(latest) })
    }
  </section>`
})

const tiles = (counts: ReadonlyArray<TypeCount>): Html =>
  html`<div class="counts">
    ${inMenuOrder(Map.groupBy(counts, ({ type }) => groupOf(type))).map(
      ([group, all]) =>
        html`<section class="card">
          <div class="ch"><h2>${group}</h2></div>
          <ul class="rel">
            ${all.map(
              ({ type, count }) =>
                html`<li>
                  <a href="${pathOf(type)}"
                    >${pluralOf(type)}<span class="cnt"
                      >${number(count)}${count < countedMax ? "" : " or more"}</span
                    ></a
                  >
                </li>`
            )}
          </ul>
        </section>`
    )}
  </div>`

const links = html`<section class="card" aria-labelledby="read-on">
  <div class="ch"><h2 id="read-on">Read on</h2></div>
  <ul class="rel">
    ${[
      ["/api/", "REST API"],
      ["/api/schema/swagger-ui/", "API description"],
      ["/help/templates/", "Template help"],
      ["/help/keys/", "Keys"],
      ["/health/ready", "Health"],
      ["/metrics", "Metrics"]
    ].map(([path, title]) => html`<li><a href="${path!}">${title!}</a></li>`)}
  </ul>
</section>`

export default { path: "/", access: "open", methods: { GET: show } } satisfies Route
