/** Lists: a page of the objects that match the query. */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { Listed } from "../wire/Listed.ts"
import { cursorLink, cursorOf, from, pageBounds, pageLinks } from "../wire/Paging.ts"
import type { Handler } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { fieldSelectionOf } from "../query/FieldSelection.ts"
import { parameterOf } from "../query/Parameter.ts"
import { filteredBy, refuseMissing } from "../query/Strict.ts"

export const listObjects = (type: ObjectType): Handler =>
  Effect.fnUntraced(function* (request) {
    const query = request.url.searchParams
    const start = cursorOf(query)
    if (start instanceof HttpRefused) return yield* start
    const { rows, view, bounds, where } = yield* pageOf(type, request, start)
    const show = fieldSelectionOf(type, query)
    const results = Listed.of(rows, (row) => show(row, view))
    if (start !== undefined) {
      const ids = rows.map(({ id }) => id)
      const next = cursorLink(addressOf(request), bounds.limit, ids)
      return { status: 200, json: { count: null, next, previous: null, results } }
    }
    const total = yield* countBeside(type, where, bounds, rows.length)
    return { status: 200, json: { count: total, ...pageLinks(addressOf(request), bounds, total), results } }
  })

/**
 * The objects of a page that the query asks for, from the id `start` on where it pages by cursor. Fails with 400.
 * `isCut`: the database cuts long values.
 */
export const pageOf = Effect.fnUntraced(function* <T extends ObjectType>(
  type: T,
  request: Request,
  start?: number,
  isCut = false
) {
  const settings = yield* Settings
  const query = request.url.searchParams
  const { where, named } = yield* filteredBy(type, request)
  const bounds = pageBounds(query, { usual: settings.pageSize, max: settings.pageSizeMax })
  const ordering = start === undefined ? (parameterOf(query, "ordering") ?? "").split(",") : ["id"]
  const behind = start === undefined ? where : allOf(where, from(start))
  const { rows, beside } = yield* readPage(type, { where: behind, ordering, ...bounds, isCut })
  yield* refuseMissing(named, rows.length)
  return { rows, bounds, where, view: yield* viewFor(type, rows, request.base, beside) }
})

const addressOf = ({ url, base }: Request): URL => new URL(url.pathname + url.search, base)
