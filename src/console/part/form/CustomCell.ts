/** Values of custom fields as the cells of a form, and back. */
import { parseExactly } from "../../../postgres/ExactJson.ts"
import { indentedJson, indentedMax } from "../../../http/wire/Nesting.ts"
import { cellOf } from "../../../inventory/derive/represent/Flat.ts"
import type { CustomField } from "../../../inventory/types/extras/CustomField.ts"

/** A value as the text of its input; "" for none. Several choices are a list in JSON. */
export const customCell = ({ type }: CustomField, value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (type === "multiselect") return Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : ""
  return type === "json" ? indentedJson(value, 2, indentedMax.page) : cellOf(value)
}

/** What a cell means; a text that does not fit is left to the check of the write, which tells why. */
export const customValue = ({ type }: CustomField, cell: string): unknown => {
  if (cell.trim() === "") return null
  switch (type) {
    case "integer":
    case "decimal":
      return numberIn(cell)
    case "boolean":
      return cell === "true" ? true : cell === "false" ? false : cell
    case "object":
      return numberIn(cell)
    case "multiobject":
      return cell
        .split(",")
        .filter((item) => item.trim() !== "")
        .map(numberIn)
    case "json":
    case "multiselect":
      return jsonIn(cell)
    default:
      return cell
  }
}

const numberIn = (cell: string): unknown => (/^\s*[-+]?\d{1,15}(\.\d{1,15})?\s*$/.test(cell) ? Number(cell) : cell)

const jsonIn = (cell: string): unknown => {
  try {
    return parseExactly(cell)
  } catch {
    return cell
  }
}
