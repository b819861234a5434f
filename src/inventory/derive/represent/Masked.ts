/**
 * Masks the nested objects of a representation that a user may not see: they are shown by id alone, as in the API
 * (Read.ts). Pure.
 */
import { objectType, registry } from "../../Registry.ts"
import type { Json } from "./Representation.ts"

/** The key of a nested object in the set of hidden ones. */
export const nestedName = (type: string, id: number): string => `${type} ${id}`

const typesByPath: ReadonlyMap<string, string> = new Map([...registry.values()].map(({ id, path }) => [path, id]))

/** Deepest nesting that is searched: representations have less, only JSON fields have more. */
const depthMax = 12

/** Calls `see` with every nested object. */
export const visitNested = (json: Json, see: (type: string, id: number) => void): void => {
  for (const value of Object.values(json)) visit(value, see, 1)
}

const visit = (value: unknown, see: (type: string, id: number) => void, depth: number): void => {
  if (typeof value !== "object" || value === null || depth > depthMax) return
  const nested = nestedOf(value)
  if (nested !== undefined) see(nested.type, nested.id)
  for (const each of Object.values(value)) visit(each, see, depth + 1)
}

/** The value with hidden objects shown by id alone; the same value if there are none. */
export const masked = (json: Json, hidden: ReadonlySet<string>): Json =>
  hidden.size === 0 ? json : (maskedInside(json, hidden, 0) as Json)

const maskedInside = (value: unknown, hidden: ReadonlySet<string>, depth: number): unknown => {
  if (typeof value !== "object" || value === null || depth > depthMax) return value
  const nested = depth === 0 ? undefined : nestedOf(value)
  if (nested !== undefined && hidden.has(nestedName(nested.type, nested.id))) {
    return { id: nested.id, url: nested.url, display: `#${nested.id}` }
  }
  const before = Object.entries(value)
  const after = before.map(([name, each]) => [name, maskedInside(each, hidden, depth + 1)] as const)
  if (after.every(([, each], at) => each === before[at]![1])) return value
  return Array.isArray(value) ? after.map(([, each]) => each) : Object.fromEntries(after)
}

/** A nested object is recognised by its id and its URL. */
const nestedOf = (value: object): { readonly type: string; readonly id: number; readonly url: string } | undefined => {
  if (!("id" in value && "url" in value) || typeof value.id !== "number" || typeof value.url !== "string")
    return undefined
  const [, path, id] = /(\/api\/[a-z]+\/[a-z-]+\/)(\d+)\/$/.exec(value.url) ?? []
  const type = typesByPath.get(path ?? "")
  return type === undefined || Number(id) !== value.id
    ? undefined
    : { type: objectType(type).id, id: value.id, url: value.url }
}
