/** The `data` of an event of a source without an object of the API. Pure. */
import { type Field, type View, isDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { nestingMax } from "../../inventory/Unreadable.ts"
import { parseExactly } from "../../postgres/ExactJson.ts"
import { isNestedDeeper } from "../../postgres/JsonNesting.ts"
import { apiBase, declaredType, knownEndpoint } from "./Endpoint.ts"
import type { ObjectName } from "./FetchedObject.ts"

interface FlatObject extends ObjectName {
  /** The object as text, as the change table has it. */
  readonly display: string
  /** JSON text of the snapshot; `null` where there is none. */
  readonly snapshot: string
  /** Address of the NetBox; empty or undefined where none is given. */
  readonly apiUrl: string | undefined
}

/**
 * `id`, `url` and `display`, and the snapshot behind them, as JSON text with all digits of its numbers. Choices of
 * declared types are shown as the API shows them. A snapshot that cannot be read adds nothing.
 */
export const flatData = ({ type, objectId, display, snapshot, apiUrl }: FlatObject): string => {
  const declared = declaredType(type)
  const values = Object.entries(valuesOf(snapshot)).map(([name, value]): readonly [string, unknown] => [
    name,
    declared === undefined ? value : shownIn(declared, name, value)
  ])
  const own = { id: idOf(objectId), url: urlOf({ type, objectId }, apiUrl), display }
  return JSON.stringify(
    Object.fromEntries([...Object.entries(own), ...values.filter(([name]) => !Object.hasOwn(own, name))])
  )
}

const idOf = (objectId: string): unknown => (/^(?:0|[1-9]\d{0,18})$/.test(objectId) ? parseExactly(objectId) : objectId)

const valuesOf = (snapshot: string): Readonly<Record<string, unknown>> => {
  if (isNestedDeeper(snapshot, nestingMax)) return {}
  try {
    const value = parseExactly(snapshot)
    return isDictionary(value) ? value : {}
  } catch {
    return {}
  }
}

/** The address of the object in the API; empty where the address of the API or the endpoint is unknown. */
const urlOf = ({ type, objectId }: ObjectName, apiUrl = ""): string => {
  const [base, endpoint] = [apiBase(apiUrl), knownEndpoint(type)]
  return base === undefined || endpoint === undefined ? "" : `${base}/api/${endpoint}${objectId}/`
}

const shownIn = ({ fields }: ObjectType, name: string, value: unknown): unknown => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  return field?.choices !== undefined && isLabelled(field) ? labelled(field.choices, value) : value
}

/** Choices are shown without reading anything else. */
const unread: View = {
  ...{ base: "", row: () => undefined, label: (id) => id, nested: () => null },
  ...{ customFields: () => [], counted: () => undefined, eventPath: () => undefined }
}

/** Whether the API shows a choice with its label. */
const isLabelled = ({ choices, represent }: Field): boolean =>
  typeof represent(Object.keys(choices!)[0], unread, "") === "object"

/** A choice that is not declared here, of a later release or of the options of that NetBox, is its own label. */
const labelled = (choices: Readonly<Record<string, string>>, value: unknown): unknown => {
  if (value === null || value === "") return null
  if (typeof value !== "string" && typeof value !== "number") return value
  const text = String(value)
  return { value, label: Object.hasOwn(choices, text) ? choices[text] : text }
}
