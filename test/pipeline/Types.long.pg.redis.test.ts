/** Objects of every object type through the API and capture. */
import { typesInOrder } from "../support/AnyObject.ts"
import { runs } from "../support/Seed.ts"
import { expectTypesCaptured } from "./Types.ts"

expectTypesCaptured({ types: typesInOrder(), turns: runs(4), world: 3, from: 1000 })
