/** The value of a field as people read it: by its declaration, where the value alone does not say enough. */
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import type { Html } from "../Html.ts"
import { html } from "../Html.ts"
import { fieldTitle } from "./Title.ts"
import { none, valueOf } from "./Value.ts"

export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)

/** Whether the field holds names of object types as the API writes them. */
const holdsTypes = (type: ObjectType | undefined, name: string): boolean => {
  const field = type?.fields[name]
  return (
    field !== undefined &&
    (field.generic !== undefined || field.grammar === "objectTypes" || field.grammar === "anyTypes")
  )
}

/** `shown`: the representation of the object. */
export const fieldValue = (
  type: ObjectType | undefined,
  name: string,
  shown: Readonly<Record<string, unknown>>
): Html => {
  const value = shown[name]
  if (holdsTypes(type, name)) return typeNames(value)
  return valueOf(value)
}

const typeNames = (value: unknown): Html => {
  const names = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string")
  return names.length === 0 ? none : html`${names.map(typeName).join(", ")}`
}

/** `dcim.device` -> `Device`; a type that is not declared any more keeps its name. */
const typeName = (id: string): string => {
  const label = registry.get(id)?.label
  return label === undefined ? id : fieldTitle(label)
}
