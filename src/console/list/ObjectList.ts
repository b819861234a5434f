/** `/<app>/<type>/`: the list of every object type, from its declaration alone. */
import type { Handler, Route } from "../../http/Route.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { filtered } from "../filter/OwnFilters.ts"
import { withLive } from "../live/Following.ts"
import { isLive } from "./Dressing.ts"
import { listPage } from "./ListPage.ts"
import { pathOf } from "../value/Title.ts"

const show = (type: ObjectType): Handler => filtered(type, (request) => listPage(type, request))

/** Types whose list is a page of its own. */
const elsewhere: ReadonlySet<ObjectType> = new Set([deliveryType])

export default [...registry.values()]
  .filter((type) => !elsewhere.has(type))
  .map((type): Route => ({
    path: pathOf(type),
    access: type,
    methods: { GET: isLive(type) ? withLive(show(type)) : show(type) }
  }))
