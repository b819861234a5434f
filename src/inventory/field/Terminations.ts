import {
  type Field,
  type ParseResult,
  type Row,
  invalid,
  isDictionary,
  makeField,
  notList,
  printed,
  typeName,
  value
} from "../Field.ts"
import { literal } from "../../postgres/Literal.ts"
import { destinationIds, endTypeIds, pairs, usualEnd } from "../shared/cable/Ends.ts"
import { typeNamed } from "./Ends.ts"
import { type Target, refs, targetOf } from "./Reference.ts"

/** An end of a cable as a write names it. `Resolve.ts` makes the ids and their type of all of a side. */
export interface NamedEnd {
  readonly type: string
  readonly target: Target
}

/** Most ends of one side, as NetBox' forms allow. */
const endsMax = 1024

const choicesOf = (types: ReadonlyArray<string>) => Object.fromEntries(types.map((id) => [id, id]))

const isOneOf = (texts: ReadonlyArray<string>): string => `$ = any (array[${texts.map(literal).join(", ")}])`

/** The object type of the ends of one side of a cable. It is no value of its own on the wire. */
export const endType = (constraint?: string): Field<string> =>
  makeField(
    {
      type: "text",
      choices: choicesOf(endTypeIds),
      wire: "none",
      sqlDefault: literal(usualEnd),
      initial: () => usualEnd,
      constraint: constraint ?? isOneOf(endTypeIds),
      parse: value
    },
    {}
  )

/** The type of the other side too: the pair is one that may be joined. */
export const otherEndType = (first: string): Field<string> =>
  endType(`${isOneOf(endTypeIds)} and ${first} || ' ' || ${isOneOf(pairs.map(([a, b]) => `${a} ${b}`))}`)

/** The ends of one side of a cable, objects of one type, each named as `{object_type, object_id}`, and shown with its object. */
export const terminations = (typeIn: string): Field<ReadonlyArray<number>> => {
  const list = refs(usualEnd)
  const reference = { ...list.reference!, ends: { typeIn, types: endTypeIds } }
  const named = (ids: unknown, row: Row | undefined) =>
    (ids as ReadonlyArray<number>).map((id) => ({ object_type: typeNamed(reference, row), object_id: id }))
  return makeField(
    {
      ...list,
      reference,
      initial: undefined,
      sqlDefault: undefined,
      represent: (ids, view, _, row) =>
        named(ids, row).map((end) => ({ ...end, object: view.nested(end.object_type, end.object_id) })),
      snapshot: (ids, _, __, row) => named(ids, row),
      parse
    },
    {}
  )
}

const parse = (input: unknown): ParseResult => {
  if (!Array.isArray(input)) return invalid(notList(input))
  if (input.length > endsMax) return invalid(`Ensure this field has no more than ${endsMax} elements.`)
  const ends: Array<NamedEnd> = []
  for (const each of input as ReadonlyArray<unknown>) {
    const type = isDictionary(each) ? each["object_type"] : undefined
    if (!isDictionary(each) || typeof type !== "string" || !endTypeIds.includes(type)) {
      return invalid(`Invalid content type: ${isDictionary(each) ? printed(type) : typeName(each)}`)
    }
    if (each["object_id"] === undefined) return invalid("object_id: This field is required.")
    const target = targetOf(each["object_id"])
    if (target === undefined) {
      return invalid(`Incorrect type. Expected pk value, received ${typeName(each["object_id"])}.`)
    }
    ends.push({ type, target })
  }
  return value(ends)
}

/** Where the path of an endpoint leads, where it is more than the endpoint's own cable (shared/cable/PathSql.ts). */
export const pathFields = () => ({
  connected_type: makeField<string | null>(
    {
      type: "text",
      choices: choicesOf(destinationIds),
      constraint: isOneOf(destinationIds),
      nullable: true,
      wire: "none",
      initial: () => null,
      parse: value
    },
    {}
  ),
  connected_ids: makeField<ReadonlyArray<number>>(
    {
      ...refs(usualEnd),
      wire: "none",
      reference: {
        ...{ type: usualEnd, many: true, onDelete: "keep", bare: false },
        ends: { typeIn: "connected_type", types: destinationIds }
      }
    },
    {}
  ),
  path_active: makeField<boolean | null>(
    {
      type: "boolean",
      nullable: true,
      wire: "none",
      initial: () => null,
      fromText: (text) => text === "t",
      parse: value
    },
    {}
  )
})
