/**
 * Requests of every kind, made from the registry, that a user could learn something from: about any type, with values
 * of objects that the user may or may not see.
 */
import fc from "fast-check"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"
import { pathsNamed, splitName } from "../../src/inventory/derive/filter/Filter.ts"
import { filterNames } from "../../src/inventory/derive/filter/FilterNames.ts"
import { namedIn } from "../../src/inventory/derive/filter/Named.ts"
import { destination } from "../../src/inventory/derive/filter/Path.ts"
import { uniquesOf } from "../../src/inventory/derive/table/TableOf.ts"
import { anyObject, isWritten } from "../support/AnyObject.ts"
import type { Json } from "../support/Client.ts"
import { runs } from "../support/Seed.ts"
import type { TableRow } from "./HiddenWorld.ts"

export interface Question {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

export interface Known {
  /** Every object, hidden or not. */
  readonly rows: ReadonlyMap<string, ReadonlyArray<TableRow>>
  /** Ids that nothing has yet. */
  readonly unborn: (type: ObjectType) => ReadonlyArray<number>
  /** Ids of visible objects. */
  readonly visible: (type: string) => ReadonlyArray<number>
}

const types = [...registry.values()]

/** Requests about each type. */
const perType = runs(2)

/** Requests about every type. */
export const questions = (known: Known): fc.Arbitrary<ReadonlyArray<Question>> =>
  fc
    .tuple(...types.map((type) => fc.array(questionAbout(type, known), { minLength: perType, maxLength: perType })))
    .map((each) => each.flat())

const questionAbout = (type: ObjectType, known: Known): fc.Arbitrary<Question> => {
  return fc.oneof(
    { weight: 6, arbitrary: filtered(type, known) },
    { weight: 1, arbitrary: shown(type, known) },
    ...(type.isReadOnly ? [] : [{ weight: 3, arbitrary: referring(type, known) }]),
    ...(type.isReadOnly || hasRules(type) ? [] : [{ weight: 1, arbitrary: tryingOut(type, known) }])
  )
}

const get = (path: string): Question => ({ method: "GET", path })

const tryOut = (type: ObjectType, body: Json): Question => ({
  method: "POST",
  path: `${type.path}import/?dry_run=true&format=json`,
  body: [body]
})

/** A write that leaves nothing: custom fields that are none are refused after all references were looked up. */
const refused = (type: ObjectType, body: Json): Question =>
  Object.hasOwn(type.fields, "custom_fields")
    ? { method: "POST", path: type.path, body: { ...body, custom_fields: 5 } }
    : tryOut(type, body)

/** Values that a column has somewhere. */
const valuesIn = ({ rows }: Known, type: ObjectType, column: string): ReadonlyArray<string> => {
  const values = (rows.get(type.id) ?? []).flatMap((row) => [row[column]].flat())
  return values.filter((value) => value !== null && value !== undefined && typeof value !== "object").map(String)
}

/** Values of what a filter asks about. */
const askedBy = (known: Known, type: ObjectType, name: string): ReadonlyArray<string> => {
  const [base] = splitName(name)
  if (name.endsWith("_by_request")) return valuesIn(known, objectType("extras.objectchange"), "request_id")
  const [named] = namedIn(type, [[base, "1"]])
  if (named !== undefined) return valuesIn(known, named.target, named.column)
  const path = Object.hasOwn(type.fields, base) ? undefined : pathsNamed(type, base)?.paths[0]
  const there = path === undefined ? undefined : destination(type, path.steps)
  if (there !== undefined) return valuesIn(known, there, there.columns[path!.last] ?? "id")
  return base === "q" ? valuesIn(known, type, "name") : valuesIn(known, type, type.columns[base] ?? "id")
}

const isAboutOthers = (type: ObjectType, name: string): boolean => {
  const [base] = splitName(name)
  return (
    base === "tag" ||
    name.endsWith("_by_request") ||
    !Object.hasOwn(type.columns, base) ||
    namedIn(type, [[base, "1"]]).length > 0
  )
}

const filtered = (type: ObjectType, known: Known): fc.Arbitrary<Question> => {
  const names = filterNames(type)
  const others = names.filter((name) => isAboutOthers(type, name))
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.constantFrom(...(others.length > 0 ? others : names)) },
      { weight: 1, arbitrary: fc.constantFrom(...names) }
    )
    .chain((name) => {
      const values = askedBy(known, type, name)
      const value = values.length === 0 ? fc.constantFrom("1", "null") : fc.constantFrom(...values)
      const way = fc.constantFrom("?limit=0&", "?limit=0&", "?limit=1&", "?limit=0&brief=1&", "export/?format=json&")
      return fc.tuple(way, value).map(([way, value]) => get(`${type.path}${way}${name}=${encodeURIComponent(value)}`))
    })
}

