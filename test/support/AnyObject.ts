/**
 * Objects of any type, made from its declaration alone: bodies that the API accepts, and objects made of them.
 *
 * Rules are not part of the declaration, for example that a rack must be in the site of its device. They are found by
 * trying: a body that is refused is sent again without the optional fields that the answer names, and if that does not
 * help, another body is drawn.
 */
import fc from "fast-check"
import type { Field } from "../../src/inventory/Field.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { registry } from "../../src/inventory/Registry.ts"
import { canonical } from "../inventory/Rows.ts"
import type { Call, Json, Reply } from "./Client.ts"
import { codePoint } from "./CodePoint.ts"
import { seedOf } from "./Seed.ts"

/** Ids of existing objects, by object type. */
export type Existing = (type: string) => ReadonlyArray<number>

/** In place of an object type: the interfaces that a wireless link may join. */
const wirelessInterfaces = "dcim.interface of a wireless type"

/** Target types for generic references whose declaration allows any type. */
const anything = ["dcim.site", "dcim.device", "ipam.prefix"]

/** Object types that users can write. A type comes after those that it refers to, unless they refer to each other. */
export const typesInOrder = (): ReadonlyArray<ObjectType> => {
  const left = new Set([...registry.values()].filter(({ kind, isReadOnly }) => kind === "object" && !isReadOnly))
  const ordered: Array<ObjectType> = []
  const missing = (type: ObjectType, isNeeded: (field: Field) => boolean) =>
    Object.values(type.fields)
      .filter((field) => isWritten(field) && isNeeded(field))
      .flatMap(({ reference, generic }) => [
        ...(reference === undefined ? [] : [reference.type]),
        ...(generic === undefined ? [] : (generic.types ?? anything))
      ])
      .filter((id) => id !== type.id && [...left].some((other) => other.id === id)).length
  while (left.size > 0) {
    const possible = [...left].filter((type) => missing(type, ({ initial }) => initial === undefined) === 0)
    const next = possible.sort((a, b) => missing(a, () => true) - missing(b, () => true))[0]!
    left.delete(next)
    ordered.push(next)
  }
  return ordered
}

export const isWritten = ({ wire }: Field): boolean => wire === "both" || wire === "write" || wire === "once"

/** Counts up, so that every object has a text of its own. */
let made = 0
const word = fc
  .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 })
  .map((text) => `${text.trim() || "x"} ${(made++).toString(36)}`)

const texts = fc.oneof(
  { weight: 8, arbitrary: word },
  {
    weight: 2,
    arbitrary: fc.string({ unit: codePoint, maxLength: 40 }).map((text) => text.replaceAll("\0", "").trim())
  },
  { weight: 4, arbitrary: fc.nat(1e9).map((n) => `s-${n.toString(36)}-${(made++).toString(36)}`) },
  { weight: 2, arbitrary: fc.nat(0xffffff).map((n) => n.toString(16).padStart(6, "0")) },
  fc.emailAddress(),
  fc.webUrl(),
  fc.constant("")
)

const numbers = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: 1, max: 4094 }),
  fc.integer({ min: -100, max: 65_536 }),
  fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  fc.integer({ min: 0, max: 200 }).map((half) => half / 2)
)

/** Whether a value is drawn from the object types that exist. */
const isOfTypes = ({ grammar }: Field): boolean => grammar === "objectTypes" || grammar === "webhookTypes"

/** JSON values for a field, of whatever type. */
const valueOf = (field: Field): fc.Arbitrary<unknown> => {
  if (field.choices !== undefined) return fc.constantFrom(...Object.keys(field.choices))
  if (field.type === "text") return texts
  if (field.type === "text[]") {
    return isOfTypes(field)
      ? fc.subarray(["dcim.site", "ipam.prefix", "dcim.device"], { minLength: 1 })
      : fc.array(word, { maxLength: 3 })
  }
  if (field.type === "bigint" || field.type.startsWith("numeric")) return numbers
  if (field.type === "integer[]") return fc.array(fc.integer({ min: 1, max: 4094 }), { minLength: 1, maxLength: 4 })
  if (field.type === "jsonb") return fc.oneof(canonical(field), fc.dictionary(fc.string(), fc.integer()))
  return canonical(field)
}

