/** The webhooks that hear of changes of a type. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { badge } from "../value/Value.ts"

const webhookType = objectType("extras.webhook")

/** Most webhooks that are named. */
const namedMax = 20

interface Covering {
  readonly id: number
  readonly name: string
  readonly enabled: boolean
  readonly paused: boolean
  readonly kinds: ReadonlyArray<string>
}

/** A card with the webhooks that the reader may view; nothing for readers who may view none at all. */
export const coveringCard = Effect.fnUntraced(function* (type: ObjectType) {
  const visible = yield* cleared(webhookType, "view")
  if (visible.sql === "false") return html``
  const sql = yield* SqlClient.SqlClient
  const where = allOf({ sql: "t.content_types @> array[$1::text]", parameters: [type.id] }, visible)
  const rows = yield* sql.unsafe<{ readonly webhook: Covering }>(
    `select json_build_object('id', t.id, 'name', t.name, 'enabled', t.enabled, 'paused', t.paused, 'kinds',
              array_remove(array[case when t.type_create then 'created' end, case when t.type_update then 'updated' end,
                                 case when t.type_delete then 'deleted' end], null)) as webhook
       from ${webhookType.table} t where ${where.sql} order by t.name limit ${namedMax + 1}`,
    where.parameters
  )
  const mayAdd = (yield* cleared(webhookType, "add")).sql !== "false"
  const add = html`<a class="btn btn-sm" href="${pathOf(webhookType)}add/?content_types=${type.id}"
    >${icon("plus")}Add a webhook</a
  >`
  return html`<section class="card" aria-labelledby="covering">
    <div class="ch">
      <h2 id="covering">Webhooks for ${pluralOf(type)}</h2>
      <span class="grow"></span>${mayAdd ? add : ""}
    </div>
    ${
      rows.length === 0
        ? html`<p class="note">No webhook covers ${pluralOf(type)}, so nobody is told of their changes.</p>`
        : html`<ul class="rel">
            ${rows.slice(0, namedMax).map(({ webhook }) => html`<li>${entry(webhook)}</li>`)}
            ${rows.length > namedMax ? html`<li><a href="${pathOf(webhookType)}?content_types=${type.id}">All of them</a></li>` : ""}
          </ul>`
    }
  </section>`
})

const entry = ({ id, name, enabled, paused, kinds }: Covering): Html =>
  html`<a href="${pathOf(webhookType, id)}"
    >${name}<span class="sub">&nbsp;${kinds.join(", ")}</span
    ><span class="grow"></span>${enabled ? (paused ? badge("paused", "Paused") : "") : badge("disabled", "Disabled")}</a
  >`
