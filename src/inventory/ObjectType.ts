/**
 * An object type: a declared kind of object.
 *
 * From the one declaration come its table, its migration, its endpoints and filters, its representations and its
 * events. A file under `types/<app>/` declares it; nothing else needs to know its name.
 */
import type { Settings } from "../Config.ts"
import type { SqlFilter } from "./Asked.ts"
import type { CountSql } from "./Counted.ts"
import type { CoveringIndex } from "./CoveringIndex.ts"
import type { DerivedValue, PointedBy, Shape } from "./Derived.ts"
import type { Field, Fields, RowOf, View } from "./Field.ts"
import { type Panel, fieldsIn } from "./page/Panel.ts"
import type { Creation } from "./shared/Creation.ts"
import type { Bond, RuleViolation, Find, Rival } from "./Rule.ts"
import { genericObjects } from "./field/Generic.ts"
import { time } from "./field/Scalar.ts"

export { type SqlFilter, flagged, pointedAtBy } from "./Asked.ts"
export { type CountSql, bounded, countOf, countOfAny, treeCount, treeDepth } from "./Counted.ts"
export { type PointedBy, nothing } from "./Derived.ts"
export { type Bond, type RuleViolation, type Find, broken } from "./Rule.ts"
export { hostOfUrl } from "./shared/UrlHost.ts"
export { date } from "./field/Calendar.ts"
export { choice } from "./field/Choice.ts"
export { generic } from "./field/Generic.ts"
export { contactPaths, labels, named } from "./shared/Labels.ts"
export { integers, texts } from "./field/List.ts"
export { networks } from "./field/Networks.ts"
export { address, family, mac, prefix, wwn } from "./field/Network.ts"
export { primaryAddresses } from "./shared/PrimaryAddress.ts"
export { ref, refs, refsBy, tags } from "./field/Reference.ts"
export { decimal, flag, integer, json, jsonText, position, time, uuid } from "./field/Scalar.ts"
export { headers, kept, password, receiverAddress, sealed, tokenKey } from "./field/Secret.ts"
export { color, email, slug, text, timeZone, url } from "./field/Text.ts"

export interface Unique {
  readonly fields: ReadonlyArray<string>
  /** Text fields among them whose case does not count. */
  readonly ignoreCase?: ReadonlyArray<string>
  /** Holds only among rows in which this reference is empty. */
  readonly whereNull?: string
  /** The message, where the usual one (`<Label> with this <fields> already exists.`) does not say it. */
  readonly message?: string
}

/** Bounds how many objects of the type may refer to the same object (Quota.ts). */
interface Quota {
  /** The reference. */
  readonly field: string
  readonly max: (settings: Settings["Service"]) => number
  readonly message: (max: number) => string
}

/** A trigger that only one type has: what follows its name in `create trigger`. */
interface Trigger {
  readonly name: string
  readonly sql: string
}

/** The row of a declaration: its own fields, and the times that an object has besides. */
type DeclaredRow<F extends Fields> = RowOf<{ readonly fields: F }> & {
  readonly created?: unknown
  readonly last_updated?: unknown
}

