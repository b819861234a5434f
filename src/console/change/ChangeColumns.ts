/** The columns of the change log: when, the action, the object, the changed fields in words, the user, the request. */
import { Effect } from "effect"
import { type SourceObject, sourceObjects } from "../../history/source/SourceObjects.ts"
import type { Row, RowOf } from "../../inventory/Field.ts"
import type ObjectChange from "../../inventory/types/extras/ObjectChange.ts"
import { type Html, html } from "../Html.ts"
import type { Dressing } from "../list/ListColumn.ts"
import { objectWithType } from "../source/ObjectLink.ts"
import { timeOf } from "../value/Time.ts"
import { none } from "../value/Value.ts"
import { actionBadge, objectText, requestLink } from "./ChangeTable.ts"
import { changeWords } from "./ChangeWords.ts"

type Change = RowOf<typeof ObjectChange>

/** The event of a row. */
const placedRow = ({ changed_object_type: type, position, idx, time }: Row) => ({
  ...{ type: String(type), time: String(time) },
  place: `${String(position)}-${String(idx)}`
})

const objectOf = (change: Change, source: SourceObject | undefined): Html =>
  source === undefined ? html`${objectText(change)}` : objectWithType(change.changed_object_type, source)

export const changeDressing = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
  const objects = yield* sourceObjects(rows.map(placedRow))
  const words = yield* changeWords(rows as ReadonlyArray<Change>)
  const of =
    (show: (change: Change) => Html) =>
    (row: Row): Html =>
      show(row as Change)
  return {
    name: { title: "Time", field: "time", of: of(({ time }) => timeOf(time, "second")) },
    above: html``,
    aboveId: "about-changes",
    before: () => html``,
    below: () => html``,
    columns: [
      { title: "Action", field: "action", cell: of(actionBadge) },
      {
        title: "Object",
        field: "object_repr",
        cell: of(
          (change) =>
            html`<div class="did-cell">
              ${objectOf(change, objects.get(placedRow(change).place))}${words.get(change.id) ?? ""}
            </div>`
        )
      },
      {
        title: "User",
        field: "user_name",
        cell: of(({ user_name: user }) => (user === "" ? none : html`${user}`)),
        isLess: true
      },
      { title: "Request", cell: of((change) => requestLink(change)), isLess: true }
    ]
  } satisfies Dressing
})