const shown = (type: ObjectType, known: Known): fc.Arbitrary<Question> => {
  const ids = [...(known.rows.get(type.id) ?? []).map(({ id }) => id), ...known.unborn(type)]
  const fields = [...Object.keys(type.fields), "password", "is_superuser", "nope"]
  const turned = fc.tuple(fc.constantFrom("", "-"), fc.constantFrom(...fields)).map((each) => each.join(""))
  const orderings = turned.map((ordering) => get(`${type.path}?limit=0&ordering=${ordering}`))
  return ids.length === 0
    ? orderings
    : fc.oneof(
        orderings,
        fc.constantFrom(...ids).map((id) => get(`${type.path}${id}/`))
      )
}

/** Attributes of an object of the type, in the ways of NetBox's clients and others; references by their attributes. */
const attributesOf = (type: ObjectType, known: Known, depth = 0): fc.Arbitrary<Json> => {
  const rows = known.rows.get(type.id) ?? []
  if (rows.length === 0) return fc.constant({ name: "nobody" })
  const fields = Object.keys(type.fields)
  const usual = fields.filter((name) => /^(name|slug|username|model|address|prefix)$/.test(name))
  const unique = uniquesOf(type).map((each) => each.fields)
  const some = fc.oneof(
    ...(usual.length > 0 ? [fc.constantFrom(...usual).map((name) => [name])] : []),
    ...(unique.length > 0 ? [fc.constantFrom(...unique)] : []),
    fc.subarray(fields, { minLength: 1, maxLength: Math.min(fields.length, 2) })
  )
  return fc.tuple(fc.constantFrom(...rows), some).chain(([row, names]) => {
    const values = names.map((name): fc.Arbitrary<Json> => {
      const { reference } = type.fields[name]!
      const value = row[type.columns[name]!]
      const lookup = fc.constantFrom("", "", "", "__startswith", "__gt")
      if (reference === undefined || reference.many || depth > 1)
        return lookup.map((each) => ({ [name + each]: value }))
      return fc.oneof(
        fc.constant<Json>({ [name]: value }),
        attributesOf(objectType(reference.type), known, depth + 1).map((inner) => ({ [name]: inner }))
      )
    })
    return fc.tuple(...values).map((parts): Json => Object.assign({}, ...(parts as ReadonlyArray<object>)))
  })
}

/** A write that names one object, by attributes or id. */
const referring = (type: ObjectType, known: Known): fc.Arbitrary<Question> => {
  const references = Object.entries(type.fields).filter(
    ([, field]) => field.reference !== undefined && isWritten(field) && field.represent !== undefined
  )
  if (references.length === 0) return filtered(type, known)
  return fc.constantFrom(...references).chain(([name, { reference }]) => {
    const target = objectType(reference!.type)
    const ids = [...(known.rows.get(target.id) ?? []).map(({ id }) => id), ...known.unborn(target)]
    const one = fc.oneof(
      { weight: 3, arbitrary: attributesOf(target, known) },
      { weight: 1, arbitrary: ids.length === 0 ? fc.constant(1) : fc.constantFrom(...ids) }
    )
    return one.map((each) => refused(type, { [name]: reference!.many ? [each] : each }))
  })
}

/** Whether a write is compared with other objects: that they are in the way is no secret. */
const hasRules = (type: ObjectType): boolean =>
  type.looksAt.length + type.rivals.length > 0 ||
  uniquesOf(type).some(({ fields }) => fields.some((name) => type.fields[name]!.type !== "text"))

const tryingOut = (type: ObjectType, known: Known): fc.Arbitrary<Question> =>
  anyObject(type, known.visible).map((body) => tryOut(type, body))
