/** Values of a change as people read them: the log keeps ids and choices, people know names and labels. */
import { Effect } from "effect"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import type { ChangedField } from "../../inventory/read/Changes.ts"
import { type Html, html } from "../Html.ts"
import { pathOf } from "../value/Title.ts"
import { badge } from "../value/Value.ts"

/** How a plain value of a field is shown; undefined where its text says all. */
export type NameLookup = (field: string, value: unknown) => Html | undefined

/** Most objects of a type whose names are read. */
const namesMax = 100

interface FieldsOfType {
  readonly type: ObjectType | undefined
  readonly fields: ReadonlyArray<ChangedField>
}

/** Names the objects that these fields refer to, as far as the reader may view them. */
export const namedFor = Effect.fnUntraced(function* (
  type: ObjectType | undefined,
  fields: ReadonlyArray<ChangedField>,
  base: string
) {
  const named = yield* namedInAll([{ type, fields }], base)
  return ((field, value) => named(type, field, value)) satisfies NameLookup
})

/** The same for the fields of several objects, which may be of several types. */
export const namedInAll = Effect.fnUntraced(function* (all: ReadonlyArray<FieldsOfType>, base: string) {
  const names = new Map<string, ReadonlyMap<number, string>>()
  const every = all.flatMap(({ type, fields }) =>
    fields.map((field) => ({ ...field, target: referenceOf(type, field.name) }))
  )
  for (const [target, own] of Map.groupBy(every, (field) => field.target)) {
    if (target === undefined) continue
    const ids = new Set(own.flatMap(({ before, after }) => [before.value, after.value].flat()).filter(isId))
    const of = objectType(target)
    const rows = yield* byIds(of, [...ids].slice(0, namesMax))
    if (rows.length === 0) continue
    const view = yield* viewFor(of, rows, base)
    names.set(target, new Map(rows.map((row) => [row.id, of.display(row, view)])))
  }
  return (type: ObjectType | undefined, field: string, value: unknown): Html | undefined => {
    const target = referenceOf(type, field)
    if (target !== undefined && isId(value)) {
      const name = names.get(target)?.get(value)
      return name === undefined ? html`#${value}` : html`<a href="${pathOf(objectType(target), value)}">${name}</a>`
    }
    const choices = type !== undefined && Object.hasOwn(type.fields, field) ? type.fields[field]?.choices : undefined
    if (typeof value !== "string" || choices === undefined || !Object.hasOwn(choices, value)) return undefined
    return badge(value, choices[value]!)
  }
})

const isId = (value: unknown): value is number => Number.isSafeInteger(value)

/** The type of the objects that a field refers to. */
const referenceOf = (type: ObjectType | undefined, name: string): string | undefined =>
  type !== undefined && Object.hasOwn(type.fields, name) ? type.fields[name]?.reference?.type : undefined
