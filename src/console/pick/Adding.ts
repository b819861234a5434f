/**
 * Adding the object that a picker does not find: at once where its name and its place are all that the type requires,
 * and else in the form of the type, with what was typed as its name.
 */
import { Effect } from "effect"
import type { Field } from "../../inventory/Field.ts"
import { mayDo } from "../../inventory/Clearance.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import { writtenTypes } from "../form/Opened.ts"
import { withQuery } from "../list/Query.ts"
import { nameOf, pathOf } from "../value/Title.ts"
import { placeOf } from "./Narrowing.ts"
import { searchCharsMax } from "./Targets.ts"

interface Adding {
  /** `rack`, for texts. */
  readonly what: string
  /** The address of the form, filled in. */
  readonly form: string
  /** Whether nothing else is required, so that a click adds it. */
  readonly atOnce: boolean
  /** Values of the new object by field. */
  readonly cells: Readonly<Record<string, string>>
}

/** The field that takes the text that was typed; undefined for types without one. */
const named = perType((type): string | undefined =>
  ["name", "model", naturalKey(type), "address", "prefix", "cid"].find((name) => {
    const field: Field | undefined = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
    return field?.wire === "both" && /^(text|inet|cidr)$/.test(field.type)
  })
)

/** Fields without which no object is created; a slug is made of the name. */
const required = perType((type): ReadonlyArray<string> =>
  Object.entries(type.fields).flatMap(([name, field]) => (isRequired(field) && field.format !== "slug" ? [name] : []))
)

const isRequired = ({ initial, wire }: Field): boolean => initial === undefined && (wire === "both" || wire === "write")

/** How the reader can add an object of this name, in the chosen place; undefined for readers who may not. */
export const addingOf = Effect.fnUntraced(function* (
  type: ObjectType,
  text: string,
  chosen: (field: string) => ReadonlyArray<string>
) {
  if (!writtenTypes.includes(type) || !(yield* mayDo(type, "add"))) return undefined
  const name = named(type)
  const typed = text.trim().slice(0, searchCharsMax)
  const cells = { ...(name !== undefined && typed !== "" && { [name]: typed }), ...placeOf(type, chosen) }
  const isNamed = name !== undefined && Object.hasOwn(cells, name)
  return {
    what: nameOf(type),
    form: withQuery(`${pathOf(type)}add/`, new URLSearchParams(cells)),
    atOnce: type.kind === "object" && isNamed && required(type).every((each) => Object.hasOwn(cells, each)),
    cells
  } satisfies Adding as Adding
})
