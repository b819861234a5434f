/** Names that JavaScript objects inherit, with every object type. */
import { registry } from "../../src/inventory/Registry.ts"
import { expectInheritedNamesUnknown, inherited } from "./PrototypeNames.ts"

expectInheritedNamesUnknown({
  types: [...registry.values()],
  names: inherited,
  imports: ["dcim/sites", "dcim/devices", "users/users"]
})
