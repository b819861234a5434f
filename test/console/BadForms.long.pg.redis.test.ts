/** Every hostile text in the forms of every object type. */
import { addedTypes } from "../../src/console/form/Opened.ts"
import { expectBadFormsRefused } from "./BadForms.ts"

expectBadFormsRefused({ types: addedTypes, valuesOf: (texts) => texts })
