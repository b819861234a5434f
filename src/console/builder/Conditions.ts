/** The words of the builder of conditions: paths of events of the chosen object types, and the operators of `match`. */
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import { eventPath } from "../../inventory/derive/represent/EventPaths.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { operators } from "../../match/Operator.ts"
import { fieldTitle } from "../value/Title.ts"
import { type BuilderField, type Vocabulary, fieldsMax, kindOfField, pickOf } from "./Vocabulary.ts"

/** The paths of the type's own fields; those of objects that it refers to by their id and by their key. */
const fieldsOf = perType((type): ReadonlyArray<BuilderField> =>
  Object.entries(type.fields).flatMap(([name, field]): ReadonlyArray<BuilderField> => {
    const has = (...path: ReadonlyArray<string>) => eventPath(type.id, path, false) === "value"
    const title = fieldTitle(name)
    const kind = kindOfField(field)
    if (field.reference === undefined) {
      const options = field.choices ?? (field.type === "boolean" ? { true: "Yes", false: "No" } : undefined)
      const known = { title, kind, ...(options && { options }) }
      if (has(name)) return [{ name, ...known }]
      return has(name, "value") ? [{ name: `${name}.value`, state: name, ...known }] : []
    }
    if (field.reference.ends !== undefined) return []
    const pick = pickOf(field.reference.type)
    const key = naturalKey(objectType(field.reference.type))
    const object = { title, kind: "number", ...(pick !== undefined && { pick }) } as const
    return [
      ...(has(name) ? [{ name, ...object }] : []),
      ...(has(name, "id") ? [{ name: `${name}.id`, state: name, ...object }] : []),
      ...(key !== "id" && has(name, key)
        ? [{ name: `${name}.${key}`, title: `${title}: ${fieldTitle(key).toLowerCase()}`, kind: "text" } as const]
        : [])
    ]
  })
)

/** Fields of each change, whatever its object. */
const ofChange: ReadonlyArray<BuilderField> = [
  { name: "context.username", title: "Change: user name", kind: "text" },
  {
    name: "context.event",
    title: "Change: event",
    kind: "text",
    options: { created: "Created", updated: "Updated", deleted: "Deleted" }
  }
]

/** `isOfSource`: ids are those of a source, so no objects of the inventory are offered for them. */
export const conditionWords = (types: ReadonlyArray<ObjectType>, isOfSource = false): Vocabulary => {
  const byName = new Map(types.flatMap((type) => fieldsOf(type).map((field) => [field.name, field] as const)))
  const own = [...byName.values()]
    .map(({ pick, ...field }) => (isOfSource || pick === undefined ? field : { ...field, pick }))
    .sort((a, b) => (a.title < b.title ? -1 : 1))
  return {
    shape: "tree",
    usual: "eq",
    operators: Object.entries(operators).map(([name, operator]) => ({
      name,
      title: operator.wish[0],
      accepts: "accepts" in operator ? operator.accepts : []
    })),
    fields: [...own.slice(0, fieldsMax), ...ofChange]
  }
}
