/**
 * An object type: a declared kind of object.
 *
 * From the one declaration come its table, its migration, its endpoints and filters, its representations and its
 * events. A file under `types/<app>/` declares it; nothing else needs to know its name.
 */
import type { Errors, Field, Row, View } from "./Field.ts"
import { time } from "./field/Scalar.ts"

export { color, email, slug, text } from "./field/Text.ts"
export { choice, decimal, flag, integer, json, jsonText, time, uuid } from "./field/Scalar.ts"
export { password, sealed, tokenKey } from "./field/Secret.ts"
export { ref, refs, tags } from "./field/Reference.ts"
export { texts } from "./field/List.ts"
export { networks } from "./field/Networks.ts"

export interface Unique {
  readonly fields: ReadonlyArray<string>
  /** Holds only among rows in which this reference is empty. */
  readonly whereNull?: string
  /** The message, where the usual one (`<label> with this <fields> already exists.`) does not say it. */
  readonly message?: string
}

export interface Declaration {
  readonly app: string
  /** Model name, lower case, without separators: `sitegroup`. */
  readonly name: string
  /** The collection in URLs: `site-groups`. */
  readonly plural: string
  /** The name in messages, where it differs from `name`: `site group`. */
  readonly label?: string
  readonly fields: Readonly<Record<string, Field>>
  /** Uniqueness of several fields together; of one field it stands on the field. */
  readonly unique?: ReadonlyArray<Unique>
  /** Field lists with an index of their own, beside those of references and uniqueness. */
  readonly indexes?: ReadonlyArray<ReadonlyArray<string>>
  /** The field by which filters of other types name an object; usual is the slug, the username or the name. */
  readonly key?: string
  /** Filters that ask about other objects: name -> steps to what is asked about (derive/Path.ts), `device/site/region`. */
  readonly paths?: Readonly<Record<string, string>>
  /** Fields that `q` looks into. */
  readonly search: ReadonlyArray<string>
  /** Fields of the usual order; `-` before one turns it. The id breaks ties. */
  readonly ordering: ReadonlyArray<string>
  /** Fields of the brief (nested) representation, beside id, url and display. */
  readonly brief: ReadonlyArray<string>
  readonly display: (row: Row, view: View) => string
  /** Rules about several fields of a row that is about to be written. */
  readonly check?: (row: Row) => Errors
  /** For records: kept in a partition per day of `time`, so that old days are dropped and not deleted. */
  readonly daily?: boolean
  /** Whether processes that listen are told of every change of a row at its commit (Functions.ts). */
  readonly announced?: boolean
  /**
   * `object` (usual): people keep it, its changes are events. `account`: people keep it, its changes are nobody's
   * business. `record`: the service writes it, on the wire it is read only.
   */
  readonly kind?: "object" | "account" | "record"
}

export interface ObjectType extends Required<Omit<Declaration, "check" | "key">> {
  readonly key: string | undefined
  /** `dcim.site`. */
  readonly id: string
  /** `dcim_site`. */
  readonly table: string
  /** `/api/dcim/sites/`. */
  readonly path: string
  readonly check: (row: Row) => Errors
  /** Column name by field name, in the order of the table. */
  readonly columns: Readonly<Record<string, string>>
}

/** Completes a declaration. Names that do not fit together are a defect of the file: they end the start. */
export const defineObjectType = (declaration: Declaration): ObjectType => {
  const { app, name } = declaration
  const kind = declaration.kind ?? "object"
  const times: Readonly<Record<string, Field>> =
    kind === "object"
      ? { created: time({ now: true, wire: "read" }), last_updated: time({ now: true, wire: "read" }) }
      : {}
  const fields = { ...declaration.fields, ...times }
  const named = [
    ...declaration.search,
    ...declaration.brief,
    ...declaration.ordering.map((field) => field.replace(/^-/, "")),
    ...(declaration.unique ?? []).flatMap((unique) => unique.fields)
  ]
  for (const field of named) {
    if (!Object.hasOwn(fields, field)) throw new Error(`${app}.${name} names a field that it does not have: ${field}`)
  }
  return {
    label: name,
    unique: [],
    indexes: [],
    paths: {},
    key: undefined,
    announced: false,
    daily: false,
    check: () => ({}),
    ...declaration,
    kind,
    fields,
    id: `${app}.${name}`,
    table: `${app}_${name}`,
    path: `/api/${app}/${declaration.plural}/`,
    columns: Object.fromEntries(
      Object.entries(fields).map(([field, { reference }]) => [
        field,
        reference !== undefined && !reference.many ? `${field}_id` : field
      ])
    )
  }
}
