/**
 * The input that refers to objects of a type. Without scripts it takes ids and keys; `picker.js` makes a combobox of it.
 * Forms, filters and bulk edits have the same one.
 */
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { pathOf } from "../value/Title.ts"
import { narrowing } from "./Narrowing.ts"

interface PickerParts {
  /** The input of text, with its id and its name. */
  readonly input: Html
  /** Undefined as long as no type is chosen. */
  readonly target: ObjectType | undefined
  /** The displays of chosen objects, by what is sent for them. */
  readonly labels: Readonly<Record<string, string>>
  readonly isMany: boolean
  /** The parameter that is sent once for each object; without it one input has them all, with commas. */
  readonly each?: string | undefined
  /** The other fields of the form, and the input of each: their values narrow the choice. */
  readonly fields: ReadonlyArray<string>
  readonly inputOf: (field: string) => string
  /** The field that has the id of the type, and the types that it may have, where there are several. */
  readonly typeFrom?: { readonly field: string; readonly types: ReadonlyArray<string> } | undefined
  /** Whether a new object can be added from it. */
  readonly adds?: boolean
  /** Shown before the input and behind it. */
  readonly before?: Html | ""
  readonly behind?: Html | ""
}

export const pickerInput = (parts: PickerParts): Html => {
  const { target, labels, isMany, each, inputOf, typeFrom } = parts
  const narrows = target === undefined ? [] : narrowing(target, parts.fields)
  const narrowedBy = narrows.map((name) => (inputOf(name) === name ? name : `${name}:${inputOf(name)}`)).join(" ")
  return html`<div
    class="picker"
    data-picker
    data-path="${target === undefined ? "" : pickPathOf(target)}"
    data-labels="${JSON.stringify(labels)}"
    ${isMany ? html` data-many` : ""}${parts.adds === true ? html` data-adds` : ""}
    ${each === undefined ? "" : html` data-each="${each}"`}
    ${narrowedBy === "" ? "" : html` data-narrowed-by="${narrowedBy}"`}
    ${typeFrom === undefined ? "" : html` data-type-from="${inputOf(typeFrom.field)}" data-paths="${JSON.stringify(pathsOf(typeFrom.types))}"`}
  >
    ${parts.before ?? ""}${parts.input}${parts.behind ?? ""}
  </div>`
}

/** Where objects of the type are searched. */
const pickPathOf = (target: ObjectType): string => `${pathOf(target)}pick/`

const pathsOf = (types: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(types.map((id) => [id, pickPathOf(objectType(id))]))

/** Chosen values; the script gives each a button that removes it. */
export const chosenChips = (items: ReadonlyArray<Html | string>): Html =>
  html`<ul class="chips" data-chips>
    ${items.map((item) => html`<li class="chip-v">${item}</li>`)}
  </ul>`
