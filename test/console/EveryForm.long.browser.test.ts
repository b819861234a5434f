/** The forms of every object type. */
import { typesInOrder } from "../support/AnyObject.ts"
import { expectFormsWithoutFault } from "./EveryForm.ts"

expectFormsWithoutFault(typesInOrder())
