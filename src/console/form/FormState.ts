/** The page of a form in the state that it has: as it was opened, as it was sent, refused, or in conflict. */
import { Effect } from "effect"
import type { Request } from "../../http/wire/Request.ts"
import type { Errors, Row, View } from "../../inventory/Field.ts"
import { etagHeader } from "../../http/wire/Etag.ts"
import { type Html, html } from "../Html.ts"
import { framed } from "../frame/Frame.ts"
import { groupOf } from "../frame/Menu.ts"
import { typesBelow } from "../source/TypeChoice.ts"
import { type SentImages, imageInputs } from "../image/ImageInputs.ts"
import { nameOf, pathOf, pluralOf } from "../value/Title.ts"
import { buildersOf } from "../builder/Builder.ts"
import { type Cells, cellsOf } from "./Cells.ts"
import { type Conflict, conflicting } from "./Conflict.ts"
import { inputId } from "./Control.ts"
import { tokenOf } from "./Csrf.ts"
import type { Form } from "./FormField.ts"
import { labelsOf } from "./Labels.ts"
import { objectForm } from "./ObjectForm.ts"

/** The object that a form changes. */
export interface Existing {
  readonly row: Row
  readonly view: View
  readonly display: string
  /** The ETag and the cells of when the form was opened. */
  readonly version: string | undefined
  readonly was: Cells
}

export interface FormState {
  readonly form: Form
  readonly object?: Existing | undefined
  readonly cells: Cells
  /** The images that the form sent. */
  readonly images?: SentImages | undefined
  readonly errors?: Errors
  readonly conflict?: Conflict | undefined
  readonly focus?: string | undefined
  /** Shown above the form. */
  readonly note?: Html | undefined
}

export const versionOf = (row: Row): string | undefined => etagHeader(row)["etag"]

export const formState = Effect.fnUntraced(function* (request: Request, state: FormState) {
  const { form, object, cells, images = {}, errors = {}, conflict, focus, note } = state
  const { type } = form
  const list = pathOf(type)
  const all = conflict === undefined ? [cells] : [cells, conflict.was, conflict.now]
  const labels = yield* labelsOf(form, all, request.base, object?.view)
  const isWrong = Object.keys(errors).length > 0
  return yield* framed(request, {
    title: object === undefined ? `Add ${nameOf(type)}` : `Edit ${nameOf(type)} ${object.display}`,
    crumbs: [
      [groupOf(type)],
      [pluralOf(type), list],
      ...(object === undefined ? [] : ([[object.display, pathOf(type, object.row.id)]] as const))
    ],
    main: html`${note ?? ""}${conflict === undefined ? "" : conflictNote(form, conflict, cells)}${objectForm({
      ...{ form, cells, labels, errors, conflict, focus, below: yield* belowFields(form, cells) },
      isUnsaved: isWrong || (conflict ?? focus ?? note) !== undefined,
      token: tokenOf(request),
      images: (wrong) => imageInputs({ ...wrong, type, object, sent: images }),
      object: object === undefined ? undefined : { id: object.row.id, version: object.version, was: object.was },
      cancel: object === undefined ? list : pathOf(type, object.row.id)
    })}`,
    status: conflict !== undefined ? 412 : isWrong ? 400 : 200
  })
})

/** Parts below the inputs of fields: builders, and the object types of the source that the form names. */
const belowFields = Effect.fnUntraced(function* ({ type, fields }: Form, cells: Cells) {
  const below = new Map(yield* buildersOf(type.id, cells))
  for (const { name, sourceIn } of fields)
    if (sourceIn !== undefined) below.set(name, yield* typesBelow(cells[sourceIn] ?? ""))
  return below
})

const conflictNote = (form: Form, conflict: Conflict, cells: Cells): Html => {
  const fields = conflicting(form, conflict, cells)
  return html`<div class="alert-line alert-bad" role="alert">
    <b>Somebody else has changed this object since you opened the form. Nothing was saved.</b>
    <div class="links">
      ${
        fields.length === 0
          ? "None of your values differs from the object as it is now. Save again to continue."
          : html`Choose which value is saved, then save again:
            ${fields.map((field, at) => html`${at === 0 ? "" : ", "}<a href="#${inputId(field)}">${field.title}</a>`)}.`
      }
    </div>
  </div>`
}

/** An object as a form is opened for it. */
export const existing = (form: Form, { row, view, display }: Pick<Existing, "row" | "view" | "display">): Existing => ({
  row,
  view,
  display,
  version: versionOf(row),
  was: cellsOf(form, row)
})
