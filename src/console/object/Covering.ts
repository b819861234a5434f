/** The webhooks that hear of changes of a type. */
import { Effect } from "effect"
import { type Covering, coveringWebhooks } from "../../history/explain/Covering.ts"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { inSentence, pathOf, pluralOf } from "../value/Title.ts"
import { badge } from "../value/Value.ts"

const webhookType = objectType("extras.webhook")

/** Most webhooks that are named. */
const namedMax = 20

/** A card with the webhooks that the reader may view; nothing for readers who may view none at all. */
export const coveringCard = Effect.fnUntraced(function* (type: ObjectType) {
  if (!(yield* mayView(webhookType))) return html``
  const webhooks = yield* coveringWebhooks(type, namedMax + 1)
  const mayAdd = yield* mayDo(webhookType, "add")
  const add = html`<a class="btn btn-sm" href="${pathOf(webhookType)}add/?content_types=${type.id}"
    >${icon("plus")}Add a webhook</a
  >`
  return html`<section class="card" aria-labelledby="covering">
    <div class="ch">
      <h2 id="covering">Webhooks for ${inSentence(pluralOf(type))}</h2>
      <span class="grow"></span>${mayAdd ? add : ""}
    </div>
    ${
      webhooks.length === 0
        ? html`<p class="note">No webhook covers ${pluralOf(type)}, so their changes are not sent.</p>`
        : html`<ul class="rel">
            ${webhooks.slice(0, namedMax).map((webhook) => html`<li>${entry(webhook)}</li>`)}
            ${webhooks.length > namedMax ? html`<li><a href="${pathOf(webhookType)}?content_types=${type.id}">All of them</a></li>` : ""}
          </ul>`
    }
  </section>`
})

const entry = ({ id, name, enabled, paused, kinds }: Covering): Html =>
  html`<a href="${pathOf(webhookType, id)}"
    >${name}<span class="sub">&nbsp;${kinds.join(", ")}</span
    ><span class="grow"></span>${enabled ? (paused ? badge("paused", "Paused") : "") : badge("disabled", "Disabled")}</a
  >`
