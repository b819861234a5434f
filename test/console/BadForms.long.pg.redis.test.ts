/** Every hostile text in the forms of every object type. */
import { writtenTypes } from "../../src/console/form/Opened.ts"
import { expectBadFormsRefused } from "./BadForms.ts"

expectBadFormsRefused({ types: writtenTypes, valuesOf: (texts) => texts })
