import {
  type Field,
  type Optional,
  type Options,
  type ParseResult,
  type Reference,
  type Row,
  idIn,
  invalid,
  isDictionary,
  makeField,
  notList,
  typeName,
  value
} from "../Field.ts"
import { Unreadable, bounds, parseInteger, shownOf } from "../Unreadable.ts"
import { pythonRepr } from "../name/PythonRepr.ts"

/**
 * How a write names an object: by its id, or by attributes that only it has. `Resolve.ts` finds the id, with one query
 * per referenced object type and request.
 */
export type Target = { readonly id: number } | { readonly attributes: Readonly<Record<string, unknown>> }

interface ReferenceOptions extends Options {
  readonly onDelete: Reference["onDelete"]
  /** Defaults to the user who creates the object. */
  readonly byAuthor?: boolean
  /** Whether it is shown as its id alone: always, or in a brief representation only. */
  readonly bare?: boolean | "brief"
  readonly wholeSubtree?: boolean
  /** The fields of the nested object, where they are not those of its brief representation. */
  readonly shows?: ReadonlyArray<string>
}

/** A reference to one object: its id in the table, its brief representation on the wire; or its id there too. */
export const ref = <const O extends ReferenceOptions>(type: string, options: O): Field<Optional<O, number>> =>
  makeField(
    {
      type: "bigint",
      nullable: options.optional === true,
      // The author takes the place of a null in a new row (Draft.ts).
      initial: options.optional === true || options.byAuthor === true ? () => null : undefined,
      // Its foreign key holds nothing for the replica role.
      constraint: bounds.integer,
      sparesOldRows: true,
      reference: {
        type,
        many: false,
        onDelete: options.onDelete,
        bare: options.bare ?? false,
        shows: options.shows,
        wholeSubtree: options.wholeSubtree === true
      },
      byAuthor: options.byAuthor,
      fromText: parseInteger,
      represent: (id, view) =>
        typeof id === "number" && options.bare !== true ? view.nested(type, id, options.shows) : shownOf(id),
      representBriefly: options.bare === "brief" ? shownOf : undefined,
      parse: parseTarget
    },
    options
  )

/** Most objects that a request may name in one list; an interface has 4,094 VLANs at most. */
export const namedMax = 5000

/** Most objects of one list that may be named by attributes: each may cost a query. */
const describedMax = 250

const describedIn = (names: ReadonlyArray<unknown>): number =>
  names.filter((each) => isDictionary(each) && !("id" in each)).length

/** Whether a list names so many objects that it is refused. */
export const namesTooMany = (input: unknown): boolean =>
  Array.isArray(input) && (input.length > namedMax || describedIn(input) > describedMax)

/**
 * References to several objects: `bigint[]` in the table, kept valid by triggers, so that a change of them is a change
 * of the row. Brief representations on the wire; in a snapshot their ids, where nothing else is said.
 */
export const refs = (
  type: string,
  snapshot: Field["snapshot"] = (ids) => ids,
  isNested = false
): Field<ReadonlyArray<number>> =>
  makeField(
    {
      type: "bigint[]",
      initial: () => [],
      sqlDefault: "'{}'",
      reference: { type, many: true, onDelete: "set null", bare: false, isNested },
      constraint: bounds.integers,
      sparesOldRows: true,
      // Only plain SQL can store a null here; it refers to nothing.
      fromJson: (ids) => (ids as ReadonlyArray<unknown>).filter((id) => id !== null),
      fromText: idsOf,
      represent: (ids, view) => (ids as ReadonlyArray<number>).map((id) => view.nested(type, id)).filter(Boolean),
      snapshot,
      parse: (input) => {
        const refused = (message: string): ParseResult =>
          isNested ? { errors: { non_field_errors: [message] } } : invalid(message)
        if (!Array.isArray(input)) return refused(notList(input))
        if (input.length > namedMax) return refused(`Ensure this field has no more than ${namedMax} elements.`)
        const described = describedIn(input)
        if (described > describedMax) {
          return invalid(`Ensure that no more than ${describedMax} objects are named by attributes; ${described} are.`)
        }
        const targets = input.map(targetOf)
        const wrong = targets.findIndex((target) => target === undefined)
        if (wrong < 0) return value(targets)
        if (!isNested) return invalid(`Incorrect type. Expected pk value, received ${typeName(input[wrong])}.`)
        return { errors: targets.map((target, at) => (target === undefined ? [unrecognized(input[at])] : {})) }
      }
    },
    {}
  )

/** The ids of a list as the WAL carries it. */
const idsOf = (text: string): unknown => {
  const ids =
    text === "{}"
      ? []
      : text
          .slice(1, -1)
          .split(",")
          .filter((id) => id !== "NULL")
          .map(parseInteger)
  return ids.find((id) => id instanceof Unreadable) ?? ids
}

/** The tags of an object; sorted names in a snapshot. */
export const tags = (): Field<ReadonlyArray<number>> =>
  refs(
    "extras.tag",
    (ids, view) =>
      (ids as ReadonlyArray<number>)
        .map((id) => view.row("extras.tag", id))
        .filter((tag): tag is Row => tag !== undefined)
        .map((tag) => String(tag["name"]))
        .sort(),
    true
  )

/** References to several objects that are shown and named by one of their unique fields; a text of digits is an id. */
export const refsBy = (type: string, key: string): Field<ReadonlyArray<number>> => {
  const field = refs(type)
  return {
    ...field,
    reference: { ...field.reference!, shownBy: key },
    represent: (ids, view) =>
      (ids as ReadonlyArray<number>).flatMap((id) => {
        const shown = view.row(type, id)?.[key]
        return typeof shown === "string" ? [shown] : []
      }),
    parse: (input) =>
      field.parse(
        Array.isArray(input)
          ? input.map((each: unknown) => (typeof each === "string" && !/^\d+$/.test(each) ? { [key]: each } : each))
          : input
      )
  }
}

const parseTarget = (input: unknown): ParseResult => {
  const target = targetOf(input)
  return target === undefined ? invalid(unrecognized(input)) : value(target)
}

/** How the value names an object; undefined if it names none. */
export const targetOf = (input: unknown): Target | undefined => {
  // A brief representation from an answer is accepted: it names its object by id.
  const isById = isDictionary(input) && "id" in input
  const id = idIn(isById ? input["id"] : input)
  if (id !== undefined) return { id }
  return isDictionary(input) && !isById ? { attributes: input } : undefined
}

const unrecognized = (input: unknown): string => {
  const named = isDictionary(input) && "id" in input ? input["id"] : input
  const shown = typeof named === "string" ? named : pythonRepr(named)
  return `Related objects must be referenced by numeric ID or by dictionary of attributes. Received an unrecognized value: ${shown}`
}
