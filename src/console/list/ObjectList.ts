/** `/<app>/<type>/`: the list of every object type, from its declaration alone. */
import type { Handler, Route } from "../../http/Route.ts"
import { Effect } from "effect"
import { redirect } from "../../http/Route.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { askedFilter } from "../filter/Filters.ts"
import { withIds } from "../filter/NamedObjects.ts"
import { withLive } from "../live/Following.ts"
import { isLive } from "./Dressing.ts"
import { listPage } from "./ListPage.ts"
import { withQuery, withoutBlanks } from "./Query.ts"
import { pathOf } from "../value/Title.ts"

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { searchParams: query, pathname } = request.url
      const filled = yield* withIds(type, withoutBlanks(askedFilter(query) ?? query), request.base)
      return `${filled}` === `${query}` ? yield* listPage(type, request) : redirect(withQuery(pathname, filled))
    })

/** Types whose list is a page of its own. */
const elsewhere: ReadonlySet<ObjectType> = new Set([deliveryType])

export default [...registry.values()]
  .filter((type) => !elsewhere.has(type))
  .map((type): Route => ({
    path: pathOf(type),
    access: type,
    methods: { GET: isLive(type) ? withLive(show(type)) : show(type) }
  }))
