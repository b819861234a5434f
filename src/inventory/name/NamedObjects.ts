/**
 * References that rows of a file make by a text: an id, or the name, slug or another value by which people know an
 * object. One query per reference and portion of rows.
 *
 * Where several objects have the name, those of the same site, device and so on as the row are meant. A text that still
 * names several objects is refused; one that names none is left to Resolve.ts, which reports the reason.
 */
import { Effect } from "effect"
import { type Errors, type Reference, idIn, isDictionary } from "../Field.ts"
import { type ObjectType, fieldOf } from "../ObjectType.ts"
import { objectType, registry } from "../Registry.ts"
import { naturalKey } from "../derive/filter/Path.ts"
import { mapNames } from "../derive/represent/ImportedRow.ts"
import { genericFields } from "../derive/represent/NamedFlat.ts"
import { typesNamed } from "../field/Ends.ts"
import { namesTooMany } from "../field/Reference.ts"
import { byIds } from "../read/Read.ts"
import type { CustomField } from "../types/extras/CustomField.ts"
import { byAttributes } from "../write/Resolve.ts"
import { type Name, type Surroundings, candidatesFor, containersOf, decide, isNameKey } from "./Candidates.ts"
import { pythonRepr } from "./PythonRepr.ts"

type Body = Record<string, unknown>

interface Rows {
  readonly bodies: ReadonlyArray<Body | undefined>
  readonly around: ReadonlyArray<Surroundings>
  readonly errors: ReadonlyArray<Record<string, ReadonlyArray<string>>>
  /** By row: the references to objects of its own type that do not exist. A later row may create them. */
  readonly early: Map<number, Set<string>>
}

/** Where rows refer to objects of one type. */
interface Slot {
  readonly target: ObjectType
  readonly reference: Pick<Reference, "type" | "ends">
  /** The field in errors. */
  readonly field: string
  /** By row: the record that has the names under `name` and gets the ids under `into`. */
  readonly records: ReadonlyArray<Body | undefined>
  readonly name: string
  readonly into: string
  /** Whether names without an object are reported here. Others are left to Resolve.ts. */
  readonly isLast: boolean
}

/** The bodies with ids in place of names. A reference that is refused is in the errors and no longer in its body. */
export const resolveNames = Effect.fnUntraced(function* (
  type: ObjectType,
  given: ReadonlyArray<unknown>,
  customFields: ReadonlyArray<CustomField>
) {
  const bodies = given.map((body) => (isDictionary(body) ? { ...body } : undefined))
  const rows: Rows = { bodies, around: given.map(() => ({})), errors: given.map(() => ({})), early: new Map() }
  yield* addContainers(rows, type, (body) => idIn(body["id"]))
  const own = containersOf(type)
  for (const name of own) {
    yield* resolveSlot(rows, type, slotOf(rows, type, name))
    for (const [at, body] of bodies.entries()) {
      const id = idOfName(body?.[name])
      if (id !== undefined) rows.around[at]![name] = id
    }
  }
  for (const name of own) yield* addContainers(rows, targetOf(type, name), (_, around) => around[name])
  const others = Object.keys(type.fields).filter((name) => fieldOf(type, name).reference !== undefined)
  const slots = others.filter((name) => !own.includes(name)).flatMap((name) => slotsOf(rows, type, name))
  for (const slot of [...slots, ...genericSlots(rows, type), ...customSlots(rows, customFields)]) {
    yield* resolveSlot(rows, type, slot)
  }
  return {
    bodies: given.map((body, at) => bodies[at] ?? body),
    errors: rows.errors as ReadonlyArray<Errors>,
    early: rows.early as ReadonlyMap<number, ReadonlySet<string>>
  }
})

const slotOf = ({ bodies }: Rows, type: ObjectType, name: string): Slot => {
  const reference = fieldOf(type, name).reference!
  const target = objectType(reference.type)
  return { target, reference, field: name, records: bodies, name, into: name, isLast: false }
}

/** The ends of a cable may be of several types. */
const slotsOf = (rows: Rows, type: ObjectType, name: string): ReadonlyArray<Slot> =>
  typesNamed(fieldOf(type, name).reference!).map((id) => ({ ...slotOf(rows, type, name), target: objectType(id) }))

/** The generic references of the rows, by the types that rows name. */
const genericSlots = ({ bodies }: Rows, type: ObjectType): ReadonlyArray<Slot> =>
  genericFields(type).flatMap(({ typeField, idField, objectKey }) => {
    const pointing = bodies.map((body) =>
      body !== undefined && Object.hasOwn(body, objectKey) ? body[typeField] : null
    )
    for (const [at, body] of bodies.entries()) {
      if (body?.[objectKey] !== null || body === undefined || pointing[at] !== null) continue
      body[idField] = null
      delete body[objectKey]
    }
    return [...new Set(pointing)].flatMap((id): ReadonlyArray<Slot> => {
      const target = typeof id === "string" ? registry.get(id) : undefined
      if (target === undefined) return []
      const records = bodies.map((body, at) => (pointing[at] === id ? body : undefined))
      const reference = { type: target.id }
      return [{ target, reference, field: objectKey, records, name: objectKey, into: idField, isLast: true }]
    })
  })

