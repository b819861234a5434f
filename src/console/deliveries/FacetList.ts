/** Facets of deliveries: the most frequent values, each a link that adds its filter or removes it. */
import { type Facets, facetNames } from "../../history/log/Facets.ts"
import type { SourceNames } from "../../history/source/SourceNames.ts"
import { type Html, html } from "../Html.ts"
import { shortened } from "../list/Cell.ts"
import { number } from "../list/Pager.ts"
import { changed, without } from "../list/Query.ts"
import { titleOfType } from "../value/Title.ts"
import { icon } from "../frame/Icon.ts"

const titles: Readonly<Record<(typeof facetNames)[number], string>> = {
  status: "Outcome",
  reason: "Cause",
  webhook_id: "Webhook",
  host: "Host",
  object_type: "Object type",
  response_status: "Response code",
  event: "Event"
}

/** Facets that are open at first. */
const opened: ReadonlySet<string> = new Set(["status", "reason", "webhook_id", "response_status"])

/** `sourceOf` names the sources of object types. */
export const facetList = (
  { facets, lookedAt, isComplete, hasAllUnsuccessful }: Facets,
  query: URLSearchParams,
  sourceOf: SourceNames
): Html =>
  html`<nav class="facets" id="delivery-facets" aria-label="Narrow by">
    ${facetNames.map((name) => {
      const values = facets[name]
      if (values.length === 0) return html``
      return html`<details ${opened.has(name) || query.has(name) ? html`open` : ""}>
        <summary>${titles[name]}</summary>
        <ul>
          ${values.map(({ value, label, count }) => {
            const ofUnsuccessful = name === "reason" || (name === "status" && value !== "successful")
            const isExact = isComplete || (hasAllUnsuccessful && ofUnsuccessful)
            const shown = name === "object_type" ? titleOfType(value, sourceOf(value)) : label
            return entry(name, value, shown, `${number(count)}${isExact ? "" : "+"}`, query)
          })}
        </ul>
      </details>`
    })}
    <p class="sub">${isComplete ? "" : `Counts are of the newest ${number(lookedAt)}: there may be more of each.`}</p>
  </nav>`

const entry = (name: string, value: string, label: string, count: string, query: URLSearchParams): Html => {
  const isSet = query.has(name, value)
  const link = isSet ? without(query, name, value) : changed(query, { [name]: value, offset: undefined })
  const shown = name === "webhook_id" && label === value ? `#${value}, deleted` : shortened(label, 60)
  return html`<li>
    <a href="${link}" ${isSet ? html`aria-current="true"` : ""}
      >${isSet ? icon("x") : ""}<span class="facet-name">${shown}</span><span class="cnt">${count}</span></a
    >
  </li>`
}