/** An image of one pixel. */
export const pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="

/** The ids that a reference may have: not every interface can have a wireless link. */
const targetsOf = ({ id }: ObjectType, target: string, existing: Existing): ReadonlyArray<number> => {
  const wireless = id === "wireless.wirelesslink" && target === "dcim.interface" ? existing(wirelessInterfaces) : []
  return wireless.length === 0 ? existing(target) : wireless
}

const inputOf = (type: ObjectType, name: string, existing: Existing): fc.Arbitrary<unknown> => {
  const field = type.fields[name]!
  if (field.grammar === "url") return fc.constant("https://receiver.example/")
  if (field.format === "image") return fc.constant(pixel)
  if (field.grammar === "jinja") return word.map((text) => `{{ object.name }} ${text.replaceAll(/[{}]/g, "")}`)
  if (field.grammar !== undefined && !isOfTypes(field)) return fc.constant(field.initial?.())
  const ids = field.reference === undefined ? [] : targetsOf(type, field.reference.type, existing)
  if (field.reference?.many === true) {
    if (!name.endsWith("_terminations")) return fc.subarray([...ids], { maxLength: Math.min(ids.length, 3) })
    // Each further interface may be virtual, or have a cable.
    return fc
      .subarray([...ids], { minLength: 1, maxLength: 2 })
      .map((each) => each.map((id) => ({ object_type: "dcim.interface", object_id: id })))
  }
  if (field.reference !== undefined) return ids.length === 0 ? fc.constant(null) : fc.constantFrom(...ids)
  if (name === "custom_fields") return fc.constant({})
  return valueOf(field).filter((value) => value !== undefined && "value" in field.parse(value))
}

/** A reference to one of several types: both of its fields. */
const genericsOf = (type: ObjectType, existing: Existing): ReadonlyArray<fc.Arbitrary<Json>> =>
  Object.entries(type.fields).flatMap(([name, { generic }]) => {
    if (generic === undefined) return []
    const types = (generic.types ?? anything).filter((id) => existing(id).length > 0)
    const targets = types.flatMap((id) => existing(id).map((key) => ({ [name]: id, [generic.id]: key })))
    return [targets.length === 0 ? fc.constant<Json>({}) : fc.constantFrom<Json>(...targets)]
  })

const wirelessType = "ieee802.11ac"

let interfaces = 0

/** Values that are not drawn at random. */
const settled: Readonly<Record<string, () => Json>> = {
  // It would be read, and its status change.
  "extras.source": () => ({ enabled: false }),
  // A source has no object types before it is read.
  "extras.webhook": () => ({ source: null }),
  "extras.configtemplate": () => ({ template_code: "hostname {{ device.name }}" }),
  // A required custom field would be required of all objects made later.
  "extras.customfield": () => ({ required: false }),
  // Only a parent has device bays, and a child has no place in a rack.
  "dcim.devicetype": () => ({ subdevice_role: "parent" }),
  // Links need interfaces of a wireless type, and cables those with a free socket. Bodies are drawn by the sixty.
  "dcim.interface": () => {
    interfaces += 1
    if (interfaces % 7 < 2) return { type: wirelessType }
    return interfaces % 7 < 5 ? { type: "1000base-t", mark_connected: false } : {}
  },
  // A VLAN must be in the range of its group, and random ranges are narrow.
  "ipam.vlangroup": () => ({ min_vid: 1, max_vid: 4094 }),
  // A front port has a free position of a rear port of the same type.
  "dcim.rearporttemplate": () => ({ module_type: null, positions: 1024 }),
  "dcim.frontporttemplate": () => ({ module_type: null }),
  "dcim.rearport": () => ({ positions: 1024 }),
  // Racks have up to 100 units, and each unit is reserved once.
  "dcim.rackreservation": () => {
    made += 1
    return { units: [1 + (made % 20)] }
  },
  "ipam.asnrange": () => ({ start: 1 + made, end: 2 + made }),
  // Others take two terminations.
  "ipam.l2vpn": () => ({ type: "vxlan" }),
  // Two random addresses rarely make a range, and ranges must not overlap.
  "ipam.iprange": () => {
    const [high, low] = [Math.floor(made / 256) % 256, made % 256]
    made += 1
    return { start_address: `10.${high}.${low}.1/24`, end_address: `10.${high}.${low}.9/24` }
  }
}

