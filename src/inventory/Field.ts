/**
 * A field: how its value is stored in Postgres, read from the wire, from SQL and from the WAL, and shown.
 *
 * A field has one canonical value wherever it came from, so that the API and capture represent a row alike: text,
 * boolean, number, `null`, ISO 8601 text for a time, an id for a reference, a list of ids for several, JSON for JSON.
 */
import type { Vault } from "./Vault.ts"
import { ExactNumber } from "../postgres/ExactJson.ts"
import type { Hiding } from "./field/hidden/Hiding.ts"

/** An object as a row: canonical values by field name. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: number }

/** Fields by name, as a declaration has them. */
export type Fields = Readonly<Record<string, Field>>

/** The row of an object type, or of its fields: each field's own type of value by its name. */
export type RowOf<T extends { readonly fields: Fields }> = {
  readonly [Name in keyof T["fields"]]: T["fields"][Name] extends Field<infer Value> ? Value : never
} & { readonly id: number }

/**
 * The faults of a field: messages; of a list of objects, messages for each of them, `{}` for a good one; of a list
 * of values, messages by position.
 */
export type Messages =
  | ReadonlyArray<string>
  | ReadonlyArray<ReadonlyArray<string> | Readonly<Record<string, never>>>
  | Readonly<Record<string, ReadonlyArray<string>>>

/** By field name; `__all__` for rules about several fields. */
export type Errors = Readonly<Record<string, Messages>>

/** The definition of a custom field, as far as a representation reads it. */
export interface CustomDefinition {
  readonly name: string
  readonly type: string
  /** The type of the objects that its values name, null where they name none. */
  readonly object_type: string | null
}

/** The other data that a representation may read. */
export interface View {
  /** Address before `/api/…`, without a trailing slash. */
  readonly base: string
  /** Another object by object type and id; undefined when it is gone or the field is empty. */
  readonly row: (type: string, id: number) => Row | undefined
  /** The name of objects of a type: `site group`. */
  readonly label: (type: string) => string
  /** Its nested (brief) representation, or the same with `shows` for the fields; null when it is gone. */
  readonly nested: (type: string, id: number, shows?: ReadonlyArray<string>) => Readonly<Record<string, unknown>> | null
  /** The values that a condition's path finds in the events of a type; undefined where none has it (EventPaths.ts). */
  readonly eventPath: (
    type: string,
    path: ReadonlyArray<string>,
    isChange: boolean
  ) => "value" | "object" | "objects" | "anything" | undefined
  /** Opens a sealed copy; absent where copies are not shown. */
  readonly reveal?: ((sealed: string) => string | undefined) | undefined
  /**
   * The config context of an object by its local context; null where it is too large to be merged, undefined where it
   * was not read.
   */
  readonly configContext?: (id: number, local: unknown) => Dictionary | null | undefined
  /** The custom fields of an object type, in their order. */
  readonly customFields: (type: string) => ReadonlyArray<CustomDefinition>
  /**
   * The counts of an object (see Counted.ts), and the ids of what points at it; undefined where they were not read, as
   * for nested objects and in events.
   */
  readonly counted: (type: string, id: number) => Readonly<Record<string, unknown>> | undefined
}

/** The visibility of a field: `once` is shown only in the answer to its creation, `none` never leaves the database. */
type Wire = "both" | "read" | "write" | "once" | "none"

/** Returns the fault of a value, or undefined if it is valid. `row` is the whole object as it would be written. */
type Check = (value: unknown, row: Readonly<Record<string, unknown>>) => string | undefined

/** The grammar of a value: its check, or the name by which the stage that owns it registers the check (see Grammar.ts). */
export type GrammarOf = Check | string

export interface Reference {
  /** The object type pointed at, `app.name`. */
  readonly type: string
  readonly many: boolean
  /**
   * The effect of deleting the referenced object: `protect` refuses the deletion; `keep` leaves the id, for
   * records, which outlive the objects that they describe. A list of references always just loses the id.
   */
  readonly onDelete: "cascade" | "set null" | "protect" | "keep"
  /** Whether it is shown as its id alone, where NetBox does so: always, or in a brief representation only. */
  readonly bare: boolean | "brief"
  /**
   * The fields of the nested object, where NetBox shows others here than those of its brief representation. References
   * among them must be in the brief representation too.
   */
  readonly shows?: ReadonlyArray<string> | undefined
  /** The field of the other object that is shown, and by which a text names it, where NetBox shows no nested objects. */
  readonly shownBy?: string
  /** Whether errors are reported object by object, as NetBox does for tags; for other lists only the first. */
  readonly isNested?: boolean
  /** For a list of objects of one of several types, shown and named as `{object_type, object_id}`: `type` is the usual one. */
  readonly ends?: Ends
  /** For a parent in a tree: whether its filter finds all descendants of the parent, and not its children only. */
  readonly wholeSubtree?: boolean
}

