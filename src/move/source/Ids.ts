/**
 * The ids that objects of a source have here. They are the same, but for objects whose ids others had here before: these
 * got new ids (Renumbered.ts). Pure.
 */
import { isDictionary } from "../../inventory/Field.ts"
import type { Catalogue } from "./Catalogue.ts"
import type { SourceRow } from "./Convert.ts"
import type { Selection } from "./Selection.ts"

export interface Pair {
  readonly there: number
  readonly here: number
}

/** Pairs of ids by object type, both ways. */
export class Ids {
  private readonly toHere = new Map<string, Map<number, number>>()
  private readonly toThere = new Map<string, Map<number, number>>()

  add(type: string, pairs: ReadonlyArray<Pair>): void {
    const here = this.toHere.get(type) ?? new Map<number, number>()
    const there = this.toThere.get(type) ?? new Map<number, number>()
    for (const pair of pairs) {
      here.set(pair.there, pair.here)
      there.set(pair.here, pair.there)
    }
    this.toHere.set(type, here)
    this.toThere.set(type, there)
  }

  get isEmpty(): boolean {
    return this.toHere.size === 0
  }

  /** Whether an object of the source has another id here. */
  isRenumbered(type: string, id: number): boolean {
    return this.toHere.get(type)?.has(id) === true
  }

  here(type: string, id: number): number {
    return this.toHere.get(type)?.get(id) ?? id
  }

  /** The id in the source; undefined where the object here is none of the source. */
  there(type: string, id: number): number | undefined {
    return this.toThere.get(type)?.get(id) ?? (this.isRenumbered(type, id) ? undefined : id)
  }
}

export interface Translation {
  readonly ids: Ids
  readonly contentTypes: Catalogue["contentTypes"]
  /** The object types of custom fields with objects, by the name of the field. */
  readonly customFields: ReadonlyMap<string, string>
}

/** A row with the ids that its object, and the objects that it names, have here. */
export const withIdsHere = (selection: Selection, translation: Translation, row: SourceRow): SourceRow => {
  const { ids, contentTypes, customFields } = translation
  if (ids.isEmpty) return row
  const { type } = selection
  const values: Record<string, unknown> & { id: number } = { ...row, id: ids.here(type.id, row.id) }
  const typeIn = (name: string): string | undefined => contentTypes.get(Number(row[name]))
  for (const { name } of selection.fields) {
    if (!(name in row)) continue
    const { reference, generic, describes } = type.fields[name]!
    const named = generic?.id ?? describes
    if (named !== undefined) values[named] = mapped(ids, typeIn(name), row[named])
    if (reference !== undefined) {
      const { ends } = reference
      values[name] = sorted(mapped(ids, ends === undefined ? reference.type : typeIn(ends.typeIn), row[name]))
    }
    if (name === "custom_fields" && isDictionary(row[name])) {
      const fields = Object.entries(row[name])
      values[name] = Object.fromEntries(fields.map(([key, value]) => [key, mapped(ids, customFields.get(key), value)]))
    }
  }
  return values
}

const mapped = (ids: Ids, type: string | undefined, value: unknown): unknown => {
  if (type === undefined) return value
  if (Array.isArray(value)) return value.map((each) => mapped(ids, type, each))
  return typeof value === "number" ? ids.here(type, value) : value
}

/** Lists of references are read in the order of their ids. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value) && value.every((each) => typeof each === "number") ? value.toSorted((a, b) => a - b) : value
