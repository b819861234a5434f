/** The console with an object of every type. */
import { typesInOrder } from "../support/AnyObject.ts"
import { expectLivesInConsole } from "./EveryType.ts"

expectLivesInConsole(typesInOrder())
