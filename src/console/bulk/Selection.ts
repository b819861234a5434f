/**
 * The objects that a bulk page is about: those whose boxes the reader ticked, or all that match the filters in the
 * address.
 *
 * Each step of a bulk page finds them again. The mark shows whether they are those of the step before, so nobody
 * deletes an object that began to match after the page was shown.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import { tooLarge } from "../../http/objects/Limits.ts"
import { filteredBy, refuseMissing } from "../../http/query/Strict.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Action, cleared } from "../../inventory/Clearance.ts"
import { idIn } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { idsOf } from "../../inventory/read/Ids.ts"
import { allOf, whereIds } from "../../inventory/derive/filter/Where.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { shortened } from "../list/Cell.ts"
import { number } from "../list/Pager.ts"
import { asApiReads } from "../list/Query.ts"

export interface Selection {
  readonly ids: ReadonlyArray<number>
  readonly isAll: boolean
  /** How many of the ticked objects are gone, or not open to the action. */
  readonly missing: number
  /** Equal for the same objects. */
  readonly mark: string
}

/** The selected objects on which the reader may do the action. Fails with 400 or 413. */
export const selectionOf = Effect.fnUntraced(function* (
  type: ObjectType,
  request: Request,
  form: URLSearchParams,
  action: Action
) {
  const { bulkObjectsMax } = yield* Settings
  const isAll = form.has("all")
  const ticked = [...new Set(form.getAll("id").flatMap((id) => idIn(id) ?? []))]
  const { where, named } = isAll ? yield* filteredBy(type, asApiReads(request)) : { where: whereIds(ticked), named: [] }
  yield* refuseMissing(named, 0)
  const ordering = (request.url.searchParams.get("ordering") ?? "").split(",")
  const page = { where: allOf(where, yield* cleared(type, action)), ordering, limit: bulkObjectsMax + 1, offset: 0 }
  const ids = yield* idsOf(type, page)
  if (ids.length > bulkObjectsMax) {
    const limit = `at most ${number(bulkObjectsMax)} objects (MAX_BULK_OBJECTS)`
    return yield* tooLarge(`A change may have ${limit}, and more match. Narrow the filters, or import a file.`)
  }
  const missing = isAll ? 0 : ticked.length - ids.length
  return { ids, isAll, missing, mark: markOf(ids) } satisfies Selection
})

/** A short digest of some values. */
export const markOf = (values: unknown): string =>
  createHash("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, 22)

/** Most objects that a bulk page names; it counts the others. */
export const namedMax = 50

export interface ObjectName {
  readonly id: number
  readonly display: string
}

/** The names of the first selected objects, in their order. */
export const namesOf = Effect.fnUntraced(function* (type: ObjectType, ids: ReadonlyArray<number>, base: string) {
  const first = ids.slice(0, namedMax)
  if (first.length === 0) return []
  const { rows, beside } = yield* readPage(type, {
    ...{ where: whereIds(first), ordering: ["id"], limit: undefined, offset: 0, isCut: true }
  })
  const view = yield* viewFor(type, rows, base, beside)
  const byId = new Map(rows.map((row) => [row.id, shortened(type.display(row, view))]))
  return first.flatMap((id): ReadonlyArray<ObjectName> => {
    const display = byId.get(id)
    return display === undefined ? [] : [{ id, display }]
  })
})

/** The fields by which the next step of a bulk page finds the same objects. */
export const selectionInputs = (request: Request, { ids, isAll, mark }: Selection): Html =>
  html`${csrfInput(request)}<input type="hidden" name="mark" value="${mark}" />${
      isAll
        ? html`<input type="hidden" name="all" value="1" />`
        : ids.map((id) => html`<input type="hidden" name="id" value="${id}" />`)
    }`
