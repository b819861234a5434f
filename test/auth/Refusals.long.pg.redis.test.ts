/** Every failure of authentication, on every route with every method. */
import { expectRefusals, methods } from "./Refusals.ts"

expectRefusals({ pick: (endpoints) => endpoints, methods, anonymous: methods })
