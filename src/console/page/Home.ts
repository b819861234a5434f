/** `/`: how many objects there are, and where to begin. */
import { Effect } from "effect"
import type { Handler, Route } from "../../http/Route.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { everything } from "../../inventory/derive/filter/Where.ts"
import { countEach } from "../../inventory/read/CountEach.ts"
import { type Html, html } from "../Html.ts"
import { framed } from "../part/Frame.ts"
import { groupOf, inMenuOrder } from "../part/Menu.ts"
import { number } from "../part/list/Pager.ts"
import { pathOf, pluralOf } from "../part/Title.ts"

/** Counts stop here: the exact count of a large table would take longer than the rest of the page. */
const countedMax = 10_000

const show: Handler = (request) =>
  Effect.gen(function* () {
    const visible = yield* visibleToSender
    const types = [...registry.values()].filter((type) => type.kind === "object" && visible(type).sql !== "false")
    const found = yield* countEach(
      types.map((type) => ({ type, where: everything })),
      countedMax
    )
    const counts = types.map((type, at) => ({ type, count: found[at]! }))
    return yield* framed(request, { title: "Rackwire", main: html`${firstSteps(types.length > 0)}${tiles(counts)}` })
  })

const tiles = (counts: ReadonlyArray<{ readonly type: ObjectType; readonly count: number }>): Html =>
  html`<div class="tile-grid">
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

const links: ReadonlyArray<readonly [path: string, title: string]> = [
  ["/extras/webhooks/", "Webhooks"],
  ["/extras/deliveries/?status=failed", "Failed deliveries"],
  ["/extras/object-changes/", "Changes"],
  ["/help/templates/", "Template help"],
  ["/api/", "REST API"],
  ["/api/schema/swagger-ui/", "API description"],
  ["/health/ready", "Health"],
  ["/metrics", "Metrics"]
]

const firstSteps = (maySee: boolean): Html =>
  html`${maySee ? "" : html`<p class="alert-line">You may view no objects. Log in, or ask for a permission.</p>`}
    <p class="links">
      ${links.map(([path, title], at) => html`${at === 0 ? "" : " · "}<a href="${path}">${title}</a>`)}
    </p>`

export default { path: "/", access: "open", methods: { GET: show } } satisfies Route
