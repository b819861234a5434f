/**
 * The schemas of an object type, derived from its declaration: as it is read, as it appears inside other objects, as a
 * page of a list, and as it is written. Pure.
 */
import { type Json, integer, listOf, object, orNull, schema, string } from "./JsonSchema.ts"
import type { Shape } from "../../inventory/Derived.ts"
import type { Field } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { messageCharsMax } from "../../postgres/Messages.ts"
import { objectType } from "../../inventory/Registry.ts"
import { pointsAlone, viewOf } from "../../inventory/derive/represent/Representation.ts"

const url = { type: "string", format: "uri" }

/** Schemas that all types share: errors by field and in words, and an object of any type inside another one. */
export const common = {
  Detail: { type: "object", properties: { detail: string }, required: ["detail"] },
  Errors: { type: "object", additionalProperties: true },
  Brief: {
    type: "object",
    properties: { id: integer, url, display: string },
    required: ["id", "url", "display"],
    additionalProperties: true
  }
}

/** `dcim.site` -> `DcimSite`. */
export const nameOf = (type: ObjectType): string =>
  type.id.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The field names that a create must have, and the schemas of all fields that a write may have. */
const writtenOf = (type: ObjectType) => {
  const written = Object.entries({ ...type.fields, ...type.creation.inputs }).filter(
    ([, { wire }]) => wire !== "read" && wire !== "none"
  )
  return {
    properties: {
      ...Object.fromEntries(written.map(([name, field]) => [name, described(field, writeSchema(field))])),
      changelog_message: { ...string, maxLength: messageCharsMax, writeOnly: true, description: "Why it is changed." }
    },
    required: written.filter(([, { initial }]) => initial === undefined).map(([name]) => name)
  }
}

export const schemasOf = (type: ObjectType): Json => {
  const name = nameOf(type)
  const shown = shownOf(type)
  const { properties, required } = writtenOf(type)
  // Nested objects have no counts.
  const brief = Object.fromEntries(type.brief.map((each) => [each, briefSchema(type, each)]))
  const always = type.brief.filter((each) => !Object.hasOwn(type.counts, each))
  return {
    [name]: {
      type: "object",
      properties: { ...heading, ...shown.always, ...shown.once },
      required: namesOf(shown.always)
    },
    [`Brief${name}`]: {
      type: "object",
      properties: { ...heading, ...brief },
      required: [...Object.keys(heading), ...always]
    },
    [`Paginated${name}List`]: {
      type: "object",
      properties: {
        count: orNull(integer),
        next: orNull(url),
        previous: orNull(url),
        results: listOf(schema(name))
      },
      required: ["count", "next", "previous", "results"]
    },
    ...(!type.isReadOnly && {
      [`${name}Request`]: { type: "object", properties, ...(required.length > 0 && { required }) },
      [`Patched${name}Request`]: { type: "object", properties }
    })
  }
}

const heading = {
  id: { ...integer, readOnly: true },
  url: { ...url, readOnly: true },
  display: { ...string, readOnly: true }
}

const namesOf = (properties: Json): ReadonlyArray<string> => [...Object.keys(heading), ...Object.keys(properties)]

/** The properties that every answer has, and those that only some have. */
const shownOf = (type: ObjectType): { readonly always: Json; readonly once: Json } => {
  const fields = Object.entries(type.fields)
  const read = fields.filter(([, { wire }]) => wire === "both" || wire === "read")
  const always = {
    ...Object.fromEntries(read.map(([name, field]) => [name, marked(field, readSchema(field))])),
    ...derivedSchemas(type, false),
    ...Object.fromEntries(
      Object.keys(type.counts).map((name) => [name, readOnly(shapeSchema(type.countShapes[name] ?? whole))])
    ),
    ...Object.fromEntries(
      Object.entries(type.pointedBy).map(([name, by]) => {
        const of = by.shown === undefined ? briefOf(by.type, by.shows) : shapeSchema(by.shown.shape)
        return [name, readOnly(pointsAlone(by) ? orNull(of) : listOf(of))]
      })
    )
  }
  const once = fields.filter(([, { wire }]) => wire === "once")
  return {
    always,
    once: { ...derivedSchemas(type, true), ...Object.fromEntries(once.map(([name, field]) => [name, scalar(field)])) }
  }
}

/** `isApart`: those that only some answers have. */
const derivedSchemas = (type: ObjectType, isApart: boolean): Json =>
  Object.fromEntries(
    Object.entries(type.derived)
      .filter(([, derived]) => (derived.isApart === true) === isApart)
      .map(([name, { shape }]) => [name, readOnly(shapeSchema(shape))])
  )

const whole: Shape = { kind: "integer" }

const readOnly = (of: Json): Json => ({ ...of, readOnly: true })
const described = ({ help }: Field, of: Json): Json => (help === undefined ? of : { ...of, description: help })
const marked = (field: Field, of: Json): Json => described(field, field.wire === "read" ? readOnly(of) : of)

/** An object inside another one: its brief representation, or the same with these fields. */
const briefOf = (id: string, shows?: ReadonlyArray<string>): Json => {
  const type = objectType(id)
  if (shows === undefined) return schema(`Brief${nameOf(type)}`)
  const properties = { ...heading, ...Object.fromEntries(shows.map((name) => [name, briefSchema(type, name)])) }
  return { type: "object", properties, required: Object.keys(heading) }
}

