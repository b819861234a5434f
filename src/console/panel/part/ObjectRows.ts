/** A table of objects on the page of another one: their names, and the fields that a panel shows of them. */
import { Effect } from "effect"
import { mapInSlices } from "../../../eventloop/Slices.ts"
import type { Row } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { representation } from "../../../inventory/derive/represent/Representation.ts"
import { type Beside, type Page, readPage, viewOfRows } from "../../../inventory/read/Read.ts"
import { type Html, html } from "../../Html.ts"
import { shortened } from "../../list/Cell.ts"
import { fieldCell } from "../../value/FieldValue.ts"
import { fieldTitle, pathOf } from "../../value/Title.ts"

interface ObjectRows {
  readonly title: string
  readonly type: ObjectType
  /** The objects as `tableOf` reads them, and one more than `rowsMax` if there are more. */
  readonly rows: ReadonlyArray<Row>
  readonly beside: Beside
  readonly rowsMax: number
  readonly shows: ReadonlyArray<string>
  /** The base of public addresses. */
  readonly base: string
  /** The list of all of them. */
  readonly all: string
}

/** Reads the objects of a table with the objects that its columns name, in one statement. */
export const tableOf = (type: ObjectType, page: Page, shows: ReadonlyArray<string>) => {
  const fields = [...type.displayBy, ...shows].flatMap((name) => typeFieldOf(type, name) ?? name)
  return readPage(type, page, { isWhole: true, fields: fields.filter((name) => Object.hasOwn(type.fields, name)) })
}

/** The field with the type of the object that the column shows, where that may be of several types. */
const typeFieldOf = (type: ObjectType, column: string): string | undefined =>
  Object.keys(type.fields).find((name) => type.fields[name]!.generic?.id === `${column}_id`)

export const objectRows = Effect.fnUntraced(function* ({
  title,
  type,
  rows,
  beside,
  rowsMax,
  shows,
  base,
  all
}: ObjectRows) {
  const own = new Map([...(beside.related.get(type.id) ?? []), ...rows.map((row) => [row.id, row] as const)])
  const view = yield* viewOfRows(new Map([...beside.related, [type.id, own]]), base, (id, key) =>
    id === type.id ? beside.counts.get(key) : undefined
  )
  const lines = yield* mapInSlices(rows.slice(0, rowsMax), (each) => {
    const shown = representation(type, each, view)
    return html`<tr>
      <th scope="row"><a href="${pathOf(type, each.id)}">${shortened(String(shown["display"]))}</a></th>
      ${shows.map((name, at) => html`<td${less(at)}>${fieldCell(type, name, shown)}</td>`)}
    </tr>`
  })
  return html`<div class="table-responsive">
      <table class="table table-vcenter card-table dense">
        <caption class="visually-hidden">
          ${title}
        </caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            ${shows.map((name, at) => html`<th scope="col" ${less(at)}>${fieldTitle(name)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${lines}
        </tbody>
      </table>
    </div>
    ${rows.length > rowsMax ? html`<p class="note sub">The first ${rowsMax} are shown. <a href="${all}">Show all</a></p>` : ""}`
})

/** All columns but the name and the first one are hidden on small screens. */
const less = (at: number): Html => (at > 0 ? html` class="lo"` : html``)
