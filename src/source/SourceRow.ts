import type { RowOf } from "../inventory/Field.ts"
import type Source from "../inventory/types/extras/Source.ts"

/** A source as its table has it. */
export type SourceRow = RowOf<typeof Source>
