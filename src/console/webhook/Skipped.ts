/** `/extras/webhooks/<id>/skipped/`: the latest changes for which the webhook did not fire, by the clause that failed. */
import { Effect } from "effect"
import { type Skips, askedMax, askedUsually, skippedBy } from "../../history/explain/Skipped.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { TryOutLimits } from "../../http/webhooks/TryOutLimits.ts"
import { pageBounds } from "../../http/wire/Paging.ts"
import { sourceType } from "../../history/source/SourceNames.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { registry } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { skipTable } from "../explain/SkipTable.ts"
import { number } from "../list/Pager.ts"
import { objectOfTab, objectPage } from "../object/ObjectPage.ts"
import { timeOf } from "../value/Time.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { webhookType } from "./Opened.ts"

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { limited } = yield* TryOutLimits
    yield* limited(request)
    const { row, view } = yield* objectOfTab(webhookType, request)
    // The row of a page is cut, and its condition is not.
    const webhook = yield* rowOf(webhookType, request)
    const { limit = askedMax } = pageBounds(request.url.searchParams, { usual: askedUsually, max: askedMax })
    const skips = yield* skippedBy(webhook, limit)
    const types = webhook.content_types.map((id) => {
      const type = registry.get(id)
      return type === undefined ? id : pluralOf(type)
    })
    const [source] = webhook.source === null ? [] : yield* byIds(sourceType, [webhook.source])
    const of = source === undefined ? "" : ` of ${source.name}`
    return yield* objectPage(request, {
      ...{ type: webhookType, row, view },
      tab: "skipped",
      main: html`${summary(skips, `${types.join(", ")}${of}`)}${groups(skips)}`
    })
  })

const summary = (skips: Skips, types: string): Html =>
  html`<section class="card" id="skipped-summary" aria-label="Summary">
    <p class="lead-line">${skips.sentence}</p>
    <dl class="facts">
      <div>
        <dt>Listens to</dt>
        <dd>${types === "" ? "nothing" : types}</dd>
      </div>
      <div>
        <dt>Changes evaluated</dt>
        <dd>${number(skips.seen)}</dd>
      </div>
      <div>
        <dt>Fired</dt>
        <dd>${number(skips.fired)}</dd>
      </div>
      <div>
        <dt>Skipped</dt>
        <dd>${number(skips.skipped)}</dd>
      </div>
      ${
        skips.since === null
          ? ""
          : html`<div>
              <dt>Since</dt>
              <dd>${timeOf(skips.since, "second")}</dd>
            </div>`
      }
    </dl>
    ${
      skips.partial
        ? html`<p class="note sub links">
            These are the latest changes.
            ${skips.seen < askedMax ? html`<a href="?limit=${askedMax}">Evaluate the latest ${number(askedMax)}</a>` : ""}
          </p>`
        : ""
    }
  </section>`

const groups = (skips: Skips): Html =>
  skips.groups.length === 0
    ? html`<div class="card">
        <div class="empty">
          ${
            skips.seen === 0
              ? html`<b>No change of its types yet.</b>The change log has none that you may view.`
              : html`<b>It skipped none.</b>It fired for every change of its types that was evaluated.`
          }
        </div>
      </div>`
    : skipTable(skips)

export default {
  path: `${pathOf(webhookType)}:id/skipped/`,
  access: webhookType,
  methods: { GET: show }
} satisfies Route
