/** Objects of sources, which are not in the inventory: their pages are those of NetBox. */
import type { SourceObject } from "../../history/source/SourceObjects.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { sourceType } from "../../history/source/SourceNames.ts"
import { nameOfType, pathOf } from "../value/Title.ts"
import { shortened } from "../list/Cell.ts"

/** The object: a link that leaves the console where its NetBox has an address. */
export const objectLink = (object: SourceObject): Html => {
  const { sourceName, address } = object
  const text = textOf(object)
  return address === undefined ? html`${text}` : leaving(address, text, `opens ${sourceName} in a new tab`)
}

const textOf = ({ id, display }: SourceObject): string => (display === "" ? `#${id}` : shortened(display))

/** A link that leaves the console. */
const leaving = (address: string, text: string, hint: string): Html =>
  html`<a class="leaves" href="${address}" target="_blank" rel="noopener noreferrer"
    >${text}${icon("external-link")}<span class="visually-hidden"> (${hint})</span></a
  >`

/** The object of a source in the cell of a list: its type, the object and its source. */
export const objectWithType = (type: string, object: SourceObject): Html =>
  html`<span class="sub">${nameOfType(type)}</span> ${objectLink(object)}${inSource(object.sourceName)}`

/** The way to an object from a change of it: the name of its source, which leads there. */
export const inSourceLink = (object: SourceObject): Html =>
  object.address === undefined
    ? inSource(object.sourceName)
    : html`<span class="sub">
        · ${leaving(object.address, object.sourceName, `opens ${textOf(object)} in a new tab`)}</span
      >`

/** The source: a link to its page, where the reader may view it. */
export const sourceLink = ({ sourceName: name, sourceId: id }: SourceObject): Html =>
  id === undefined ? html`${name}` : html`<a href="${pathOf(sourceType, id)}">${name}</a>`

/** The name of a source behind what is of it; nothing for the inventory. */
export const inSource = (name: string | undefined): Html =>
  name === undefined ? html`` : html` <span class="sub">· ${name}</span>`
