/** Values of custom fields in cells of forms and tables. Pure. */
import { parseExactly } from "../../../postgres/ExactJson.ts"
import type { CustomField } from "../../types/extras/CustomField.ts"
import { nullCell, objectOfCell, valueOfList } from "./Flat.ts"

/** The value of a cell. A text that does not fit stays a text: the check of the write refuses it with the reason. */
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

/** The same in a table, where lists are written with commas or as JSON, objects by name, and `null` clears. */
export const customTableValue = (definition: CustomField, cell: string): unknown => {
  const { type } = definition
  const text = cell.trim()
  if (/^(text|longtext|url)$/.test(type)) return cell
  if (text === nullCell) return null
  if (type === "boolean") return customValue(definition, text.toLowerCase())
  if (type === "object") return objectOfCell(text)
  return type.startsWith("multi") ? valueOfList(text) : customValue(definition, text)
}
