/** Names that JavaScript objects inherit, with a few object types, which together have every kind of field. */
import { registry } from "../../src/inventory/Registry.ts"
import { kindsCover, writtenKinds } from "../support/KindsCover.ts"
import { expectInheritedNamesUnknown } from "./PrototypeNames.ts"

expectInheritedNamesUnknown({
  types: kindsCover([...registry.values()], writtenKinds),
  // `__proto__` changes an object that it is assigned to; `constructor` is found in every object.
  names: ["__proto__", "constructor"],
  imports: ["dcim/sites"]
})
