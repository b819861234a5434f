/** Parts of the schemas in which routes declare requests and answers. */
import { Schema } from "effect"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { nameOf } from "../describe/Schemas.ts"

export const string = Schema.String
export const integer = Schema.Int
export const number = Schema.Finite
export const flag = Schema.Boolean
export const time = Schema.String.annotate({ format: "date-time" })
/** An object with any properties. */
export const object = Schema.Record(Schema.String, Schema.Unknown)
export const record = Schema.Struct
export const listOf = Schema.Array
export const orNull = Schema.NullOr
/** A property that may be absent. */
export const optional = Schema.optionalKey

export const words = <const Words extends ReadonlyArray<string>>(...values: Words) => Schema.Literals(values)

export const described = <S extends Schema.Top>(of: S, description: string): S["Rebuild"] =>
  of.annotate({ description })

/** A property of this schema for each of the names. */
export const each = <Name extends string, S extends Schema.Top>(names: ReadonlyArray<Name>, of: S) =>
  Object.fromEntries(names.map((name) => [name, of])) as { readonly [_ in Name]: S }

/** A page of a list, with more beside its results. */
export const pageOf = <S extends Schema.Constraint, More extends Schema.Struct.Fields = {}>(
  results: S,
  more: More = {} as More
) =>
  record({
    count: integer,
    next: orNull(string),
    previous: orNull(string),
    ...more,
    results: listOf(results)
  })

/** The parameters of a page. */
export const page = {
  limit: described(integer, "Most results; 0 for as many as there may be."),
  offset: described(integer, "How many results to pass over.")
}

/** Annotations by which a schema refers to one that is derived from an object type. */
export const derived = { as: "x-derived", beside: "x-derived-beside" } as const

/** An object of the type, as its own endpoint answers it. */
export const objectOf = (type: ObjectType) => object.annotate({ [derived.as]: nameOf(type) })

/** An object of any type, as it is shown inside another one. */
export const brief = object.annotate({ [derived.as]: "Brief" })

/** An object of the type with more properties. */
export const objectWith = <Fields extends Schema.Struct.Fields>(type: ObjectType, more: Schema.Struct<Fields>) =>
  Schema.StructWithRest(more, [object]).annotate({ [derived.beside]: nameOf(type) })

export const oneOrMany = <S extends Schema.Constraint>(of: S) => Schema.Union([of, listOf(of)])

/** Some of the fields of an object of the type, as an update takes them. */
export const partOf = (type: ObjectType) => object.annotate({ [derived.as]: partName(type) })

/** The same with other fields. */
export const partWith = <Fields extends Schema.Struct.Fields>(type: ObjectType, more: Schema.Struct<Fields>) =>
  Schema.StructWithRest(more, [object]).annotate({ [derived.beside]: partName(type) })

const partName = (type: ObjectType): string => `Patched${nameOf(type)}Request`
