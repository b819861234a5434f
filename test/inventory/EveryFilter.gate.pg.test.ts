/** Every filter of a few object types, which together have every kind of field; each statement with one value. */
import { registry } from "../../src/inventory/Registry.ts"
import { allKinds, kindsCover } from "../support/KindsCover.ts"
import { expectFiltersAnswered } from "./EveryFilter.ts"

expectFiltersAnswered({
  types: kindsCover([...registry.values()], allKinds),
  pick: (wheres) => Array.from(Map.groupBy(wheres, ({ sql }) => sql).values(), ([first]) => first!)
})
