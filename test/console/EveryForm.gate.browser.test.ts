/** The forms of three of the object types that together have every control. */
import { typesWithEveryControl } from "./Controls.ts"
import { sampleOf } from "../support/Seed.ts"
import { expectFormsWithoutFault } from "./EveryForm.ts"

expectFormsWithoutFault(sampleOf(typesWithEveryControl(), 3, "forms"))
