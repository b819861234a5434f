/**
 * The search for an object to refer to, as a page of its own: what pickers do where there are no scripts. It carries
 * what was typed into the form, and leads back with the choice filled in.
 */
import { Effect } from "effect"
import { mayView } from "../../inventory/Clearance.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Html, html } from "../Html.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { nameOf, pathOf, pluralOf } from "../value/Title.ts"
import { type Cells, cellsIn } from "../form/Cells.ts"
import { carriedInputs } from "../form/Carried.ts"
import { csrfInput } from "../form/Csrf.ts"
import { type Form, type FormField, targetOf, targetsOf } from "../form/FormField.ts"
import { itemsOf } from "../form/Labels.ts"
import { addingOf } from "./Adding.ts"
import { type TargetRow, findTargets, moreText, searchCharsMax } from "./Targets.ts"

/** The field that a button of the form wants to pick for; undefined if none does. */
export const pickedField = (form: Form, sent: URLSearchParams, button: "_pick" | "_picked"): FormField | undefined => {
  const [name] = (sent.get(button) ?? "").split(":")
  return form.fields.find((field) => field.name === name)
}

/** The cells with the object that was chosen on the page. */
export const withPicked = (field: FormField, sent: URLSearchParams, cells: Cells): Cells => {
  const id = (sent.get("_picked") ?? "").split(":")[1] ?? ""
  if (!/^\d{1,15}$/.test(id)) return cells
  const before = field.control === "references" ? itemsOf(cells[field.name] ?? "") : []
  return { ...cells, [field.name]: [...new Set([...before, id])].join(",") }
}

export const pickPage = Effect.fnUntraced(function* (
  request: Request,
  form: Form,
  field: FormField,
  sent: URLSearchParams
) {
  const { type } = form
  const target = targetOf(field, cellsIn(form, sent))
  const text = (sent.get("_q") ?? "").slice(0, searchCharsMax)
  const maySee = target !== undefined && (yield* mayView(target))
  const chosen = (name: string) => (form.fields.some((each) => each.name === name) ? sent.getAll(name) : [])
  const search = maySee ? yield* findTargets(target, text, request.base, chosen) : { found: [], more: 0 }
  const adding = target === undefined ? undefined : yield* addingOf(target, text, chosen)
  return yield* framed(request, {
    title: `Choose ${field.title}`,
    crumbs: [[groupOf(type)], [pluralOf(type), pathOf(type)]],
    main: html`<form class="card object-form pick-page" method="post">
      ${csrfInput(request)}${carriedInputs(sent)}
      <div class="pick-search">
        <label for="pick-q">Search ${targetsOf(target)}</label>
        <input
          class="field-in"
          id="pick-q"
          name="_q"
          value="${text}"
          maxlength="${searchCharsMax}"
          autocomplete="off"
          autofocus
        />
        <button class="btn btn-sm btn-primary" name="_pick" value="${field.name}">${icon("search")}Search</button>
        <button class="btn btn-sm" name="_again" value="${field.name}">Back to the form</button>
      </div>
      ${target === undefined ? html`<p>Choose the type of the object first.</p>` : found(field, target, search.found, search.more)}
      ${adding === undefined ? "" : html`<p class="links"><a href="${adding.form}" target="_blank">Add a new ${adding.what}</a> in a new tab, then search for it here.</p>`}
    </form>`
  })
})

const found = (field: FormField, target: ObjectType, objects: ReadonlyArray<TargetRow>, more: number): Html =>
  objects.length === 0
    ? html`<p>No ${nameOf(target)} matches. Only objects that you may view are searched.</p>`
    : html`<ul class="pick-list">
          ${objects.map(
            ({ id, display, detail }) =>
              html`<li>
                <button name="_picked" value="${field.name}:${id}">
                  ${display}${detail === "" ? "" : html`<span class="sub">${detail}</span>`}
                </button>
              </li>`
          )}
        </ul>
        ${more > 0 ? html`<p class="sub">There are ${moreText(more)}. Search for more words of the name.</p>` : ""}`
