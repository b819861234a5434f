/** Values of a representation as people read them. */
import { isDictionary } from "../../inventory/Field.ts"
import { type Html, html } from "../Html.ts"
import { fieldTitle } from "./Title.ts"

const none = html`<span class="none">—</span>`

/** Most items of a list that a cell shows. */
const itemsMax = 20

/** A value by its shape: a reference leads to its object, a choice shows its label, a time its minutes. */
export const valueOf = (value: unknown): Html => {
  if (value === null || value === undefined || value === "") return none
  if (typeof value === "boolean") return html`${value ? "Yes" : "No"}`
  if (typeof value === "number") return html`${value}`
  if (typeof value === "string") return textOf(value)
  if (Array.isArray(value)) return listOf(value)
  if (!isDictionary(value)) return none
  const { url, display, label, value: chosen } = value
  if (typeof url === "string" && typeof display === "string") {
    return html`<a href="${consolePath(url)}">${display}</a>`
  }
  if (typeof label === "string" && chosen !== undefined) return html`<span class="badge-v">${label}</span>`
  return Object.keys(value).length === 0
    ? none
    : html`<pre class="json" tabindex="0">${JSON.stringify(value, undefined, 2)}</pre>`
}

const listOf = (values: ReadonlyArray<unknown>): Html => {
  if (values.length === 0) return none
  if (values.some((each) => isDictionary(each) && typeof each["url"] !== "string")) {
    return html`<pre class="json" tabindex="0">${JSON.stringify(values, undefined, 2)}</pre>`
  }
  const rest = values.length - itemsMax
  return html`${values.slice(0, itemsMax).map((each, at) => html`${at === 0 ? "" : ", "}${valueOf(each)}`)}${rest > 0 ? ` and ${rest} more` : ""}`
}

const textOf = (text: string): Html => {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) {
    return html`<time datetime="${text}" title="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`
  }
  if (/^https?:\/\//.test(text) && URL.canParse(text)) {
    return html`<a href="${text}" rel="noreferrer noopener">${text}</a>`
  }
  return html`${text}`
}

/** The page of an object of which the API tells the address: `http://host/api/dcim/sites/3/` -> `/dcim/sites/3/`. */
const consolePath = (url: string): string => url.replace(/^.*?\/api\//, "/")

/** A field and its value, for a list of attributes. */
export const attribute = (name: string, value: unknown): Html =>
  html`<dt>${fieldTitle(name)}</dt>
    <dd>${valueOf(value)}</dd>`
