/** The bar under a list by which readers act on several objects at once. */
import type { Action } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Html, html } from "../Html.ts"
import type { IconName } from "../Sprite.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf } from "../value/Title.ts"
import { number } from "./Pager.ts"
import { withQuery } from "./Query.ts"

type Bulk = readonly [step: string, title: string, icon: IconName]

/** Actions that the reader may take on several objects of a type. */
export const bulkActions = (type: ObjectType, may: (action: Action) => boolean): ReadonlyArray<Bulk> => [
  ...(may("change") ? ([["edit", "Edit", "pencil"]] as const) : []),
  ...(may("change") && isRenamed(type) ? ([["rename", "Rename", "cursor-text"]] as const) : []),
  ...(may("delete") ? ([["delete", "Delete", "trash"]] as const) : [])
]

/** Whether objects of the type have a name that people may change. */
export const isRenamed = ({ fields }: ObjectType): boolean =>
  Object.hasOwn(fields, "name") && fields["name"]!.wire === "both" && fields["name"]!.type === "text"

interface Bar {
  readonly type: ObjectType
  readonly actions: ReadonlyArray<Bulk>
  readonly query: URLSearchParams
  readonly count: number
  readonly total: number
}

/** The buttons send the selected ids, or with `all` the filters of the list in the address of the next page. */
export const bulkBar = ({ type, actions, query, count, total }: Bar): Html =>
  html`<div class="bulk-bar" role="group" aria-label="Selected objects">
    <span class="sub" data-selected aria-live="polite">With the selected:</span>
    ${actions.map(([step, title, name]) => html`<button class="btn btn-sm" formaction="${withQuery(`${pathOf(type)}${step}/`, query)}">${icon(name)}${title}</button>`)}
    ${
      total > count
        ? html`<label class="bulk-all"
            ><input class="form-check-input" type="checkbox" name="all" value="1" />All ${number(total)} that match,
            also on other pages</label
          >`
        : ""
    }
  </div>`
