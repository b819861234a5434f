/** The value of a field as people read it: by its declaration, where the value alone does not say enough. */
import type { SourceNames } from "../../history/source/SourceNames.ts"
import { holdsTypes } from "../../inventory/Grammar.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { isNumber } from "../../postgres/ExactJson.ts"
import { type Html, html } from "../Html.ts"
import { cellValue } from "../list/Cell.ts"
import { peer } from "./Peer.ts"
import { swatch } from "./Swatch.ts"
import { titleOfType } from "./Title.ts"
import { withUnit } from "./Unit.ts"
import { badge, none, valueOf } from "./Value.ts"

export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)

/** Whether the values of the field are names of object types as the API writes them. */
const isOfTypes = (type: ObjectType | undefined, name: string): boolean => {
  const field = type?.fields[name]
  return field !== undefined && (field.generic !== undefined || holdsTypes(field))
}

/** Whether it is the object of a reference that may lead to several types: an interface is named with its device. */
const isGenericObject = (type: ObjectType, name: string): boolean =>
  Object.values(type.fields).some(({ generic }) => generic?.id === `${name}_id`)

/** Most objects of a list that are named. */
const namedMax = 8

/** `shown`: the representation of the object. */
export const fieldValue = (
  type: ObjectType | undefined,
  name: string,
  shown: Readonly<Record<string, unknown>>
): Html => {
  const value = shown[name]
  const special = type === undefined ? undefined : specialValue(type, name, value, shown)
  return special ?? (isPeerField(name) && Array.isArray(value) ? peersOf(value) : valueOf(value))
}

/** The same in the cell of a list: the beginning of a long value. `sourceOf` names the sources of object types. */
export const fieldCell = (
  type: ObjectType,
  name: string,
  shown: Readonly<Record<string, unknown>>,
  sourceOf: SourceNames = () => undefined
): Html => {
  const value = shown[name]
  const special =
    typeof value === "string" && type.fields[name]?.describes !== undefined
      ? html`${titleOfType(value, sourceOf(value))}`
      : specialValue(type, name, value, shown)
  return special ?? (isPeerField(name) && Array.isArray(value) ? peersOf(value) : cellValue(value))
}

/** Undefined for a value that its shape says enough of. */
const specialValue = (
  type: ObjectType,
  name: string,
  value: unknown,
  shown: Readonly<Record<string, unknown>>
): Html | undefined => {
  if (isEmpty(value)) return undefined
  const field = type.fields[name]
  if (isOfTypes(type, name)) return typeNames(value)
  if (field?.reference?.ends !== undefined && Array.isArray(value)) return endsOf(value)
  if (isGenericObject(type, name) && isDictionary(value)) return peer(value)
  if (field?.format === "color") return html`${swatch(value)}<span class="mono">${String(value)}</span>`
  if (field?.imageFolder !== undefined) return imageLink(String(value))
  if (field?.choices !== undefined && typeof value === "string") return badge(value, field.choices[value] ?? value)
  const unit = type.units[name]
  if (unit === undefined || !isNumber(value)) return undefined
  return html`${withUnit(Number(value), typeof unit === "string" ? unit : unitIn(shown[unit.in]))}`
}

/** The name of a file, which leads to it. */
const imageLink = (address: string): Html =>
  html`<a href="${address}" target="_blank" rel="noopener">${address.slice(address.lastIndexOf("/") + 1)}</a>`

const unitIn = (unit: unknown): string => (isDictionary(unit) ? String(unit["value"]) : String(unit ?? ""))

const isPeerField = (name: string): boolean => name === "link_peers" || name === "connected_endpoints"

/** Ports, each with its device. */
const peersOf = (ends: ReadonlyArray<unknown>): Html => listOf(ends.filter(isDictionary).map(peer), ends.length)

/** The ends of a side of a cable: each with its device, and the kind of port. */
const endsOf = (ends: ReadonlyArray<unknown>): Html => {
  const found = ends.slice(0, namedMax).filter(isDictionary)
  return listOf(
    found.map(({ object, object_type: id }) =>
      isDictionary(object) ? peer(object) : html`${titleOfType(String(id))}, deleted`
    ),
    ends.length
  )
}

const listOf = (items: ReadonlyArray<Html>, total: number): Html => {
  if (items.length === 0) return none
  const named = items.slice(0, namedMax)
  return html`<span class="ends"
    >${named.map((item) => html`<span>${item}</span>`)}${total > named.length ? html`<span>and ${total - named.length} more</span>` : ""}</span
  >`
}

const typeNames = (value: unknown): Html => {
  const names = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string")
  return names.length === 0 ? none : html`${names.map((each) => titleOfType(each)).join(", ")}`
}
