/** Some hostile values in the fields of a few object types. */
import { describe } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { kindsCover, writtenKinds } from "../support/KindsCover.ts"
import { sampleOf, seed } from "../support/Seed.ts"
import { expectBadInputRefused } from "./BadInput.ts"

/** Values of each field. */
const valuesMax = 4

const written = [...registry.values()].filter(({ isReadOnly }) => !isReadOnly)

describe(`with seed ${seed}`, () => {
  expectBadInputRefused({
    types: sampleOf(kindsCover(written, writtenKinds), 5, "types"),
    valuesOf: (values, name) => sampleOf(values, valuesMax, name)
  })
})