const briefSchema = (type: ObjectType, name: string): Json => {
  const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
  if (field !== undefined) return readSchema(field, true)
  const derived = Object.hasOwn(type.derived, name) ? type.derived[name] : undefined
  return shapeSchema(derived?.brief?.shape ?? derived?.shape ?? type.countShapes[name] ?? whole)
}

const families = {
  type: "object",
  properties: { value: { type: "integer", enum: [4, 6] }, label: { type: "string", enum: ["IPv4", "IPv6"] } },
  required: ["value", "label"]
}

const shapes = {
  integer,
  number: { type: "number" },
  text: string,
  flag: { type: "boolean" },
  family: families
} satisfies Readonly<Record<string, Json>>

const shapeSchema = (shape: Shape): Json => {
  if (shape.kind === "nothing") return { type: "null" }
  if (shape.kind === "texts") return listOf(string)
  if (shape.kind === "json") return {}
  if (shape.kind !== "object") return shape.nullable === true ? orNull(shapes[shape.kind]) : shapes[shape.kind]
  const one = shape.type === undefined ? schema("Brief") : briefOf(shape.type)
  const shown = shape.many === true ? listOf(one) : one
  return shape.nullable === true ? orNull(shown) : shown
}

const readSchema = (field: Field, isBrief = false): Json => {
  const { reference } = field
  if (reference !== undefined) {
    const isBare = reference.bare === true || (isBrief && reference.bare === "brief")
    const one = reference.shownBy !== undefined ? string : isBare ? integer : briefOf(reference.type, reference.shows)
    if (reference.many) return listOf(reference.ends === undefined ? one : terminationOf(schema("Brief")))
    // A user who deletes an object leaves null where the reference is only kept.
    return field.nullable || reference.onDelete === "keep" ? orNull(one) : one
  }
  return field.choices === undefined ? scalar(field) : choiceSchema(field, isBrief)
}

const terminationOf = (one: Json): Json => ({
  type: "object",
  properties: { object_type: string, object_id: integer, object: orNull(one) },
  required: ["object_type", "object_id", "object"]
})

/** The schema of a choice: its value alone, or with its label, as the representation shows it. */
const choiceSchema = (field: Field, isBrief: boolean): Json => {
  const represent = (isBrief ? field.representBriefly : undefined) ?? field.represent
  const view = viewOf("", { row: () => undefined })
  const shown = Object.keys(field.choices!).map((choice) => represent(choice, view, ""))
  const none = represent(null, view, "")
  if (typeof shown[0] !== "object") return { type: "string", enum: field.nullable ? [...shown, none] : shown }
  const pairs = shown as ReadonlyArray<{ readonly value: unknown; readonly label: string }>
  const of = {
    type: "object",
    properties: { value: valuesOf(pairs.map(({ value }) => value)), label: string },
    required: ["value", "label"]
  }
  return field.nullable ? orNull(of) : of
}

const valuesOf = (values: ReadonlyArray<unknown>): Json => ({
  type: typeof values[0] === "number" ? "integer" : "string",
  enum: values
})

const writeSchema = (field: Field): Json => {
  const { reference, choices } = field
  if (reference !== undefined) {
    const texts = reference.shownBy === undefined ? [] : [string]
    const named = { oneOf: [...texts, integer, object], description: "An id, or attributes that only it has." }
    if (reference.ends !== undefined) {
      const properties = { object_type: string, object_id: integer }
      return listOf({ type: "object", properties, required: Object.keys(properties) })
    }
    return reference.many ? listOf(named) : field.nullable ? orNull(named) : named
  }
  if (choices === undefined) return scalar(field)
  const values = Object.keys(choices)
  const numbers = values.every((value) => /^\d+$/.test(value))
    ? { anyOf: [valuesOf(values.map(Number)), valuesOf(values)] }
    : undefined
  const of = numbers ?? valuesOf(field.nullable ? [...values, ""] : values)
  return field.nullable ? orNull(of) : of
}

/** By the Postgres type of the column. */
const kinds: ReadonlyArray<readonly [type: RegExp, of: Json]> = [
  [/^text\[\]$/, listOf(string)],
  [/\[\]$/, listOf(integer)],
  [/^(bigint|integer|smallint)/, integer],
  [/^(numeric|real|double)/, { type: "number" }],
  [/^boolean/, { type: "boolean" }],
  [/^(inet|cidr)/, { type: "string", description: "An IPv4 or IPv6 address with its mask." }],
  [/^(text|macaddr)/, string],
  [/^uuid/, { type: "string", format: "uuid" }],
  [/^timestamp/, { type: "string", format: "date-time" }],
  [/^date/, { type: "string", format: "date" }]
]

const formats = { slug: { pattern: "^[-a-zA-Z0-9_]+$" }, url: {}, email: {}, color: {}, image: {} }

const scalar = (field: Field): Json => {
  const of = kinds.find(([type]) => type.test(field.type))?.[1]
  if (of === undefined) return {}
  const bounded = {
    ...of,
    ...(field.format !== undefined && formats[field.format]),
    // An image is written as its bytes, and shown as its address: both are longer than its name.
    ...(field.maxLength !== undefined && field.imageFolder === undefined && { maxLength: field.maxLength })
  }
  return field.nullable ? orNull(bounded) : bounded
}
