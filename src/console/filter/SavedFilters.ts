/** Saved filters of a list: a menu that applies them, with a form that saves the filters that are set. */
import { Effect } from "effect"
import type { Request } from "../../http/wire/Request.ts"
import { savedFiltersOf } from "../../http/query/SavedFilters.ts"
import { mayDo } from "../../inventory/Clearance.ts"
import { type Errors, textsIn } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { inWords } from "../fault/InWords.ts"
import { icon } from "../frame/Icon.ts"
import { fieldTitle, pathOf } from "../value/Title.ts"
import { changed, filtersOf, withQuery } from "../list/Query.ts"

export const savedFilterType = objectType("extras.savedfilter")

/** Most saved filters that the menu lists. */
const listedMax = 50

/** Values of the form that saves filters, when it was sent and not saved. */
export interface FilterDraft {
  readonly name: string
  readonly shared: boolean
  readonly errors: Errors
}

export const savedFilters = Effect.fnUntraced(function* (type: ObjectType, request: Request, unsaved?: FilterDraft) {
  const query = request.url.searchParams
  // Operations have a field of this name.
  if (Object.hasOwn(type.fields, "filter")) return html``
  const saved = yield* savedFiltersOf(type, request.principal, listedMax)
  const maySave = filtersOf(query).size > 0 && (yield* mayDo(savedFilterType, "add"))
  if (saved.length === 0 && !maySave) return html``
  return html`<details class="menu" ${unsaved === undefined ? "" : html`open`}>
    <summary class="btn btn-sm">${icon("bookmark")}Saved filters${icon("chevron-down", "chev")}</summary>
    <div class="menu-list menu-form">
      ${
        saved.length === 0
          ? ""
          : html`<ul>
              ${saved.map((each) => html`<li><a href="${applied(query, String(each["slug"]))}">${String(each["name"])}</a></li>`)}
            </ul>`
      }
      ${maySave ? saveForm(type, request, unsaved) : ""}
    </div>
  </details>`
})

/** A saved filter takes the place of the filters that are set, which would override it. */
const applied = (query: URLSearchParams, slug: string): string => {
  const others = [...filtersOf(query).keys()].map((name) => [name, undefined] as const)
  return changed(query, { ...Object.fromEntries(others), offset: undefined, filter: slug })
}

const saveForm = (type: ObjectType, request: Request, unsaved: FilterDraft | undefined): Html => {
  const { name = "", shared = false, errors = {} } = unsaved ?? {}
  const wrong = Object.entries(errors).flatMap(([field, messages]) =>
    textsIn(messages).map((message) => {
      const words = inWords({ type: savedFilterType, name: field, message, input: field === "name" ? name : undefined })
      return field === "name" ? words : `${fieldTitle(field)}: ${words}`
    })
  )
  return html`<form method="post" action="${withQuery(`${pathOf(type)}save-filter/`, request.url.searchParams)}">
    ${csrfInput(request)}
    <label class="stacked"
      >Save these filters as<input
        class="field-in"
        name="name"
        value="${name}"
        maxlength="100"
        autocomplete="off"
        required
        ${wrong.length > 0 ? html`aria-invalid="true" aria-describedby="e-save" autofocus` : ""}
    /></label>
    ${wrong.length === 0 ? "" : html`<p class="field-error" id="e-save">${wrong.join(" ")}</p>`}
    <label
      ><input class="form-check-input" type="checkbox" name="shared" value="1" ${shared ? html`checked` : ""} />For
      everybody</label
    >
    <button class="btn btn-sm btn-primary">Save</button>
  </form>`
}
