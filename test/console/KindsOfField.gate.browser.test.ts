/** The console with an object of two of the types whose forms together have every control. */
import { typesWithEveryControl } from "./Controls.ts"
import { sampleOf } from "../support/Seed.ts"
import { expectLivesInConsole } from "./EveryType.ts"

expectLivesInConsole(sampleOf(typesWithEveryControl(), 2, "types"))
