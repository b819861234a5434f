/** The console with an object of a few types, whose forms together have every control. */
import { typesWithEveryControl } from "./Controls.ts"
import { expectLivesInConsole } from "./EveryType.ts"

expectLivesInConsole(typesWithEveryControl())
