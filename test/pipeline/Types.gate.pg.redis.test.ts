/** An object of a few types, which together have every kind of field, through the API and capture. */
import { describe } from "vitest"
import { typesInOrder } from "../support/AnyObject.ts"
import { allKinds, kindsCover } from "../support/KindsCover.ts"
import { runs, seed } from "../support/Seed.ts"
import { expectTypesCaptured } from "./Types.ts"

describe(`with seed ${seed}`, () => {
  expectTypesCaptured({ types: kindsCover(typesInOrder(), allKinds), turns: runs(1), world: 2, from: 1000 })
})
