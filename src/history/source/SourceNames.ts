/** The names of sources, for pages that name object types. */
import { Effect } from "effect"
import { sourceTypeOf } from "../../event/SourceType.ts"
import { mayView } from "../../inventory/Clearance.ts"
import type { RowOf } from "../../inventory/Field.ts"
import { equalTo, everything, whereIds } from "../../inventory/derive/filter/Where.ts"
import { byIds, list } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Source from "../../inventory/types/extras/Source.ts"

export const sourceType = objectType<typeof Source>("extras.source")

/** The name of the source of a type; undefined for a type of the inventory, and for a source that is deleted or hidden. */
export type SourceNames = (type: string) => string | undefined

/** Reads the sources of the types; nothing where all are of the inventory. */
export const sourceNames = Effect.fnUntraced(function* (types: Iterable<string>) {
  const rows = yield* sourcesOf(types)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return ((type) => names.get(sourceTypeOf(type)?.source ?? 0)) satisfies SourceNames as SourceNames
})

/** The sources of the types that the reader may view. */
export const sourcesOf = (types: Iterable<string>) =>
  byIds(sourceType, new Set([...types].flatMap((type) => sourceTypeOf(type)?.source ?? [])))

export type SourceRow = RowOf<typeof Source>

/** Most sources that a page names. */
const listedMax = 50

/** The sources that the reader may view, by name; nothing is read for readers who may view none. */
export const readableSources = Effect.gen(function* () {
  if (!(yield* mayView(sourceType))) return []
  return yield* list(sourceType, { where: everything, ordering: [], limit: listedMax, offset: 0 })
})

/** The source that a form names by its id or its name; undefined where the reader may view none of this name. */
export const sourceNamed = Effect.fnUntraced(function* (text: string) {
  const name = text.trim()
  if (name === "" || !(yield* mayView(sourceType))) return undefined
  const where = /^\d{1,15}$/.test(name) ? whereIds([Number(name)]) : equalTo(sourceType, { name })
  const [source] = yield* list(sourceType, { where, ordering: [], limit: 1, offset: 0 })
  return source
})
