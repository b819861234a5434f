/** `/<app>/<type>/<id>/`: the page of one object, from the declaration of its type alone. */
import { Effect } from "effect"
import { notFound } from "../../../http/HttpRefused.ts"
import type { Handler, Route } from "../../../http/Route.ts"
import { type Action, Clearance } from "../../../inventory/Clearance.ts"
import { isDictionary } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { registry } from "../../../inventory/Registry.ts"
import { representation } from "../../../inventory/derive/represent/Representation.ts"
import { readOne, viewFor } from "../../../inventory/read/Read.ts"
import { type Html, html } from "../../Html.ts"
import { columnsOf } from "../../part/list/Columns.ts"
import { framed } from "../../part/Frame.ts"
import { icon } from "../../part/Icon.ts"
import { groupOf } from "../../part/Menu.ts"
import { relatedCard, relatedTo } from "../../part/Related.ts"
import { pathOf, pluralOf } from "../../part/Title.ts"
import { attribute } from "../../part/Value.ts"

/** Fields that have a place of their own. */
const apart: ReadonlySet<string> = new Set(["comments", "custom_fields"])

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { id: text = "" } = request.params
      if (!/^\d{1,15}$/.test(text)) return yield* notFound()
      const { rows, beside } = yield* readOne(type, Number(text))
      const [row] = rows
      if (row === undefined) return yield* notFound()
      const view = yield* viewFor(type, rows, request.base, beside)
      const shown = representation(type, row, view) as Readonly<Record<string, unknown>>
      const related = yield* relatedTo(type, row.id)
      return yield* framed(request, {
        title: String(shown["display"]),
        crumbs: [[groupOf(type)], [pluralOf(type), pathOf(type)]],
        actions: html`${actions(type, row.id)}${yield* writing(type, row.id)}`,
        main: html`<div class="panels">
          <div>${attributes(type, shown)}${comments(shown["comments"])}</div>
          <div>${customFields(shown["custom_fields"])}${relatedCard(related, row.id)}</div>
        </div>`
      })
    })

const actions = (type: ObjectType, id: number): Html => {
  const changes = `/extras/object-changes/?changed_object_type=${type.id}&changed_object_id=${id}`
  return html`${type.kind === "object" ? html`<a class="btn btn-sm" href="${changes}">${icon("history")}Change log</a>` : ""}
    <a class="btn btn-sm" href="${type.path}${id}/">${icon("code")}API</a>`
}

/** Links to the forms of what the reader may do; whether this object is among those, the form tells. */
const writing = Effect.fnUntraced(function* (type: ObjectType, id: number) {
  const may = yield* Effect.map(
    Clearance,
    ({ where }) =>
      (action: Action) =>
        where(type, action).sql !== "false"
  )
  if (type.kind !== "object") return html``
  const path = pathOf(type, id)
  return html`${may("change") ? html`<a class="btn btn-sm" href="${path}edit/">${icon("pencil")}Edit</a>` : ""}
  ${may("delete") ? html`<a class="btn btn-sm" href="${path}delete/">${icon("trash")}Delete</a>` : ""}`
})

const attributes = (type: ObjectType, shown: Readonly<Record<string, unknown>>): Html =>
  html`<section class="card" aria-labelledby="attributes">
    <div class="ch"><h2 id="attributes">Attributes</h2></div>
    <dl class="attrs">
      ${columnsOf(type)
        .filter((name) => !apart.has(name) && !Object.hasOwn(type.counts, name))
        .map((name) => attribute(name, shown[name]))}
    </dl>
  </section>`

const customFields = (values: unknown): Html => {
  if (!isDictionary(values) || Object.keys(values).length === 0) return html``
  return html`<section class="card" aria-labelledby="custom-fields">
    <div class="ch"><h2 id="custom-fields">Custom fields</h2></div>
    <dl class="attrs">${Object.entries(values).map(([name, value]) => attribute(name, value))}</dl>
  </section>`
}

const comments = (text: unknown): Html =>
  typeof text !== "string" || text === ""
    ? html``
    : html`<section class="card" aria-labelledby="comments">
        <div class="ch"><h2 id="comments">Comments</h2></div>
        <div class="plain-text">${text}</div>
      </section>`

export default [...registry.values()].map((type): Route => ({
  path: `${type.path.slice("/api".length)}:id/`,
  access: type,
  methods: { GET: show(type) }
}))