/** The types of a list of objects. */
export interface Ends {
  /** The field with the type of all objects of the list. */
  readonly typeIn: string
  readonly types: ReadonlyArray<string>
}

/** A reference to an object of one of several types: this field holds the type, another one the id. */
export interface Generic {
  /** The object types allowed; undefined allows every type of kind `object`. */
  readonly types: ReadonlyArray<string> | undefined
  /** The field of the id. */
  readonly id: string
  /** The name by which the object is shown, if it is not that of the id without `_id`. */
  readonly shownAs?: string | undefined
  readonly onDelete: "cascade" | "set null"
}

/** A value of `undefined` means: treat the field as absent from the request. */
export type ParseResult = { readonly value: unknown } | { readonly errors: Messages }

/** `Value` is the type of the canonical value. */
export interface Field<Value = unknown> {
  /** Never set at run time: it carries the type of the values for the compiler. */
  readonly valueType?: Value
  /** Postgres type of the column. */
  readonly type: string
  /** Most characters of a text. */
  readonly maxLength?: number | undefined
  /** The format of a text that is not plain; for descriptions. */
  readonly format?: "slug" | "url" | "email" | "color" | "image" | undefined
  /** The folder of the addresses of an image, below `/media/` (image/ImageField.ts). */
  readonly imageFolder?: string | undefined
  /** For people who fill it in: a sentence, and a value to show in an empty input. */
  readonly help?: string | undefined
  readonly placeholder?: string | undefined
  /** The usual texts of a list that may have others, with their labels. */
  readonly suggested?: Readonly<Record<string, string>> | undefined
  /** SQL condition that every value meets; `$` is the column. */
  readonly constraint?: string | undefined
  /** Whether existing rows may break the constraint: the migration then checks new writes only (`not valid`). */
  readonly sparesOldRows?: boolean
  readonly nullable: boolean
  readonly unique: boolean
  /** Default of a create, in the form that `parse` gives; absent where the field is required. */
  readonly initial?: (() => unknown) | undefined
  /** SQL for the column's default, for inserts by plain SQL. */
  readonly sqlDefault?: string | undefined
  readonly wire: Wire
  /** Whether pages of objects are read without it; what shows it reads it by itself. */
  readonly isApart?: boolean | undefined
  /** Whether filters may query it. */
  readonly isFiltered: boolean
  readonly grammar?: GrammarOf | undefined
  /** The field that determines how this one is interpreted: a write of that field checks this one again. */
  readonly readBy?: string | undefined
  readonly reference?: Reference | undefined
  /** Whether the reference defaults to the user who creates the object. */
  readonly byAuthor?: boolean | undefined
  readonly generic?: Generic | undefined
  /** For records, which outlive the objects they describe: the field with the id of the object whose type this is. */
  readonly describes?: string | undefined
  /** Value and label of each choice. */
  readonly choices?: Readonly<Record<string, string>> | undefined
  readonly parse: (input: unknown) => ParseResult
  /** Returns the stored form of a parsed value, where it differs (hashed, sealed). */
  readonly store?: ((value: string, vault: Vault["Service"]) => string | Promise<string>) | undefined
  /** The field that holds its sealed copy, where one is kept and may be shown (ALLOW_TOKEN_RETRIEVAL). */
  readonly copiedTo?: string | undefined
  /** Stored as the vault seals it. */
  readonly sealed?: boolean | undefined
  /**
   * For a text whose secrets are hidden: how, and the sealed field that keeps them. A row holds the text as it is shown,
   * wherever the row was read from.
   */
  readonly hides?: (Hiding & { readonly keptIn: string }) | undefined
  /** For secrets that are sent: where to, by the row, its texts with their secrets. */
  readonly sentTo?: ((row: Row) => ReadonlyArray<string>) | undefined
  /** Canonical value of what `row_to_json` gives; never called with null. */
  readonly fromJson: (value: unknown) => unknown
  /** Canonical value of Postgres' text format, as the WAL carries it; never called with null. */
  readonly fromText: (text: string) => unknown
  /** `type` is the id of the object type that has the field, `row` the object. */
  readonly represent: (value: unknown, view: View, type: string, row?: Row) => unknown
  /** The same in a brief representation, where NetBox shows something else there: the id or the value alone. */
  readonly representBriefly?: ((value: unknown, view: View, type: string) => unknown) | undefined
  /** Value in the flat snapshot of an event. */
  readonly snapshot: (value: unknown, view: View, type: string, row?: Row) => unknown
}

