/** The errors of the objects of a list, as far as an answer names them. Pure. */
import type { Errors } from "../../inventory/Field.ts"

/** Most objects whose errors are named. */
const namedMax = 100

/** In the order of the list, `{}` for good objects. Behind the last object that is named, one entry counts the others. */
export const itemErrors = (errors: ReadonlyArray<Errors>): ReadonlyArray<Errors> => {
  const wrong = errors.flatMap((each, at) => (Object.keys(each).length === 0 ? [] : [at]))
  if (wrong.length <= namedMax) return errors
  const others = `${wrong.length - namedMax} more objects have errors.`
  return [...errors.slice(0, wrong[namedMax - 1]! + 1), { non_field_errors: [others] }]
}
