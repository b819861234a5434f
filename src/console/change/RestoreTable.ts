/** The fields of an object as they are now and as they would be restored, each with a check box. */
import { Effect } from "effect"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { ChangedField } from "../../inventory/read/Changes.ts"
import { diffTable } from "./DiffTable.ts"
import { namedFor } from "./Named.ts"

interface Choice {
  readonly type: ObjectType
  readonly fields: ReadonlyArray<ChangedField>
  /** The names of the fields that are checked. */
  readonly chosen: ReadonlySet<string>
}

export const restoreTable = Effect.fnUntraced(function* ({ type, fields, chosen }: Choice, base: string) {
  const named = yield* namedFor(type, fields, base)
  const { table } = yield* diffTable(fields, { named, titles: { before: "Now", after: "Restored" }, chosen })
  return table
})