/** The type of a field's values: nullable if the field is optional and has no default. */
export type Optional<O, Value> = O extends { readonly default: string | number | boolean }
  ? Value
  : O extends { readonly optional: true }
    ? Value | null
    : Value

/** The options that every constructor of a field takes. */
export interface Options {
  /** May be omitted in a create; the kind of field determines `initial`. */
  readonly optional?: boolean
  readonly unique?: boolean
  readonly wire?: Wire
  readonly grammar?: GrammarOf
  readonly readBy?: string
  readonly help?: string
  readonly placeholder?: string
  readonly suggested?: Readonly<Record<string, string>>
}

export const value = (value: unknown): ParseResult => ({ value })
export const invalid = (...errors: ReadonlyArray<string>): ParseResult => ({ errors })

/** The type of a JSON value in the words of NetBox's messages. */
export const typeName = (value: unknown): string => {
  if (value === null || value === undefined) return "NoneType"
  if (Array.isArray(value)) return "list"
  if (value instanceof ExactNumber) return /[.e]/i.test(value.toString()) ? "float" : "int"
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float"
  return typeof value === "string" ? "str" : typeof value === "boolean" ? "bool" : "dict"
}

export type Dictionary = Readonly<Record<string, unknown>>

export const isDictionary = (value: unknown): value is Dictionary =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

/**
 * An empty map for names from outside. It has no prototype: `__proto__` is a key like any other, and `constructor` is
 * not there until somebody sets it.
 */
export const emptyRecord = <A>(): Record<string, A> => Object.create(null) as Record<string, A>

/** A value from outside as text for a message. `String` would call a `toString` that the input defines. */
export const printed = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value))

/** All messages, of all fields and items. */
export const textsIn = (messages: Messages): ReadonlyArray<string> =>
  Object.values(messages).flatMap((each: string | Messages) => (typeof each === "string" ? [each] : textsIn(each)))

export const notDictionary = (value: unknown): string =>
  `Invalid data. Expected a dictionary, but got ${typeName(value)}.`

export const notList = (value: unknown): string => `Expected a list of items but got type "${typeName(value)}".`

/**
 * An id as a request names it: a whole number, or its digits. Undefined for anything else: `true`, "" and "0x1" are no
 * ids, though `Number` reads them as some.
 */
export const idIn = (input: unknown): number | undefined => {
  const id = typeof input === "string" && /^\d{1,16}$/.test(input) ? Number(input) : input
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined
}

/** Whether a number has all digits that its JSON had: a whole number beyond 2^53 may be a neighbour of what was sent. */
export const isExact = (number: number): boolean =>
  Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number)

/** Whether Postgres can keep the text: it knows no zero byte, and no half of a character. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

const itself = (value: unknown): unknown => value

/** Completes a kind of field with the defaults that all kinds share. */
export const makeField = <Value = unknown>(
  kind: Pick<Field, "type" | "parse"> & Partial<Omit<Field<Value>, "type" | "parse">>,
  options: Options
): Field<Value> => ({
  nullable: false,
  isFiltered: true,
  fromJson: itself,
  fromText: itself,
  represent: itself,
  snapshot: itself,
  ...kind,
  unique: options.unique ?? false,
  wire: options.wire ?? kind.wire ?? "both",
  grammar: options.grammar,
  readBy: options.readBy,
  help: options.help ?? kind.help,
  placeholder: options.placeholder ?? kind.placeholder,
  suggested: options.suggested,
  parse: (input) => {
    if (input !== null) return kind.parse(input)
    return kind.nullable === true ? value(null) : invalid("This field may not be null.")
  }
})
