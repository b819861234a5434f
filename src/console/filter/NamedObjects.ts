/** The objects that filters name: `site_id=3` is the site Oslo. */
import { Effect } from "effect"
import { sourceNames } from "../../history/source/SourceNames.ts"
import { isKnown, referenceNamed, splitName } from "../../inventory/derive/filter/Filter.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import { among, anyOf, nothing, whereIds } from "../../inventory/derive/filter/Where.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { itemsOf } from "../form/Labels.ts"
import { filterValue, holdsType } from "./FilterName.ts"
import { filtersOf, searchOf } from "../list/Query.ts"

export interface NamedObjects {
  /** The display of the object that a value of a filter names; undefined for other filters, and for hidden objects. */
  readonly label: (name: string, value: string) => string | undefined
  /** The ids of the objects that the key of a filter names. */
  readonly ids: (name: string, key: string) => ReadonlyArray<string>
}

/** References whose filter is a picker: objects of their types can be searched, and their ids are a filter. */
export const pickedFields = perType((type): ReadonlyArray<string> =>
  Object.entries(type.fields).flatMap(([name, { reference, isFiltered, wire }]) =>
    reference !== undefined &&
    reference.ends === undefined &&
    isFiltered &&
    (wire === "both" || wire === "read") &&
    objectType(reference.type).kind !== "record" &&
    isKnown(type, `${name}_id`)
      ? [name]
      : []
  )
)

/** Most objects of a type that are read by their ids, and by their keys; further ones are shown as they are sent. */
const namedMax = 100

/** The type that a filter is about, and whether its values are ids. */
const targetIn = (type: ObjectType, name: string) => {
  const [base, suffix] = splitName(name)
  const named = suffix === "" || suffix === "n" ? referenceNamed(type, base) : undefined
  const reference = named === undefined || named.exact ? undefined : type.fields[named.name]?.reference
  if (reference === undefined || reference.ends !== undefined) return undefined
  return { target: objectType(reference.type), byId: named!.byId }
}

const isId = (value: string): boolean => /^\d{1,15}$/.test(value)

/** Reads the objects that the filters of a query name, with one statement for each of their types. */
export const namedObjects = Effect.fnUntraced(function* (type: ObjectType, query: URLSearchParams, base: string) {
  const wanted = new Map<ObjectType, { readonly ids: Set<number>; readonly keys: Set<string> }>()
  for (const [name, value] of filtersOf(query)) {
    const found = targetIn(type, name)
    if (found === undefined) continue
    const { ids, keys } = wanted.get(found.target) ?? { ids: new Set(), keys: new Set() }
    if (!found.byId) keys.add(value)
    else if (isId(value)) ids.add(Number(value))
    wanted.set(found.target, { ids, keys })
  }
  const labels = new Map<string, string>()
  const idsByKey = new Map<string, ReadonlyArray<string>>()
  for (const [target, { ids, keys }] of wanted) {
    const key = naturalKey(target)
    const byKey = key === "id" || keys.size === 0 ? nothing : among(target, key, [...keys].slice(0, namedMax))
    const where = anyOf(whereIds([...ids].slice(0, namedMax)), byKey)
    const { rows, beside } = yield* readPage(target, { where, ordering: [], limit: 2 * namedMax, offset: 0 })
    const view = yield* viewFor(target, rows, base, beside)
    for (const row of rows) {
      labels.set(`${target.id} ${row.id}`, target.display(row, view))
      const named = `${target.id} ${String((row as Readonly<Record<string, unknown>>)[key])}`
      idsByKey.set(named, [...(idsByKey.get(named) ?? []), `${row.id}`])
    }
  }
  const ids = (name: string, key: string): ReadonlyArray<string> =>
    idsByKey.get(`${targetIn(type, name)?.target.id ?? ""} ${key}`) ?? []
  const types = [...filtersOf(query)].flatMap(([name, value]) => (holdsType(type, name) ? [value] : []))
  const sourceOf = yield* sourceNames(types)
  return {
    ids,
    label: (name, value) => {
      if (holdsType(type, name)) return filterValue(type, name, value, sourceOf(value))
      const found = targetIn(type, name)
      if (found === undefined) return undefined
      const id = found.byId ? value : ids(name, value)[0]
      return id === undefined ? undefined : labels.get(`${found.target.id} ${id}`)
    }
  } satisfies NamedObjects as NamedObjects
})

/** The query with ids in place of the keys that people typed into a picker without scripts. */
export const withIds = Effect.fnUntraced(function* (type: ObjectType, query: URLSearchParams, base: string) {
  const names = new Set(pickedFields(type).map((name) => `${name}_id`))
  const isTyped = (name: string, value: string) => names.has(name) && !isId(value) && value !== "null"
  if (![...query].some(([name, value]) => isTyped(name, value))) return query
  const each = [...query].flatMap(([name, value]) =>
    isTyped(name, value) ? itemsOf(value).map((item) => [name, item] as const) : [[name, value] as const]
  )
  const keyOf = (name: string) => name.replace(/_id$/, "")
  const keys = each.flatMap(([name, value]) => (isTyped(name, value) ? [[keyOf(name), value] as const] : []))
  const named = yield* namedObjects(type, searchOf(keys), base)
  return searchOf(
    each.flatMap(([name, value]) => {
      const ids = isTyped(name, value) ? named.ids(keyOf(name), value) : []
      return ids.length === 0 ? [[name, value] as const] : ids.map((id) => [name, id] as const)
    })
  )
})
