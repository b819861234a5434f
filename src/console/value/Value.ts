/** Values of a representation as people read them. */
import { indentedJson, indentedMax } from "../../http/wire/Nesting.ts"
import { type Dictionary, isDictionary } from "../../inventory/Field.ts"
import { isNumber } from "../../postgres/ExactJson.ts"
import { type Html, html } from "../Html.ts"
import { timeOf } from "./Time.ts"
import { fieldTitle } from "./Title.ts"

export const none = html`<span class="none">—</span>`

/** Most items of a list that a cell shows. */
const itemsMax = 20

/** Most characters of a value that are shown. */
const lengthMax = 20_000

/** Most characters of an address that becomes a link. */
const addressMax = 2000

/** A value by its shape: a reference leads to its object, a choice shows its label, a time its minutes. */
export const valueOf = (value: unknown): Html => {
  if (value === null || value === undefined || value === "") return none
  if (typeof value === "boolean") return html`${value ? "Yes" : "No"}`
  if (isNumber(value)) return html`${String(value)}`
  if (typeof value === "string") return textOf(value)
  if (Array.isArray(value)) return listOf(value)
  if (!isDictionary(value)) return none
  const reference = referenceIn(value)
  if (reference !== undefined) return html`<a href="${reference.path}">${reference.display}</a>`
  const { label, value: chosen } = value
  if (typeof label === "string" && chosen !== undefined) return badge(String(chosen), label)
  return Object.keys(value).length === 0 ? none : jsonOf(value)
}

/** A choice, in a colour by its value. */
export const badge = (value: string, label: string): Html => html`<span class="badge-v v-${value}">${label}</span>`

const listOf = (values: ReadonlyArray<unknown>): Html => {
  if (values.length === 0) return none
  if (values.some((each) => isDictionary(each) && typeof each["url"] !== "string")) return jsonOf(values)
  const rest = values.length - itemsMax
  return html`${values.slice(0, itemsMax).map((each, at) => html`${at === 0 ? "" : ", "}${valueOf(each)}`)}${rest > 0 ? ` and ${rest} more` : ""}`
}

/** JSON by lines; its beginning alone, if it is long. */
export const jsonOf = (value: unknown): Html =>
  html`<pre class="json" tabindex="0">${beginning(indentedJson(value, 2, indentedMax.page))}</pre>`

/** A text, or its beginning and how much was left out. */
export const beginning = (text: string, most = lengthMax): string => {
  if (text.length <= most) return text
  // Half of a character is none.
  const shown = text.slice(0, most).replace(/[\ud800-\udbff]$/, "")
  return `${shown}… (${(text.length - shown.length).toLocaleString("en")} characters more)`
}

/** Whether a text is a time as the API shows it. */
export const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]{0,12}Z$/.test(text)

const textOf = (text: string): Html => {
  if (isTime(text)) return timeOf(text)
  if (text.length <= addressMax && /^https?:\/\//.test(text) && URL.canParse(text)) {
    return html`<a href="${text}" rel="noreferrer noopener">${text}</a>`
  }
  return html`${beginning(text)}`
}

/**
 * The page and the display of an object that a value refers to as the API does: `http://host/api/dcim/sites/3/` ->
 * `/dcim/sites/3/`. Undefined for any other value: JSON that users write may have the form of a reference. The number
 * of segments is fixed, so that an address with many `/api` takes linear time.
 */
export const referenceIn = ({
  url,
  display
}: Dictionary): { readonly path: string; readonly display: string } | undefined => {
  if (typeof url !== "string" || url.length > addressMax || typeof display !== "string") return undefined
  const path = /^https?:\/\/[^?#]*?\/api(\/(?:[a-z][a-z0-9-]*\/){2}\d+\/)$/.exec(url)?.[1]
  return path === undefined ? undefined : { path, display }
}

/** A field and its value, for a list of attributes. */
export const attribute = (name: string, value: unknown): Html =>
  html`<dt>${fieldTitle(name)}</dt>
    <dd>${valueOf(value)}</dd>`
