/** The console with an object of every type. */
import { typesInOrder } from "../support/AnyObject.ts"
import { expectLivesInConsole } from "./EveryType.ts"

/** Images have a form of their own: test/console/ImagesAndLinks. */
expectLivesInConsole(typesInOrder().filter(({ id }) => id !== "extras.imageattachment"))
