/** Parts of the list of a type beside those of its declaration. */
import type { Effect } from "effect"
import type { Refusal, Services } from "../../http/Route.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { Row } from "../../inventory/Field.ts"
import { type Html, html } from "../Html.ts"
import { changed } from "./Query.ts"
import { changeDressing } from "../change/ChangeColumns.ts"
import { sourceDressing } from "../source/SourceColumns.ts"
import { webhookDressing } from "../webhook/WebhookColumns.ts"
import type { Dressing } from "./ListColumn.ts"

type Dress = (rows: ReadonlyArray<Row>) => Effect.Effect<Dressing, Refusal, Services>

const dressings: ReadonlyMap<string, Dress> = new Map<string, Dress>([
  ["extras.webhook", webhookDressing],
  ["extras.objectchange", changeDressing],
  ["extras.source", sourceDressing]
])

/** Undefined for a type whose list is as its declaration says. */
export const dressingOf = (type: string): Dress | undefined => dressings.get(type)

/** Whether the list follows what changes by itself: those that the engine writes. */
export const isLive = ({ id, isReadOnly }: Pick<ObjectType, "id" | "isReadOnly">): boolean =>
  isReadOnly || dressings.has(id)

/** Frequent lists, as filters of the type. */
const viewsOf: ReadonlyMap<
  string,
  ReadonlyArray<readonly [title: string, filters: Readonly<Record<string, string>>]>
> = new Map([
  [
    "extras.webhook",
    [
      ["All", {}],
      ["Failing", { health: "failing" }],
      ["Paused", { paused: "true" }],
      ["Silent for a week", { silent: "true" }]
    ]
  ]
])

/**
 * Links to the frequent lists of a type; nothing for types without them. A list replaces another, and keeps further
 * filters.
 */
export const views = ({ id }: ObjectType, query: URLSearchParams): Html => {
  const all = viewsOf.get(id)
  if (all === undefined) return html``
  const names = [...new Set(all.flatMap(([, filters]) => Object.keys(filters)))]
  return html`<nav class="spans" aria-label="Views">
    ${all.map(([title, filters]) => {
      const wanted = Object.fromEntries(names.map((name) => [name, filters[name]]))
      const isNow = names.every((name) => (query.get(name) ?? undefined) === filters[name])
      return html`<a
        class="btn btn-sm"
        href="${changed(query, { ...wanted, offset: undefined })}"
        ${isNow ? html`aria-current="true"` : ""}
        >${title}</a
      >`
    })}
  </nav>`
}
