/** Everything that drafts name, resolved. `before`: the rows that they change. */
import { Effect } from "effect"
import type { Row } from "../../Field.ts"
import type { ObjectType } from "../../ObjectType.ts"
import type { Draft } from "../../derive/values/Draft.ts"
import { resolveCustomFields } from "../CustomValues.ts"
import { resolveGenerics, resolveReferences } from "../Resolve.ts"
import { resolveEnds } from "./ResolveEnds.ts"

export const resolveAll = Effect.fnUntraced(function* (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Row>
) {
  const named = yield* resolveReferences(type, drafts, before)
  const joined = yield* resolveEnds(type, named, before)
  return yield* resolveGenerics(type, yield* resolveCustomFields(type, joined, before), before)
})
