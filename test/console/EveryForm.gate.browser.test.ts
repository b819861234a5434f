/** The forms of a few object types, which together have every control. */
import { typesWithEveryControl } from "./Controls.ts"
import { expectFormsWithoutFault } from "./EveryForm.ts"

expectFormsWithoutFault(typesWithEveryControl())
