/**
 * Declaration -> the representations of a row: the full one, the brief one, the flat snapshot.
 *
 * The API and capture call the same functions with the same canonical rows, so an event carries what the API answers.
 */
import type { Row, View } from "../../Field.ts"
import { typeNamed } from "../../field/Ends.ts"
import { type ObjectType, type PointedBy, fieldOf, perType } from "../../ObjectType.ts"
import { objectType, registry } from "../../Registry.ts"
import { eventPath } from "./EventPaths.ts"
import { blankOf } from "../values/Row.ts"

export type Json = Readonly<Record<string, unknown>>

/** The first fields of every representation. */
export const heading = (type: ObjectType, row: Row, view: View) => ({
  id: row.id,
  url: `${view.base}${type.path}${row.id}/`,
  display: type.display(row, view)
})

const shapes = perType((type) => {
  const fields = Object.entries(type.fields).filter(([, { wire }]) => wire === "both" || wire === "read")
  const derived = Object.entries(type.derived).filter(([, { isApart }]) => isApart !== true)
  const keys = ["id", "url", "display", ...[...fields, ...derived].map(([name]) => name)]
  return {
    fields,
    copied: Object.entries(type.fields).filter(([, { copiedTo }]) => copiedTo !== undefined),
    derived,
    apart: Object.entries(type.derived).filter(([, { isApart }]) => isApart === true),
    snapshot: blankOf(fields.map(([name]) => name)),
    uncounted: blankOf(keys),
    counted: blankOf([...keys, ...Object.keys(type.counts), ...Object.keys(type.pointedBy)])
  }
})

/** Whether at most one object of the type points at an object. */
export const pointsAlone = ({ type, field, where, several }: PointedBy): boolean =>
  several !== true && (where !== undefined || fieldOf(objectType(type), field).unique)

/** The full representation, in the order of the declaration. */
export const representation = (type: ObjectType, row: Row, view: View): Json => {
  const shape = shapes(type)
  const counted = view.counted(type.id, row.id)
  const json: Record<string, unknown> = { ...(counted === undefined ? shape.uncounted : shape.counted) }
  Object.assign(json, heading(type, row, view))
  for (const [name, field] of shape.fields) json[name] = field.represent(row[name], view, type.id, row)
  for (const [name, { copiedTo }] of shape.copied) {
    const revealed = view.reveal?.(String(row[copiedTo!]))
    if (revealed !== undefined) json[name] = revealed
  }
  for (const [name, derived] of shape.derived) json[name] = derived.of(row, view)
  for (const [name, derived] of shape.apart) {
    const value = derived.of(row, view)
    if (value !== undefined) json[name] = value
  }
  if (counted === undefined) return json
  for (const name in type.counts) json[name] = counted[name]
  for (const name in type.pointedBy) {
    const by = type.pointedBy[name]!
    const show = by.shown?.of ?? ((id) => view.nested(by.type, id, by.shows))
    const found = (counted[name] as ReadonlyArray<number>).map((id) => show(id, view)).filter(Boolean)
    json[name] = pointsAlone(by) ? (found[0] ?? null) : found
  }
  return json
}

/** The brief representation: inside other objects, and under `?brief=1`. */
export const brief = (type: ObjectType, row: Row, view: View, shows = type.brief): Json => {
  const json: Record<string, unknown> = heading(type, row, view)
  const counts = view.counted(type.id, row.id)
  for (const name of shows) {
    const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
    const derived = Object.hasOwn(type.derived, name) ? type.derived[name] : undefined
    const own = field?.representBriefly
    if (own !== undefined) json[name] = own(row[name], view, type.id)
    else if (field !== undefined) json[name] = field.represent(row[name], view, type.id, row)
    else if (derived !== undefined) json[name] = derived.brief?.of(row) ?? derived.of(row, view)
    else if (counts !== undefined) json[name] = counts[name]
  }
  return json
}

