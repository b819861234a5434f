/** The config contexts of an answer about devices or virtual machines, where it shows them. */
import { Effect } from "effect"
import { hasConfigContext } from "../../inventory/context/Applied.ts"
import type { Row, View } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { configContextsOf } from "../../inventory/context/ConfigContexts.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { selects } from "../query/FieldSelection.ts"

/** The view with them. Fails with 400 if they are too large together. */
export const withConfigContexts = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  view: View,
  query: URLSearchParams
) {
  if (!isShown(type, query)) return view
  const configContext = yield* configContextsOf(type, rows)
  if (configContext === undefined) {
    const detail =
      "The config contexts of these objects are too large together: request fewer objects, or add exclude=config_context."
    return yield* new HttpRefused({ reason: "InvalidBody", body: { detail } })
  }
  return { ...view, configContext }
})

/** The same for objects that were written: an answer is not refused then, and has no contexts that are too large. */
export const withContextsOfWritten = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  view: View,
  query: URLSearchParams
) {
  const configContext = isShown(type, query) ? yield* configContextsOf(type, rows) : undefined
  return configContext === undefined ? view : { ...view, configContext }
})

const isShown = (type: ObjectType, query: URLSearchParams): boolean =>
  hasConfigContext(type) && selects(query, "config_context")