const customSlots = ({ bodies }: Rows, customFields: ReadonlyArray<CustomField>): ReadonlyArray<Slot> => {
  const pointing = customFields.filter(
    ({ type, object_type: id }) => type.endsWith("object") && registry.has(String(id))
  )
  if (pointing.length === 0) return []
  const records = bodies.map((body) => {
    if (!isDictionary(body?.["custom_fields"])) return undefined
    const values = { ...body["custom_fields"] }
    body["custom_fields"] = values
    return values
  })
  return pointing.map(({ name, object_type: id }) => {
    const target = objectType(String(id))
    const reference = { type: target.id }
    return { target, reference, field: "custom_fields", records, name, into: name, isLast: true }
  })
}

/** The id in `{"unnamed": 7}`, which an export writes for an object that nothing names (NamesOfObjects.ts). */
const unnamedIn = (value: unknown): unknown => {
  if (!isDictionary(value)) return undefined
  const [[key, inner] = []] = Object.entries(value)
  return key === "unnamed"
    ? inner
    : Object.values(value)
        .map(unnamedIn)
        .find((each) => each !== undefined)
}

const namelessText = (unnamed: unknown): string =>
  `The file does not name this object, which has the id ${pythonRepr(unnamed)} where the file comes from: either it has no name there, or the reader of the export may not view it. Give it a name, a label or a serial there, and export again.`

const targetOf = (type: ObjectType, name: string): ObjectType => objectType(fieldOf(type, name).reference!.type)

/** Adds the containers of the objects of these ids to those that the rows name themselves. */
const addContainers = Effect.fnUntraced(function* (
  { bodies, around }: Rows,
  type: ObjectType,
  idOf: (body: Record<string, unknown>, around: Surroundings) => number | undefined
) {
  const names = containersOf(type)
  const ids = bodies.map((body, at) => (body === undefined ? undefined : idOf(body, around[at]!)))
  const wanted = new Set(ids.filter((id) => id !== undefined))
  if (names.length === 0 || wanted.size === 0) return
  const found = new Map((yield* byIds(type, wanted)).map((row) => [row.id, row]))
  for (const [at, id] of ids.entries()) {
    const row = id === undefined ? undefined : found.get(id)
    for (const name of names) if (typeof row?.[name] === "number") around[at]![name] ??= row[name]
  }
})

const idOfName = (value: unknown): number | undefined =>
  idIn(isDictionary(value) && "id" in value ? value["id"] : value)

const nameIn = (value: unknown, target: ObjectType): Name | undefined => {
  if (typeof value === "string") return { text: value.trim(), key: undefined }
  if (!isDictionary(value)) return undefined
  const [[key, text] = ["", undefined], ...others] = Object.entries(value)
  const isOne = others.length === 0 && isNameKey(target, key) && (typeof text === "string" || typeof text === "number")
  return isOne ? { text: String(text).trim(), key } : undefined
}

/** A name in a row, and the object that it means. */
interface Meaning {
  readonly name: Name
  readonly around: Surroundings
  answer?: number | string | undefined
}

const resolveSlot = Effect.fnUntraced(function* ({ around, errors, early }: Rows, type: ObjectType, slot: Slot) {
  const { target, reference, field, records, name, into } = slot
  const places = containersOf(target)
  const named = new Map<string, Meaning>()
  const described = new Map<string, number | string>()
  const keyOf = (each: Name, at: number) =>
    JSON.stringify([each.key, each.text, ...places.map((place) => around[at]![place])])
  const visit = (map: (value: unknown, at: number, found: Name | undefined) => unknown) => {
    for (const [at, record] of records.entries()) {
      // A list that the field refuses for its length costs no query.
      if (record === undefined || !Object.hasOwn(record, name) || namesTooMany(record[name])) continue
      record[name] = mapNames(reference, record[name], (value, of) =>
        of === target.id ? map(value, at, nameIn(value, target)) : value
      )
    }
  }
  visit((value, at, found) => {
    if (found !== undefined) named.set(keyOf(found, at), { name: found, around: around[at]! })
    else if (isDictionary(value) && !("id" in value)) described.set(JSON.stringify(value), "")
    return value
  })
  const asked = [...named.values()]
  const candidates = asked.length === 0 ? [] : yield* candidatesFor(target, asked)
  for (const [at, each] of asked.entries()) each.answer = decide(target, each.name, candidates[at]!)
  for (const key of described.keys()) {
    described.set(key, yield* byAttributes(target, JSON.parse(key) as Record<string, unknown>))
  }
  visit((value, at, found) => {
    const attributes = isDictionary(value) && !("id" in value) ? value : undefined
    if (found === undefined && attributes === undefined) return slot.isLast ? (idOfName(value) ?? value) : value
    const answer = found === undefined ? described.get(JSON.stringify(value)) : named.get(keyOf(found, at))!.answer
    if (typeof answer === "number") return answer
    const unnamed = unnamedIn(attributes)
    if (target === type && unnamed === undefined && (found === undefined || answer === undefined)) {
      early.set(at, (early.get(at) ?? new Set()).add(name))
    }
    if (unnamed !== undefined) errors[at]![field] = [namelessText(unnamed)]
    else if (found !== undefined && typeof answer === "string") errors[at]![field] = [answer]
    else if (slot.isLast) errors[at]![field] = [answer ?? `Related object not found: ${pythonRepr(value)}`]
    return found?.key === undefined && found !== undefined && !/^\d+$/.test(found.text)
      ? { [naturalKey(target)]: found.text }
      : value
  })
  for (const [at, record] of records.entries()) {
    if (record === undefined || !Object.hasOwn(record, name)) continue
    const value = record[name]
    if (into !== name || Object.hasOwn(errors[at]!, field)) delete record[name]
    if (into !== name && !Object.hasOwn(errors[at]!, field)) record[into] = value
  }
})
