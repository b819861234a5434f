/**
 * `/help/object-types/pick/`: the object types that a webhook can listen to, for the picker of its form: those of the
 * source that the form names, or of the inventory. Without scripts the form lists those of the source.
 */
import { Effect } from "effect"
import { type SourceRow, sourceNamed } from "../../history/source/SourceNames.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { registry } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { titleOfType } from "../value/Title.ts"

export const typeChoicePath = "/help/object-types/pick/"

/** Most types that a search shows. */
const shownMax = 50

const inventoryTypes: ReadonlyArray<string> = [...registry.values()].flatMap(({ kind, id }) =>
  kind === "object" ? [id] : []
)

/** The types of a source; those of the inventory, which a NetBox has as well, until it was read. */
const typesOf = (source: SourceRow | undefined): ReadonlyArray<string> => {
  const own = source?.object_types ?? []
  return own.length === 0 ? inventoryTypes : own
}

/** The types with a title, by their titles. */
const titled = (types: ReadonlyArray<string>) =>
  types
    .map((id) => ({ id, display: titleOfType(id) }))
    .sort((a, b) => (a.display.toLowerCase() < b.display.toLowerCase() ? -1 : 1))

const show: Handler = ({ url: { searchParams: query } }) =>
  Effect.gen(function* () {
    const word = (query.get("q") ?? "").trim().toLowerCase()
    const source = yield* sourceNamed(query.get("source") ?? "")
    const chosen = new Set(query.getAll("content_types").flatMap((each) => each.split(",")))
    const found = titled(typesOf(source)).filter(
      ({ id, display }) => !chosen.has(id) && `${id} ${display}`.toLowerCase().includes(word)
    )
    const results = found.slice(0, shownMax).map((each) => ({ ...each, detail: each.id }))
    return { status: 200, json: { results, more: found.length - results.length } }
  })

/** The types of the source that a form names, for readers without scripts; nothing for a form without a source. */
export const typesBelow = Effect.fnUntraced(function* (named: string) {
  const source = yield* sourceNamed(named)
  if (source === undefined) return html``
  return html`<details class="no-script sub">
    <summary>Object types of ${source.name}</summary>
    <p>
      ${typesOf(source)
        .toSorted()
        .map((id, at): Html => html`${at === 0 ? "" : ", "}<code>${id}</code>`)}
    </p>
  </details>`
})

export default { path: typeChoicePath, access: "open", methods: { GET: show } } satisfies Route
