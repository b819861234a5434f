/** Every filter of every object type, with every value. */
import { registry } from "../../src/inventory/Registry.ts"
import { expectFiltersAnswered } from "./EveryFilter.ts"

expectFiltersAnswered({ types: [...registry.values()], pick: (wheres) => wheres })