interface Declaration<F extends Fields = Fields> {
  readonly app: string
  /** Model name, lower case, without separators: `sitegroup`. */
  readonly name: string
  /** The collection in URLs: `site-groups`. */
  readonly plural: string
  /** Its group in the menu, where it is not the one of the app. */
  readonly menu?: string
  /** The group of a form for fields that refer to the type, if it is not the usual one. */
  readonly fieldGroup?: string
  /** Groups of its form with their fields, where the usual ones do not do. */
  readonly groups?: Readonly<Record<string, ReadonlyArray<string>>>
  /** The name in messages, where it differs from `name`: `site group`. */
  readonly label?: string
  readonly fields: F
  /** Uniqueness of several fields together; a single field declares `unique` itself. */
  readonly unique?: ReadonlyArray<Unique>
  readonly rivals?: ReadonlyArray<Rival<DeclaredRow<F>>>
  readonly bonds?: ReadonlyArray<Bond<DeclaredRow<F>>>
  readonly quota?: Quota
  readonly creation?: Creation
  /** The field that names the user whom an object acts for: naming another user needs the permission `grant`. */
  readonly owner?: string
  /** Fields that hold snapshots of objects: readers see only the tags there that they may view. */
  readonly snapshots?: ReadonlyArray<string>
  /** Read-only values beside the fields; the object of a generic reference is added automatically. */
  readonly derived?: Readonly<Record<string, DerivedValue<DeclaredRow<F>>>>
  /** References that `derived` follows from the rows that the object points at: `cable.a_terminations`. */
  readonly derivedBy?: ReadonlyArray<string>
  /** Read-only numbers that the database counts or works out when somebody reads the object. */
  readonly counts?: Readonly<Record<string, CountSql>>
  /** The shapes of counts that are no whole numbers. */
  readonly countShapes?: Readonly<Record<string, Shape>>
  /** Read-only objects that name this one in a field of theirs, or that it names; found when somebody reads it. */
  readonly pointedBy?: Readonly<Record<string, PointedBy>>
  /** A statement that fills its table when the table is new, from tables of earlier versions. */
  readonly fill?: string
  /** Field lists with an index of their own, beside those of references and uniqueness. */
  readonly indexes?: ReadonlyArray<ReadonlyArray<string>>
  /** Indexes that hold more columns than they are searched by, or only some of the rows. */
  readonly coveringIndexes?: ReadonlyArray<CoveringIndex>
  readonly triggers?: ReadonlyArray<Trigger>
  /** Statements that make the functions of its triggers. */
  readonly functions?: ReadonlyArray<string>
  /** The field by which filters of other types name an object; usual is the slug, the username or the name. */
  readonly key?: string
  /** The fields that name an object in a file; usual is its unique key, or the first uniqueness of several fields. */
  readonly identity?: ReadonlyArray<string>
  /** Fields that name an object in a file which has none of these; several objects may have the same value. */
  readonly knownBy?: ReadonlyArray<string>
  /**
   * Filters by other objects: name -> steps to the filtered value (derive/filter/Path.ts),
   * `device/site/region`. Of a list one must lead there, and a value that names nothing is no error.
   */
  readonly paths?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Filters that neither a field nor a path expresses. */
  readonly asked?: Readonly<Record<string, SqlFilter>>
  /** Fields that `q` searches. */
  readonly search: ReadonlyArray<string>
  /** Fields of the usual order; `-` before one turns it. The id breaks ties. */
  readonly ordering: ReadonlyArray<string>
  /** The columns of its list in the console beside the name, where the usual ones are not good enough. */
  readonly listed?: ReadonlyArray<string>
  /** The panels of its page in the console, beside its fields. */
  readonly panels?: ReadonlyArray<Panel>
  /** The units of numbers, by field: a text, or the field with it. */
  readonly units?: Readonly<Record<string, string | { readonly in: string }>>
  /** Fields of NetBox that Rackwire does not have, and that a table may still hold: an export of NetBox is read. */
  readonly leftOut?: ReadonlyArray<string>
  /** Fields, derived values and counts of the brief (nested) representation, beside id, url and display. */
  readonly brief: ReadonlyArray<string>
  /** How an object is displayed; the default is its name. */
  display?(row: DeclaredRow<F>, view: View): string
  /** References that `display` follows. */
  readonly displayBy?: ReadonlyArray<string>
  /**
   * Rules about several fields of a row that is about to be written, and about the rows that it points at.
   * `before` is the row as it is, undefined for a new one.
   */
  check?(row: DeclaredRow<F>, find: Find, before: DeclaredRow<F> | undefined): Iterable<RuleViolation>
  /** References that `check` follows; `rack.site`: those of the row pointed at. */
  readonly looksAt?: ReadonlyArray<string>
  /** For records: kept in a partition per day of `time`, so that old days are dropped and not deleted. */
  readonly daily?: boolean
  /** Whether every commit that changes a row notifies the listening processes (DatabaseFunctions.ts). */
  readonly announced?: boolean
  /**
   * `object` (default): written by users, its changes are events. `account`: written by users, its changes are no
   * events. `record`: written by the service, read only in the API.
   */
  readonly kind?: "object" | "account" | "record"
  /** Whether the service alone writes its objects, so that the API only reads them. Always so for records. */
  readonly isReadOnly?: boolean
  /** Whether rows are only added. The service deletes old ones, and their deletion is no event. */
  readonly isAppendOnly?: boolean
}

export interface ObjectType<F extends Fields = Fields> extends Required<
  Omit<Declaration<F>, "key" | "quota" | "owner" | "menu" | "fieldGroup" | "fill">
> {
  readonly menu: string | undefined
  readonly fieldGroup: string | undefined
  readonly quota: Quota | undefined
  readonly owner: string | undefined
  readonly fill: string | undefined
  readonly key: string | undefined
  /** `dcim.site`. */
  readonly id: string
  /** `dcim_site`. */
  readonly table: string
  /** `/api/dcim/sites/`. */
  readonly path: string
  /** Column name by field name, in the order of the table. */
  readonly columns: Readonly<Record<string, string>>
}

