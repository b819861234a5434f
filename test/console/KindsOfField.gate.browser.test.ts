/** The console with an object of one of the types whose forms together have every control. */
import { typesWithEveryControl } from "./Controls.ts"
import { sampleOf } from "../support/Seed.ts"
import { expectLivesInConsole } from "./EveryType.ts"

expectLivesInConsole(sampleOf(typesWithEveryControl(), 1, "types"))
