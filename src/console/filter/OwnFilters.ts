/** Pages whose objects are filtered as a list filters them. */
import { Effect } from "effect"
import { type Handler, redirect } from "../../http/Route.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { withQuery, withoutBlanks } from "../list/Query.ts"
import { askedFilter } from "./Filters.ts"
import { withIds } from "./NamedObjects.ts"

/** Leads to the address without blanks first, where the form of filters was sent with some: every state has one address. */
export const filtered =
  (type: ObjectType, show: Handler): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { searchParams: query, pathname } = request.url
      const filled = yield* withIds(type, withoutBlanks(askedFilter(query) ?? query), request.base)
      return `${filled}` === `${query}` ? yield* show(request) : redirect(withQuery(pathname, filled))
    })
