import { type Field, invalid, isDictionary, makeField, notList, printed, typeName } from "../Field.ts"
import { refs } from "./Reference.ts"

/** One end of a cable: interfaces, each named as `{object_type, object_id}`, and shown with its object. */
export const terminations = (type: string): Field<ReadonlyArray<number>> => {
  const list = refs(type)
  return makeField(
    {
      ...list,
      reference: { ...list.reference!, isTermination: true },
      initial: undefined,
      represent: (ids, view) =>
        (ids as ReadonlyArray<number>).map((id) => ({
          object_type: type,
          object_id: id,
          object: view.nested(type, id)
        })),
      parse: (input) => {
        if (!Array.isArray(input)) return invalid(notList(input))
        const wrong = input.find((each) => !isDictionary(each) || each["object_type"] !== type)
        if (wrong !== undefined) {
          const named = isDictionary(wrong) ? printed(wrong["object_type"]) : typeName(wrong)
          return invalid(`Invalid content type: ${named}`)
        }
        const ids = input.map((each: Readonly<Record<string, unknown>>) => each["object_id"])
        return ids.includes(undefined) ? invalid("object_id: This field is required.") : list.parse(ids)
      }
    },
    {}
  )
}
