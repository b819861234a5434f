/** Lists: a page of the objects that match the query. */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import type { RowOf } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { checkedBy, mapChecked, readPageChecked } from "../../inventory/read/Premise.ts"
import { type Beside, readPage, viewFor } from "../../inventory/read/Read.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { Listed } from "../wire/Listed.ts"
import { cursorLink, cursorOf, from, pageBounds, pageLinks } from "../wire/Paging.ts"
import { AtOnce, atOnce } from "../Route.ts"
import { type PresumedRequest, type Request, publicUrl } from "../wire/Request.ts"
import { withConfigContexts } from "./ConfigContexts.ts"
import { fieldSelectionOf } from "../query/FieldSelection.ts"
import { parameterOf } from "../query/Parameter.ts"
import { filteredBy, refuseMissing } from "../query/Strict.ts"
import { exportBy, exportIn } from "./TemplateExport.ts"

export const listObjects = (type: ObjectType): AtOnce => {
  const page = pageObjects(type)
  return new AtOnce((request, premise) => {
    const template = exportIn(request.url.searchParams)
    if (template === undefined) return page.begin(request, premise)
    // It reads by several statements, so its sender is authenticated before.
    return checkedBy(premise, false, exportBy(type, template, request))
  })
}

const pageObjects = (type: ObjectType): AtOnce =>
  atOnce(
    Effect.fnUntraced(function* (request, premise) {
      const start = cursorOf(request.url.searchParams)
      if (start instanceof HttpRefused) return yield* start
      const wanted = yield* wantedPage(type, request, start)
      const read = yield* readPageChecked(type, wanted.page, premise)
      return mapChecked(read, (found) => ({ ...wanted, start, found }))
    }),
    Effect.fnUntraced(function* ({ start, ...page }, request) {
      const { rows, view: seen, bounds, where } = yield* shownPage(type, request, page)
      const view = yield* withConfigContexts(type, rows, seen, request.url.searchParams)
      const show = fieldSelectionOf(type, request.url.searchParams)
      const results = Listed.of(rows, (row) => show(row, view))
      if (start !== undefined) {
        const ids = rows.map(({ id }) => id)
        const next = cursorLink(publicUrl(request), bounds.limit, ids)
        return { status: 200, json: { count: null, next, previous: null, results } }
      }
      const total = yield* countBeside(type, where, bounds, rows.length)
      return { status: 200, json: { count: total, ...pageLinks(publicUrl(request), bounds, total), results } }
    })
  )

/** The objects of a page that the query selects. Fails with 400. `isCut`: the database cuts long values. */
export const pageOf = Effect.fnUntraced(function* <T extends ObjectType>(type: T, request: Request, isCut = false) {
  const wanted = yield* wantedPage(type, request)
  const found = yield* readPage(type, { ...wanted.page, isCut })
  return yield* shownPage(type, request, { ...wanted, found })
})

/** The page that the query selects, from the id `start` on where it pages by cursor. Fails with 400. */
const wantedPage = Effect.fnUntraced(function* (type: ObjectType, request: PresumedRequest, start?: number) {
  const settings = yield* Settings
  const query = request.url.searchParams
  const { where, named } = yield* filteredBy(type, request)
  const bounds = pageBounds(query, { usual: settings.pageSize, max: settings.pageSizeMax })
  const ordering = start === undefined ? (parameterOf(query, "ordering") ?? "").split(",") : ["id"]
  const behind = start === undefined ? where : allOf(where, from(start))
  return { where, named, bounds, page: { where: behind, ordering, ...bounds } }
})

interface FoundPage<T extends ObjectType> extends Omit<Effect.Success<ReturnType<typeof wantedPage>>, "page"> {
  readonly found: { readonly rows: ReadonlyArray<RowOf<T>>; readonly beside: Beside }
}

/** The found objects with a view on what they refer to. Fails with 400 if the query names objects that do not exist. */
const shownPage = Effect.fnUntraced(function* <T extends ObjectType>(
  type: T,
  request: Request,
  { where, named, bounds, found: { rows, beside } }: FoundPage<T>
) {
  yield* refuseMissing(named, rows.length)
  return { rows, bounds, where, view: yield* viewFor(type, rows, request.base, beside) }
})