/** The flat state of an event: references as ids, choices as values, tags as sorted names; no id, no secrets. */
export const snapshot = (type: ObjectType, row: Row, view: View): Json => {
  const json: Record<string, unknown> = { ...shapes(type).snapshot }
  for (const [name, field] of shapes(type).fields) json[name] = field.snapshot(row[name], view, type.id, row)
  return json
}

/** The parts of a view. */
interface ViewParts {
  readonly row: View["row"]
  readonly customFields?: View["customFields"]
  readonly counted?: View["counted"]
}

const uncounted = () => undefined
const noFields = () => []

/** A view on related rows that were read. Counts are shown for the objects themselves, not for nested ones. */
export const viewOf = (base: string, { row, customFields = noFields, counted = uncounted }: ViewParts): View => {
  const nested: View["nested"] = (id, key, shows) => {
    const found = row(id, key)
    return found === undefined ? null : brief(objectType(id), found, inner, shows)
  }
  const label = (id: string) => registry.get(id)?.label ?? id.slice(id.indexOf(".") + 1)
  const inner: View = { base, row, label, nested, customFields, counted: uncounted, eventPath }
  return { ...inner, counted }
}

/** The fields that the representation of a nested object reads. */
export const nestedFields = (type: ObjectType): ReadonlyArray<string> =>
  [...type.brief, ...type.displayBy].filter(
    (name) => Object.hasOwn(type.fields, name) && type.fields[name]!.representBriefly === undefined
  )

/** The references that derived values follow from the referenced rows, as far as those were read. */
export const referencesBehind = (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  row: View["row"]
): ReadonlyArray<readonly [id: string, ids: ReadonlySet<number>]> =>
  stepsBehind(type).flatMap(({ name, target, next }) => {
    const behind = rows.flatMap((each) => row(target.id, Number(each[name])) ?? [])
    return [...references(target, behind, next)]
  })

/** The paths of `derivedBy`, grouped by the reference that they begin with. */
export const stepsBehind = perType((type) =>
  [...Map.groupBy(type.derivedBy, (path) => path.split(".")[0]!)].map(([name, paths]) => ({
    name,
    target: objectType(fieldOf(type, name).reference!.type),
    next: paths.map((path) => path.split(".")[1]!)
  }))
)

/** The fields that hold references; most do not, and every row of every answer is searched for them. */
const pointingFields = perType((type) =>
  Object.keys(type.fields).filter((name) => {
    const { reference, generic, describes } = fieldOf(type, name)
    return reference !== undefined || (generic?.id ?? describes) !== undefined
  })
)

/** The fields that hold a reference in one of these rows at least. */
export const filledReferences = (type: ObjectType, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  pointingFields(type).filter((name) => rows.some((row) => [row[name] ?? []].flat().length > 0))

/** The references that rows hold in these fields: ids by object type. */
export const references = (
  type: ObjectType,
  rows: Iterable<Row>,
  fields: Iterable<string> = pointingFields(type)
): ReadonlyMap<string, ReadonlySet<number>> => {
  const wanted = new Map<string, Set<number>>()
  const idsOf = (id: string) => {
    const ids = wanted.get(id) ?? new Set<number>()
    wanted.set(id, ids)
    return ids
  }
  for (const name of fields) {
    const { reference, generic, describes } = fieldOf(type, name)
    const idField = generic?.id ?? describes
    if (idField !== undefined) {
      for (const row of rows) {
        const [target, id] = [row[name], row[idField]]
        if (typeof target === "string" && registry.has(target) && Number.isSafeInteger(id))
          idsOf(target).add(Number(id))
      }
    }
    if (reference === undefined) continue
    let ids = idsOf(reference.type)
    for (const row of rows) {
      if (reference.ends !== undefined) {
        const named = typeNamed(reference, row)
        if (!registry.has(named)) continue
        ids = idsOf(named)
      }
      const value = row[name]
      if (typeof value === "number") ids.add(value)
      else if (Array.isArray(value)) for (const id of value as ReadonlyArray<number>) ids.add(id)
    }
  }
  return wanted
}