/** A body for the type: all required fields, and each optional field in half of the bodies, or in none. */
export const anyObject = (type: ObjectType, existing: Existing, isShort = false): fc.Arbitrary<Json> => {
  const generic = new Set(
    Object.entries(type.fields).flatMap(([name, field]) =>
      field.generic === undefined ? [] : [name, field.generic.id]
    )
  )
  const written = Object.keys(type.fields).filter((name) => isWritten(type.fields[name]!) && !generic.has(name))
  const needed = written.filter((name) => type.fields[name]!.initial === undefined)
  const drawn = isShort ? needed : written
  const own: fc.Arbitrary<Json> = fc.record(
    Object.fromEntries(drawn.map((name) => [name, inputOf(type, name, existing)])),
    { requiredKeys: needed, noNullPrototype: true }
  )
  return fc
    .tuple(own, ...genericsOf(type, existing))
    .map((parts): Json => Object.assign({}, ...(parts as ReadonlyArray<object>), settled[type.id]?.()))
}

const triesMax = 60

/**
 * Sends bodies of the type until one is accepted; returns the object. Fails when none is. A field that is refused is left
 * out. A rule may name fields that the body does not have: where no whole body meets it, others are left out one by one.
 */
export const writeAny = async (
  type: ObjectType,
  bodies: Iterable<Json>,
  write: (body: Json) => Promise<Reply<Json>>
): Promise<Json & { readonly id: number }> => {
  let refusal = ""
  const isOptional = (name: string) => type.fields[name]?.initial !== undefined
  for (const strips of [false, true])
    for (const drawn of bodies) {
      const body: Record<string, unknown> = { ...drawn }
      for (let left = Object.keys(body).length; left >= 0; left--) {
        const { status, json, text } = await write(body)
        if (status < 300) return json as Json & { readonly id: number }
        refusal = `${JSON.stringify(body)} -> ${status} ${text}`
        if (status !== 400) throw new Error(refusal)
        const optional = Object.keys(body).filter(isOptional)
        const wrong = optional.filter((name) => Object.hasOwn(json, name))
        if (wrong.length === 0 && strips) wrong.push(...optional.slice(0, 1))
        if (wrong.length === 0) break
        for (const name of wrong) delete body[name]
      }
    }
  throw new Error(`no ${type.id} was taken, at last ${refusal}`)
}

/** Bodies to try; they follow from the seed of the run and `salt`. */
export const bodiesOf = (type: ObjectType, existing: Existing, salt: number, isShort = false): Iterable<Json> =>
  fc.sample(anyObject(type, existing, isShort), { numRuns: triesMax, seed: seedOf(salt) })

/**
 * Types of which there are more, with their required fields alone: a cable needs up to four interfaces without one, a
 * module an empty bay, and a circuit has two terminations.
 */
const manifold: Readonly<Record<string, number>> = { "dcim.interface": 20, "dcim.modulebay": 5, "circuits.circuit": 3 }

/** Makes some objects of every type; returns the ids of all. */
export const makeWorld = async (call: Call, count: number): Promise<Existing> => {
  const ids = new Map<string, Array<number>>()
  const existing: Existing = (type) => ids.get(type) ?? []
  for (const type of typesInOrder()) {
    const own: Array<number> = []
    for (let at = 0; at < count * (manifold[type.id] ?? 1); at++) {
      const bodies = bodiesOf(type, existing, at, at >= count)
      const object = await writeAny(type, bodies, (body) => call<Json>("POST", type.path, body))
      own.push(object.id)
      ids.set(type.id, own)
      const isWireless = (object["type"] as Json | null | undefined)?.["value"] === wirelessType
      if (isWireless && type.id === "dcim.interface")
        ids.set(wirelessInterfaces, [...existing(wirelessInterfaces), object.id])
    }
  }
  return existing
}
