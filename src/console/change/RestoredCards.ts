/** The cards about the objects of a restored set: not restored and why, created, referring to a restored object again. */
import type { Errors, Messages } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { LoggedObject } from "../../inventory/restore/Members.ts"
import type { Omission } from "../../inventory/restore/Omission.ts"
import type { RestoreResult, RestoredObject } from "../../inventory/restore/Restore.ts"
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { counted } from "../bulk/BulkPage.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { fieldTitle, inSentence, nameOf, pathOf } from "../value/Title.ts"

/** Most objects of a type that a card names, and most objects that are not restored. */
const namedMax = 20
const omittedMax = 100

/** New ids lead to pages only once they are stored. */
type Stage = "preview" | "done"

export const restoredCards = ({ created, reconnected, omitted }: RestoreResult, stage: Stage): Html => {
  if (created.length + reconnected.length + omitted.length === 0) return html``
  const sub = stage === "preview" ? html`<span class="sub">Nothing is saved yet.</span>` : ""
  return html`${omittedCard(omitted, sub)}${groupCard("Restored with it", created, stage, sub)}
  ${groupCard("Refer to it again", reconnected, stage, sub)}`
}

const card = (title: string, count: number, sub: Html | string, content: Html): Html => {
  const id = inSentence(title).replaceAll(" ", "-")
  return html`<section class="card" aria-labelledby="${id}">
    <div class="ch">
      <h2 id="${id}">${title}</h2>
      <span class="cnt">${number(count)}</span>${sub}
    </div>
    ${content}
  </section>`
}

const groupCard = (title: string, objects: ReadonlyArray<RestoredObject>, stage: Stage, sub: Html | string): Html => {
  if (objects.length === 0) return html``
  const groups = [...Map.groupBy(objects, ({ object }) => object.type)]
  return card(
    title,
    objects.length,
    sub,
    html`<ul class="restored">
      ${groups.map(
        ([type, own]) =>
          html`<li class="links">
            <b>${counted(type, own.length)}</b>:
            ${own.slice(0, namedMax).map(({ object, id }, at) => {
              // An object that was not deleted is there in a preview too.
              const isThere = stage === "done" || id === object.id
              const name = nameIn(object)
              return html`${at === 0 ? "" : ", "}${isThere ? html`<a href="${pathOf(type, id)}">${name}</a>` : name}`
            })}${own.length > namedMax ? `, and ${number(own.length - namedMax)} more` : ""}
          </li>`
      )}
    </ul>`
  )
}

const omittedCard = (omitted: ReadonlyArray<Omission>, sub: Html | string): Html =>
  omitted.length === 0
    ? html``
    : card(
        "Not restored",
        omitted.length,
        sub,
        html`<ul class="restored omitted">
          ${omitted.slice(0, omittedMax).map((each) => html`<li><b>${titleOf(each)}</b>: ${reasonText(each)}</li>`)}
          ${omitted.length > omittedMax ? html`<li>and ${number(omitted.length - omittedMax)} more</li>` : ""}
        </ul>`
      )

const nameIn = ({ name, id }: LoggedObject): string => (name === "" ? `#${id}` : name)

/** `interface eth1`; with the fields of a part: `device core-1, Primary IPv4`. */
const titleOf = ({ object, fields = [] }: Omission): string =>
  [`${nameOf(object.type)} ${nameIn(object)}`, ...fields.filter(isNoId).map(fieldTitle)].join(", ")

/** The id of a reference to one of several types goes without saying beside its type. */
const isNoId = (field: string, _: number, all: ReadonlyArray<string>): boolean =>
  !field.endsWith("_id") || !all.includes(field.replace(/_id$/, "_type"))

const reasonText = ({ object, reason, fields }: Omission): Html | string => {
  switch (reason.kind) {
    case "refused":
      return html`${Object.entries(reason.errors).map(([name, messages], at) => html`${at === 0 ? "" : " "}${faultIn(object.type, name, messages)}`)}`
    case "not allowed":
      return fields === undefined ? "You may not add it." : "You may not set it."
    case "without":
      return `Its ${inSentence(fieldTitle(reason.field))} is not restored.`
    case "circle":
      return "It needs another object that needs it."
    case "changed":
      return "It has another value by now."
    case "closed":
      return "It no longer exists, or you may not change it."
  }
}

/** The errors of a write by the titles of its fields. */
export const faultsOf = (type: ObjectType, errors: Errors): Html =>
  html`${Object.entries(errors).map(([name, messages]) => html`<div>${faultIn(type, name, messages)}</div>`)}`

const faultIn = (type: ObjectType, name: string, messages: Messages): Html =>
  html`${name.startsWith("_") ? "" : html`<b>${fieldTitle(name)}</b>: `}${inWordsAll({ type, name, messages })}`
