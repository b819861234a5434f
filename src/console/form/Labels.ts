/** How the objects are displayed that the cells of a form name by id. */
import { Effect } from "effect"
import type { View } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { whereIds } from "../../inventory/derive/filter/Where.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import type { Cells } from "./Cells.ts"
import { type Form, type FormField, targetOf } from "./FormField.ts"

/** The display of an object that the reader may see; undefined for others. */
export type Labels = (target: ObjectType, id: string) => string | undefined

/** Most objects of a type whose display is read: more are shown by id. */
const labelledMax = 100

/** The items of a cell of references. */
export const itemsOf = (cell: string): ReadonlyArray<string> =>
  cell
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** The displays of those among these items that are known. */
export const labelledIn = (
  target: ObjectType,
  items: ReadonlyArray<string>,
  labels: Labels
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    items.flatMap((item) => {
      const label = labels(target, item)
      return label === undefined ? [] : [[item, label]]
    })
  )

/** `view` may know some of them. Reads the others with one statement per object type. */
export const labelsOf = Effect.fnUntraced(function* (form: Form, all: ReadonlyArray<Cells>, base: string, view?: View) {
  const known = new Map<string, string>()
  for (const [id, ids] of namedIn(form, all)) {
    const missing = [...ids].filter((each) => {
      const nested = view?.nested(id, each) as { readonly display: string } | null | undefined
      if (nested !== null && nested !== undefined) known.set(`${id} ${each}`, nested.display)
      return nested === null || nested === undefined
    })
    if (missing.length === 0) continue
    const type = objectType(id)
    const where = whereIds(missing.slice(0, labelledMax))
    const { rows, beside } = yield* readPage(type, { where, ordering: [], limit: labelledMax, offset: 0 })
    const read = yield* viewFor(type, rows, base, beside)
    for (const row of rows) known.set(`${id} ${row.id}`, type.display(row, read))
  }
  return ((target, id) => known.get(`${target.id} ${id}`)) satisfies Labels
})

const namedIn = ({ fields }: Form, all: ReadonlyArray<Cells>): ReadonlyMap<string, ReadonlySet<number>> => {
  const named = new Map<string, Set<number>>()
  const pointing = fields.filter(({ control }) => control === "reference" || control === "references")
  for (const cells of all) {
    for (const field of pointing) {
      const target = targetOf(field, cells)
      for (const item of itemsIn(field, cells)) {
        if (target === undefined || !/^\d{1,15}$/.test(item)) continue
        named.set(target.id, (named.get(target.id) ?? new Set()).add(Number(item)))
      }
    }
  }
  return named
}

const itemsIn = ({ name }: FormField, cells: Cells): ReadonlyArray<string> => itemsOf(cells[name] ?? "")
