/** A few object types whose forms together have every control. */
import { formOf } from "../../src/console/form/FormField.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { typesInOrder } from "../support/AnyObject.ts"
import { kindsCover } from "../support/KindsCover.ts"

/** Controls of the form of a new object; a reference to one of several types is a control of its own. */
const controlsOf = (type: ObjectType): ReadonlyArray<string> =>
  formOf(type, []).fields.map(({ control, targetIn }) => (targetIn === undefined ? control : `${control} by type`))

export const typesWithEveryControl = (): ReadonlyArray<ObjectType> => kindsCover(typesInOrder(), controlsOf)
