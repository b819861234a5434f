/** Nunjucks' built-in filters. */
import type { Native } from "../value/Values.ts"
import { htmlFilters } from "./HtmlFilters.ts"
import { listFilters } from "./ListFilters.ts"
import { textFilters } from "./TextFilters.ts"
import { valueFilters } from "./ValueFilters.ts"

export const builtinFilters: ReadonlyMap<string, Native> = new Map<string, Native>([
  ...textFilters,
  ...htmlFilters,
  ...listFilters,
  ...valueFilters
])
