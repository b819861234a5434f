/** `/<app>/<type>/pick/?q=`: the objects that a form can refer to, as JSON for the picker in `picker.js`. */
import { Effect } from "effect"
import type { Handler, Route } from "../../http/Route.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { findTargets } from "./Targets.ts"
import { pathOf } from "../value/Title.ts"

const pick =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const query = request.url.searchParams
      const chosen = (field: string) => query.get(field)
      const { found, isMore } = yield* findTargets(type, query.get("q") ?? "", request.base, chosen)
      return { status: 200, json: { results: found, more: isMore } }
    })

export default [...registry.values()]
  .filter(({ kind }) => kind !== "record")
  .map((type): Route => ({ path: `${pathOf(type)}pick/`, access: type, methods: { GET: pick(type) } }))
