/** The table of the list of deliveries. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { type SourceObject, objectsOfDeliveries } from "../../history/source/SourceObjects.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { type Row, type View, isDictionary } from "../../inventory/Field.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { type Html, html } from "../Html.ts"
import { cellValue, shortened } from "../list/Cell.ts"
import { heading, selectAll, selectCell } from "../list/ObjectTable.ts"
import { number } from "../list/Pager.ts"
import { linksLeave } from "../frame/InPlace.ts"
import { objectWithType } from "../source/ObjectLink.ts"
import { timeOf } from "../value/Time.ts"
import { nameOfType, pathOf, titleOfType } from "../value/Title.ts"
import { none, valueOf } from "../value/Value.ts"

interface DeliveryTable {
  readonly rows: ReadonlyArray<Row>
  readonly view: View
  readonly columns: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly isSelectable: boolean
}

type DeliveryView = Readonly<Record<string, unknown>>

const objectCell = ({ object, object_type: type, object_id: id }: DeliveryView, source?: SourceObject): Html => {
  if (source !== undefined) return objectWithType(String(type), source)
  const name = isDictionary(object) ? cellValue(object) : html`#${String(id)}`
  return html`<span class="sub">${nameOfType(String(type))}</span> ${name}`
}

/** A code and, where the delivery did not succeed, its cause. */
const answerCell = ({ response_status: code, reason, message }: DeliveryView): Html => {
  const cause = reason === "" || reason === null || reason === undefined ? "" : String(reason)
  if (typeof code !== "number") {
    return cause === "" ? none : html`<span title="${shortened(String(message))}">${cause}</span>`
  }
  return html`<span class="mono" title="${shortened(String(message ?? ""))}">${code}</span
    >${cause === "" || cause === "Status" ? "" : ` ${cause}`}`
}

/** `source`: the object of the event, if it is one of a source. */
type DeliveryCell = (shown: DeliveryView, source: SourceObject | undefined) => Html

const cells: Readonly<Record<string, { readonly title: string; readonly of: DeliveryCell }>> = {
  object: { title: "Object", of: objectCell },
  object_type: {
    title: "Object type",
    of: ({ object_type: type }, source) => html`${titleOfType(String(type), source?.sourceName)}`
  },
  status: { title: "Outcome", of: ({ status }) => valueOf(status) },
  webhook: {
    title: "Webhook",
    of: ({ webhook }) => (webhook === null ? html`<span class="sub">deleted</span>` : cellValue(webhook))
  },
  duration_ms: {
    title: "Duration",
    of: ({ duration_ms: millis }) => (typeof millis === "number" ? html`${number(millis)} ms` : none)
  },
  next_attempt: {
    title: "Next attempt",
    of: ({ next_attempt: next }) => (typeof next === "string" ? timeOf(next, "second") : none)
  },
  response_status: { title: "Code or cause", of: answerCell }
}

/** Columns that small screens show beside the time. */
const onSmallScreens: ReadonlySet<string> = new Set(["object", "status"])

export const deliveryRows = ({ rows, view, columns, query, isSelectable }: DeliveryTable) => {
  const others = columns.filter((name) => name !== "time")
  const hidden = (name: string) => (onSmallScreens.has(name) ? "" : html` class="lo"`)
  const cellOf = (name: string, shown: DeliveryView, source: SourceObject | undefined): Html =>
    Object.hasOwn(cells, name) ? cells[name]!.of(shown, source) : cellValue(shown[name])
  return Effect.gen(function* () {
    const objectIn = yield* objectsOfDeliveries(rows)
    const body = yield* mapInSlices(rows, (row): Html => {
      const shown = representation(deliveryType, row, view) as DeliveryView
      const object = objectIn(row)
      const id = shortened(String(shown["delivery_id"]))
      return html`<tr>
        ${isSelectable ? selectCell(row.id, id) : ""}
        <th scope="row"><a href="${pathOf(deliveryType, row.id)}">${timeOf(String(shown["time"]), "second")}</a></th>
        ${others.map((name) => html`<td${hidden(name)}>${cellOf(name, shown, object)}</td>`)}
      </tr>`
    })
    return html`<div class="table-responsive" id="objects" data-live-rows>
      <table class="table table-vcenter card-table dense">
        <caption class="visually-hidden">
          Deliveries
        </caption>
        <thead>
          <tr>
            ${isSelectable ? selectAll : ""}${heading(deliveryType, "time", query, false)}${others.map((name) => heading(deliveryType, name, query, !onSmallScreens.has(name), cells[name]?.title))}
          </tr>
        </thead>
        <tbody ${linksLeave}>
          ${body}
        </tbody>
      </table>
    </div>`
  })
}
