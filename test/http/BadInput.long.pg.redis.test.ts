/** Every hostile value in every field of every object type. */
import { registry } from "../../src/inventory/Registry.ts"
import { expectBadInputRefused } from "./BadInput.ts"

expectBadInputRefused({
  types: [...registry.values()].filter(({ isReadOnly }) => !isReadOnly),
  valuesOf: (values) => values
})