/** A snapshot has the day of the creation alone. */
const dayOf = (created: unknown): unknown => (typeof created === "string" ? created.slice(0, 10) : created)

/** When an object was created, and when it was changed last. */
const times = (): Fields => ({
  created: { ...time({ now: true, wire: "read" }), snapshot: dayOf },
  last_updated: time({ now: true, wire: "read" })
})

/** Names of fields that are reserved words of SQL: their columns are called otherwise. */
const reserved: ReadonlySet<string> = new Set(["default", "end"])

const unitFields = (units: ObjectType["units"] = {}): ReadonlyArray<string> =>
  Object.entries(units).flatMap(([field, unit]) => (typeof unit === "string" ? [field] : [field, unit.in]))

/** Completes a declaration. Throws if it names a field that it does not have, so the process does not start. */
export const defineObjectType = <const F extends Fields>(declaration: Declaration<F>): ObjectType<F> => {
  const { app, name } = declaration
  const kind = declaration.kind ?? "object"
  const fields: F & Fields = { ...declaration.fields, ...(kind === "object" && times()) }
  const derived = { ...genericObjects(fields), ...declaration.derived }
  const shown = { ...fields, ...derived, ...declaration.counts }
  const named = [
    ...declaration.search,
    ...[...declaration.brief, ...(declaration.listed ?? [])].filter((field) => !Object.hasOwn(shown, field)),
    ...declaration.ordering.map((field) => field.replace(/^-/, "")),
    ...[...(declaration.displayBy ?? []), ...(declaration.identity ?? []), ...(declaration.knownBy ?? [])],
    ...[...(declaration.looksAt ?? []), ...(declaration.derivedBy ?? [])].map((path) => path.split(".")[0]!),
    ...[...(declaration.indexes ?? []).flat(), ...(declaration.snapshots ?? [])],
    ...(declaration.coveringIndexes ?? []).flatMap(({ fields }) => fields),
    ...Object.values(declaration.groups ?? {}).flat(),
    ...unitFields(declaration.units),
    ...(declaration.panels ?? []).flatMap(fieldsIn).filter((field) => !Object.hasOwn(shown, field)),
    ...(declaration.unique ?? []).flatMap((unique) => [...unique.fields, ...(unique.ignoreCase ?? [])])
  ]
  for (const field of named) {
    if (!Object.hasOwn(fields, field)) throw new Error(`${app}.${name} names a field that it does not have: ${field}`)
  }
  return {
    label: name,
    unique: [],
    rivals: [],
    bonds: [],
    quota: undefined,
    creation: {},
    owner: undefined,
    fill: undefined,
    snapshots: [],
    menu: undefined,
    fieldGroup: undefined,
    groups: {},
    counts: {},
    countShapes: {},
    pointedBy: {},
    indexes: [],
    coveringIndexes: [],
    listed: [],
    panels: [],
    units: {},
    leftOut: [],
    triggers: [],
    functions: [],
    displayBy: [],
    derivedBy: [],
    looksAt: [],
    paths: {},
    asked: {},
    key: undefined,
    identity: [],
    knownBy: [],
    announced: false,
    daily: false,
    isReadOnly: kind === "record",
    isAppendOnly: false,
    check: () => [],
    display: (row) => String(row["name"]),
    ...declaration,
    kind,
    fields,
    derived,
    id: `${app}.${name}`,
    table: `${app}_${name}`,
    path: `/api/${app}/${declaration.plural}/`,
    columns: columnsOf(fields)
  }
}

const columnsOf = (fields: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields).map(([field, { reference }]) => [
      field,
      reference !== undefined && !reference.many ? `${field}_id` : reserved.has(field) ? `${field}_value` : field
    ])
  )

/** The field, or the input of a creation, of a name that is known to be declared. */
export const fieldOf = ({ id, fields, creation }: ObjectType, name: string): Field => {
  const field = fields[name] ?? creation.inputs?.[name]
  if (field === undefined) throw new Error(`${id} has no field ${name}`)
  return field
}

/** The column of a field that is known to be declared. */
export const columnOf = ({ id, columns }: ObjectType, name: string): string => {
  const column = columns[name]
  if (column === undefined) throw new Error(`${id} has no field ${name}`)
  return column
}

/** Memoises a function of an object type. */
export const perType = <A>(make: (type: ObjectType) => A): ((type: ObjectType) => A) => {
  const known = new WeakMap<ObjectType, A>()
  return (type) => {
    const made = known.get(type) ?? make(type)
    known.set(type, made)
    return made
  }
}
