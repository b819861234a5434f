import { Effect } from "effect"
import { notFound } from "../../http/HttpRefused.ts"
import type { Request } from "../../http/wire/Request.ts"
import { changes } from "../../inventory/read/Changes.ts"
import { whereIds } from "../../inventory/derive/filter/Where.ts"

/** The change of the id in the path. Fails with 404 if there is none that the reader may view. */
export const changeIn = Effect.fnUntraced(function* ({ params: { id = "" } }: Request) {
  const where = whereIds(/^\d{1,15}$/.test(id) ? [Number(id)] : [])
  const [change] = yield* changes({ where, order: "oldest first", limit: 1 })
  return change ?? (yield* notFound())
})
