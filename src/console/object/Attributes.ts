/** The fields of an object and their values, grouped by meaning. Empty ones are folded, and times are last and small. */
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { perType } from "../../inventory/ObjectType.ts"
import { isLeftOut } from "../../inventory/image/ImageField.ts"
import type { Panel } from "../../inventory/page/Panel.ts"
import { type Html, html } from "../Html.ts"
import { shownColumns } from "../list/Columns.ts"
import { fieldValue, isEmpty } from "../value/FieldValue.ts"
import { timeOf } from "../value/Time.ts"
import { capital, fieldTitle, nameOf } from "../value/Title.ts"
import { emptyFields } from "./CustomFieldsCard.ts"
import { meaningOf } from "./Meaning.ts"

type Values = Readonly<Record<string, unknown>>

/** Fields that have a place of their own. */
const apart: ReadonlySet<string> = new Set(["comments", "custom_fields", "tags", "created", "last_updated"])

/** The fields of the card by their group, in its order; those of declared panels are left out. */
const groupsOf = perType((type): ReadonlyArray<readonly [title: string, fields: ReadonlyArray<string>]> => {
  const declared = new Set(type.panels.flatMap((panel) => fieldsShownBy(type, panel)))
  const units = new Set(Object.values(type.units).map((unit) => (typeof unit === "string" ? "" : unit.in)))
  const names = shownColumns(type).filter(
    (name) => !apart.has(name) && !declared.has(name) && !units.has(name) && !Object.hasOwn(type.counts, name)
  )
  return meaningOf(type, names)
})

/** The fields whose values a panel shows: attributes of its own, and optional images. */
const fieldsShownBy = ({ fields }: ObjectType, panel: Panel): ReadonlyArray<string> => {
  if (panel.kind === "attributes") return panel.fields
  const isOwn = panel.kind === "images" && panel.of === "self" && panel.via === undefined
  return isOwn ? Object.keys(fields).filter((name) => isLeftOut(fields[name]!)) : []
}

/** `shown`: the object's representation. */
export const attributesCard = (type: ObjectType, shown: Values): Html => {
  const groups = groupsOf(type)
  const filled = groups.flatMap(([title, names]) => {
    const own = names.filter((name) => !isEmpty(shown[name]))
    return own.length === 0 ? [] : [[title, own] as const]
  })
  const empty = groups.flatMap(([, names]) => names.filter((name) => isEmpty(shown[name])))
  return html`<section class="card" aria-labelledby="attributes">
    <div class="ch"><h2 id="attributes">${capital(nameOf(type))}</h2></div>
    ${filled.map(
      ([title, names]) =>
        html`${filled.length > 1 && title !== "" ? html`<h3 class="group">${title}</h3>` : ""}${attributeList(type, names, shown)}`
    )}
    ${tagList(shown["tags"])} ${emptyFields(empty.map(fieldTitle))} ${timesOf(shown)}
  </section>`
}

/** Attributes with their titles. */
export const attributeList = (type: ObjectType, names: ReadonlyArray<string>, shown: Values): Html =>
  html`<dl class="attrs">
    ${names.map(
      (name) =>
        html`<dt>${fieldTitle(name)}</dt>
          <dd>${fieldValue(type, name, shown)}</dd>`
    )}
  </dl>`

const tagList = (tags: unknown): Html =>
  !Array.isArray(tags) || tags.length === 0
    ? html``
    : html`<dl class="attrs">
        <dt>Tags</dt>
        <dd>${fieldValue(undefined, "tags", { tags })}</dd>
      </dl>`

const timesOf = ({ created, last_updated: updated }: Values): Html => {
  if (typeof created !== "string") return html``
  return html`<p class="times">
    Created
    ${timeOf(created)}${typeof updated === "string" && updated !== created ? html`, last changed ${timeOf(updated)}` : ""}
  </p>`
}
