/** Names that JavaScript objects inherit, with a few object types. */
import { registry } from "../../src/inventory/Registry.ts"
import { kindsCover, writtenKinds } from "../support/KindsCover.ts"
import { expectInheritedNamesUnknown } from "./PrototypeNames.ts"
import { sampleOf } from "../support/Seed.ts"

expectInheritedNamesUnknown({
  types: sampleOf(kindsCover([...registry.values()], writtenKinds), 4, "types"),
  // `__proto__` changes an object that it is assigned to; `constructor` is found in every object.
  names: ["__proto__", "constructor"],
  imports: ["dcim/sites"]
})
