/**
 * Where paths of conditions lead in the events of an object type, as far as its declaration has them: in the object's
 * representation without counts, in its flat snapshots, or in the context of the change. Pure.
 */
import type { Field, View } from "../../Field.ts"
import type { Shape } from "../../Derived.ts"
import { type ObjectType, perType } from "../../ObjectType.ts"
import { objectType, registry } from "../../Registry.ts"

/** The target of a path: a value, an object, objects of a list, or a part that no declaration describes. */
type PathSource = NonNullable<ReturnType<View["eventPath"]>>

/** A place of an event, and its parts by name; without parts it is a value. */
interface Place {
  readonly found: PathSource
  readonly parts?: (name: string) => Place | undefined
  /** The names of its parts. */
  readonly names?: () => Iterable<string>
}

const value: Place = { found: "value" }
const anything: Place = { found: "anything" }
const nowhere: ReadonlyMap<string, Place> = new Map()

const placeOf = (found: PathSource, parts: ReadonlyMap<string, Place>): Place => ({
  found,
  parts: (name) => parts.get(name),
  names: () => parts.keys()
})

const values = (...names: ReadonlyArray<string>): ReadonlyMap<string, Place> =>
  new Map(names.map((name) => [name, value]))

const labelled = placeOf("object", values("value", "label"))

/** A nested object of the type. The type's own places are found when a path needs them: types refer to each other. */
const nested = (id: string, many: boolean, shows?: ReadonlyArray<string>): Place => {
  const found = () => (shows === undefined ? briefPlaces(objectType(id)) : placesIn(objectType(id), shows))
  return { found: many ? "objects" : "object", parts: (name) => found().get(name), names: () => found().keys() }
}

const termination = placeOf("objects", new Map([...values("object_type", "object_id"), ["object", anything]]))

/** Choices are shown without reading anything else. */
const unread: View = {
  ...{ base: "", row: () => undefined, label: (id) => id, nested: () => null },
  ...{ customFields: () => [], counted: () => undefined, eventPath: () => undefined }
}

const placeOfField = (field: Field, isBrief: boolean): Place => {
  const { reference, choices } = field
  if (reference !== undefined) {
    if (reference.ends !== undefined) return termination
    const isBare = reference.shownBy !== undefined || reference.bare === true || (isBrief && reference.bare === "brief")
    return isBare ? value : nested(reference.type, reference.many, reference.shows)
  }
  if (choices !== undefined) {
    const represent = (isBrief ? field.representBriefly : undefined) ?? field.represent
    return typeof represent(Object.keys(choices)[0], unread, "") === "object" ? labelled : value
  }
  return field.type === "jsonb" || field.type === "json" ? anything : value
}

const placeOfShape = (shape: Shape): Place => {
  if (shape.kind === "family") return labelled
  if (shape.kind === "json") return anything
  if (shape.kind !== "object") return value
  return shape.type === undefined ? anything : nested(shape.type, shape.many === true)
}

const heading = values("id", "url", "display")

/** The places of the full representation, as events carry it. */
const places = perType((type): ReadonlyMap<string, Place> => {
  const shown = Object.entries(type.fields).filter(([, { wire }]) => wire === "both" || wire === "read")
  return new Map([
    ...heading,
    ...shown.map(([name, field]) => [name, placeOfField(field, false)] as const),
    ...Object.entries(type.derived)
      .filter(([, { isApart }]) => isApart !== true)
      .map(([name, { shape }]) => [name, placeOfShape(shape)] as const)
  ])
})

const briefPlaces = perType((type): ReadonlyMap<string, Place> => placesIn(type, type.brief))

const placesIn = (type: ObjectType, names: ReadonlyArray<string>): ReadonlyMap<string, Place> => {
  const own = names.flatMap((name) => {
    const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
    if (field !== undefined) return [[name, placeOfField(field, true)] as const]
    const derived = Object.hasOwn(type.derived, name) ? type.derived[name] : undefined
    return derived === undefined ? [] : [[name, placeOfShape(derived.brief?.shape ?? derived.shape)] as const]
  })
  return new Map([...heading, ...own])
}

/** The places of a flat snapshot: references are ids, and tags are names. */
const flatPlaces = perType((type): ReadonlyMap<string, Place> => {
  const shown = Object.entries(type.fields).filter(([, { wire }]) => wire === "both" || wire === "read")
  return new Map(
    shown.map(([name, field]) => {
      const place = placeOfField(field, false)
      return [name, place === anything || place === termination ? anything : value]
    })
  )
})

const request = placeOf("object", values("id", "method", "path", "user"))

const context: ReadonlyMap<string, Place> = new Map([
  ...values("event", "timestamp", "model", "object_type", "username", "request_id", "message"),
  ["request", request]
])

/** Where a path leads; undefined where no event of the type has it. `isChange`: in the snapshots, by its beginning there. */
export const eventPath: View["eventPath"] = (id, path, isChange) => {
  const type = registry.get(id)
  return type === undefined ? "anything" : placeAt(type, path, isChange)?.found
}

/** The names of the parts that events of the type have at a path; none where no declaration has them. */
export const eventNames = (id: string, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  const type = registry.get(id)
  return type === undefined ? [] : [...(placeAt(type, path, false)?.names?.() ?? [])]
}

const placeAt = (type: ObjectType, path: ReadonlyArray<string>, isChange: boolean): Place | undefined => {
  const [first, second, ...others] = path
  if (isChange) return find(flatPlaces(type), path)
  if (first === "context") return find(context, path.slice(1))
  if (first !== "snapshots") return find(places(type), path)
  return find(second === "prechange" || second === "postchange" ? flatPlaces(type) : nowhere, others)
}

const find = (begin: ReadonlyMap<string, Place>, path: ReadonlyArray<string>): Place | undefined => {
  let place: Place | undefined = placeOf("object", begin)
  for (const name of path) {
    if (place?.found === "anything") return anything
    place = place?.parts?.(name)
  }
  return place
}
