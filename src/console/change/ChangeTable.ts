/** A table of changes: when, what, to which object, by whom, in which request. */
import type { Change } from "../../inventory/read/Changes.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import { type Html, html } from "../Html.ts"
import { inSource } from "../source/ObjectLink.ts"
import { denseTable } from "../frame/DenseTable.ts"
import { timeOf } from "../value/Time.ts"
import { nameOfType, pathOf } from "../value/Title.ts"
import { badge, none } from "../value/Value.ts"

const actions = changeType.fields.action.choices!

export const actionBadge = ({ action }: Pick<Change, "action">): Html => badge(action, actions[action] ?? action)

/** `site Oslo`. */
export const objectText = ({
  changed_object_type: id,
  changed_object_id: key,
  object_repr: display
}: Pick<Change, "changed_object_type" | "changed_object_id" | "object_repr">): string =>
  `${nameOfType(id)} ${display === "" ? `#${key}` : display}`

/** The name of the source of a change, as it was then; undefined for the inventory. */
export const sourceOf = ({ source }: Pick<Change, "source">): string | undefined =>
  isDictionary(source) && typeof source["name"] === "string" ? source["name"] : undefined

type Column = "object" | "request"

interface TableLook {
  readonly caption: string
  readonly hides: ReadonlyArray<Column>
  /** The words of each change by its id (ChangeWords.ts); a column of the table. */
  readonly words?: ReadonlyMap<number, Html>
  readonly current?: number
}

/** `hides` leaves out columns that say the same in every row; `current` is the change of the page. */
export const changeTable = (changes: ReadonlyArray<Change>, { caption, hides, words, current }: TableLook): Html => {
  const [hidesObject, hidesRequest] = [hides.includes("object"), hides.includes("request")]
  return denseTable(
    caption,
    html`<th scope="col">Time</th>
      <th scope="col">Action</th>
      ${hidesObject ? "" : html`<th scope="col">Object</th>`}
      ${hidesObject && words !== undefined ? html`<th scope="col">Changed</th>` : ""}
      <th scope="col" class="lo">User</th>
      ${hidesRequest ? "" : html`<th scope="col" class="lo">Request</th>`}`,
    changes.map(
      (change) =>
        html`<tr ${change.id === current ? html` class="current"` : ""}>
          <th scope="row" class="nowrap">
            <a href="${pathOf(changeType, change.id)}" ${change.id === current ? html` aria-current="page"` : ""}
              >${timeOf(change.time, "second")}</a
            >
          </th>
          <td>${actionBadge(change)}</td>
          ${hidesObject && words === undefined ? "" : html`<td class="did-cell">${hidesObject ? "" : html`${objectText(change)}${inSource(sourceOf(change))}`}${words?.get(change.id) ?? ""}</td>`}
          <td class="lo">${change.user_name === "" ? none : change.user_name}</td>
          ${hidesRequest ? "" : html`<td class="lo">${requestLink(change)}</td>`}
        </tr>`
    )
  )
}

/** The way to everything that the request changed. */
export const requestLink = ({ request_id: id }: Pick<Change, "request_id">, length = 8): Html =>
  html`<a class="mono" href="${pathOf(changeType)}?request_id=${id}" title="${id}">${id.slice(0, length)}</a>`
