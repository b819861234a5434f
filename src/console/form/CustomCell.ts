/** Values of custom fields as the cells of a form, and back. */
import { indentedJson, indentedMax } from "../../http/wire/Nesting.ts"
import { cellOf } from "../../inventory/derive/represent/Flat.ts"
import type { CustomField } from "../../inventory/types/extras/CustomField.ts"

/** A value as the text of its input; "" for none. Several choices are a list in JSON. */
export const customCell = ({ type }: CustomField, value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (type === "multiselect") return Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : ""
  return type === "json" ? indentedJson(value, 2, indentedMax.page) : cellOf(value)
}
