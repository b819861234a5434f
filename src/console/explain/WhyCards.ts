/**
 * Why webhooks fired for a change, and who did not: clauses with the values that they found. Nothing for readers who
 * may view no webhooks.
 */
import { Effect } from "effect"
import { type Reckoned, explainChange } from "../../history/explain/Explain.ts"
import { bareType } from "../../event/SourceType.ts"
import { mayView } from "../../inventory/Clearance.ts"
import type { Change } from "../../inventory/read/Changes.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { sourceOf } from "../change/ChangeTable.ts"
import { icon } from "../frame/Icon.ts"
import { nameOf, pathOf, pluralOf } from "../value/Title.ts"
import { badge } from "../value/Value.ts"
import { clauseList, wants } from "./Clauses.ts"

const webhookType = objectType("extras.webhook")

/** Most webhooks that each list names. */
const namedMax = 20

interface Options {
  /** The webhook of the page: the first card explains it alone. */
  readonly webhook?: number
}

export const whyCards = Effect.fnUntraced(function* (change: Change, { webhook: only }: Options = {}) {
  if (!(yield* mayView(webhookType))) return html``
  const { webhooks, isPartial } = yield* explainChange(change)
  const fired = webhooks.filter(({ outcome, webhook }) => outcome === "fired" && (only ?? webhook) === webhook)
  const others = webhooks.filter(({ outcome }) => outcome !== "fired")
  return html`<section class="card" id="why" aria-labelledby="why-fired">
      <div class="ch"><h2 id="why-fired">Why it fired</h2></div>
      ${fired.length === 0 ? html`<p class="note sub">${noneFired(webhooks, only)}</p>` : ""}
      ${fired.slice(0, namedMax).map((each) => firedPart(each, change))} ${more(fired.length)}
    </section>
    ${whyNotCard(others, change, isPartial)}`
})

/** `only`: the webhook of a delivery that a user requested. */
const noneFired = (webhooks: ReadonlyArray<Reckoned>, only: number | undefined): string => {
  const count = webhooks.filter(({ outcome }) => outcome === "fired").length
  if (only === undefined) return "No webhook that you may view fired for this change."
  const others = count === 0 ? "" : ` ${count} ${count === 1 ? "other webhook" : "other webhooks"} did.`
  return `The webhook did not fire for this change: the delivery is a test or a replay.${others}`
}

const firedPart = (each: Reckoned, change: Change): Html =>
  html`<div class="why-of">
    <h3>${link(each)}${fateBadge(each)}</h3>
    <ul class="why">
      ${wants(change)}${clauseList(each)}
    </ul>
    ${each.fate?.reason ? html`<p class="sub">${each.fate.reason}</p>` : ""}
  </div>`

/** The name of a webhook; a deleted one has no page. */
const link = ({ webhook, name, exists }: Reckoned): Html =>
  exists
    ? html`<a href="${pathOf(webhookType, webhook)}">${name === "" ? `#${webhook}` : name}</a>`
    : html`${name} <span class="sub">(deleted since)</span>`

const fateBadge = ({ fate }: Reckoned): Html => {
  if (fate === undefined) return html``
  const label = fate.state === "unknown" ? "No record" : fate.state.charAt(0).toUpperCase() + fate.state.slice(1)
  const shown = badge(fate.state, label)
  return fate.delivery === undefined ? shown : html`<a href="/extras/deliveries/${fate.delivery.id}/">${shown}</a>`
}

const more = (count: number): Html =>
  count > namedMax ? html`<p class="note sub">And ${count - namedMax} more.</p>` : html``

const whyNotCard = (others: ReadonlyArray<Reckoned>, change: Change, isPartial: boolean): Html => {
  const listening = others.filter(({ gate }) => gate !== "type")
  const deaf = others.filter(({ gate }) => gate === "type")
  return html`<section class="card" aria-labelledby="why-not">
    <div class="ch"><h2 id="why-not">Did not fire for this change</h2></div>
    ${
      listening.length === 0
        ? html`<p class="note sub">
            Every webhook for ${typeName(change)} that you may
            view${deaf.length === 0 ? "" : " and that listens to them"} fired.
          </p>`
        : html`<ul class="why">
            ${listening.slice(0, namedMax).map(whyNot)}
          </ul>`
    }
    ${more(listening.length)}${deaf.length === 0 ? "" : doNotListen(deaf, change)}
    ${isPartial ? html`<p class="note sub">There are more webhooks: only the oldest 1,000 were evaluated.</p>` : ""}
  </section>`
}

/** `Sites`, `Sites of headquarters`. */
const typeName = (change: Change): string => {
  const id = bareType(change.changed_object_type)
  const type = registry.get(id)
  const source = sourceOf(change)
  return `${type === undefined ? id : pluralOf(type)}${source === undefined ? "" : ` of ${source}`}`
}

const whyNot = (each: Reckoned): Html =>
  html`<li>
    <span class="${each.outcome === "skipped" ? "no" : "hold"}">${icon("x")}</span>
    <span
      >${link(each)}
      <span class="why-text">${each.outcome === "undecided" ? "undecided: " : ""}${each.reason}</span></span
    >
  </li>`

const doNotListen = (deaf: ReadonlyArray<Reckoned>, change: Change): Html => {
  const id = bareType(change.changed_object_type)
  const type = registry.get(id)
  const source = sourceOf(change)
  const count = deaf.length === 1 ? "1 webhook does" : `${deaf.length} webhooks do`
  return html`<details class="why-more">
    <summary>
      ${count} not listen to
      ${type === undefined ? id : `any ${nameOf(type)}`}${source === undefined ? "" : ` of ${source}`}
    </summary>
    <p class="links">${deaf.slice(0, namedMax).map((each, at) => html`${at === 0 ? "" : ", "}${link(each)}`)}</p>
    ${more(deaf.length)}
  </details>`
}
