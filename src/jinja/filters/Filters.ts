/** Jinja's built-in filters by name. */
import type { Native } from "../value/Value.ts"
import { htmlFilters } from "./HtmlFilters.ts"
import { numberFilters } from "./NumberFilters.ts"
import { orderFilters } from "./OrderFilters.ts"
import { selectFilters } from "./SelectFilters.ts"
import { sequenceFilters } from "./SequenceFilters.ts"
import { textFilters } from "./TextFilters.ts"

const filters = new Map<string, Native>(
  [textFilters, htmlFilters, numberFilters, sequenceFilters, orderFilters, selectFilters].flatMap(Object.entries)
)

const aliases = { d: "default", e: "escape", count: "length" }

for (const [alias, name] of Object.entries(aliases)) filters.set(alias, filters.get(name)!)

export const builtinFilters: ReadonlyMap<string, Native> = filters
