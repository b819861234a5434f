/** Some hostile texts in the forms of a few object types, which together have every kind of field. */
import { describe } from "vitest"
import { addedTypes } from "../../src/console/form/Opened.ts"
import { kindsCover, writtenKinds } from "../support/KindsCover.ts"
import { sampleOf, seed } from "../support/Seed.ts"
import { expectBadFormsRefused } from "./BadForms.ts"

/** Texts for each form. */
const textsMax = 10

describe(`with seed ${seed}`, () => {
  expectBadFormsRefused({
    types: kindsCover(addedTypes, writtenKinds),
    valuesOf: (texts, name) => sampleOf(texts, textsMax, name)
  })
})
