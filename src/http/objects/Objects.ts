/** The endpoints that every object type has: list, detail, create, update and delete, for one object or many. */
import { Effect, Option } from "effect"
import type { Action } from "../../inventory/Clearance.ts"
import { type Errors, type Row, type View, idIn, notList } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { type Premise, mapChecked, readOneChecked } from "../../inventory/read/Premise.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import { beginCreation, finishCreation, remove, update } from "../../inventory/write/Write.ts"
import { heading, representation } from "../../inventory/derive/represent/Representation.ts"
import type { PresumedAuthor } from "../../inventory/write/Transaction.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { HttpRefused, notFound } from "../HttpRefused.ts"
import { isOfType } from "../wire/MediaType.ts"
import { etagHeader, guardOf } from "../wire/Etag.ts"
import { exportObjects, exportTypes } from "../files/Export.ts"
import { importObjects } from "../files/Import.ts"
import { bodyOf, withUploads } from "../images/Upload.ts"
import { withConfigContexts, withContextsOfWritten } from "./ConfigContexts.ts"
import type { Detail } from "./Detail.ts"
import { authorOf, presumedAuthorOf } from "./ChangelogMessage.ts"
import { itemErrors } from "./ItemErrors.ts"
import { inWritingTime, refuseLongList } from "./Limits.ts"
import { listObjects } from "./Lists.ts"
import { Listed } from "../wire/Listed.ts"
import { type AtOnce, type Handler, type Reply, type Route, atOnce } from "../Route.ts"
import type { PresumedRequest, Request } from "../wire/Request.ts"
import { fieldSelectionOf } from "../query/FieldSelection.ts"
import { refuseUnknown } from "../query/Strict.ts"

/** The routes of each object type; those that the service alone writes are read-only. */
export const objectRoutes = (details: ReadonlyArray<Detail>): ReadonlyArray<Route> =>
  [...registry.values()].flatMap((type): ReadonlyArray<Route> => {
    const written = !type.isReadOnly
    const detail = details.find((each) => each.type === type)
    return [
      {
        path: type.path,
        access: type,
        methods: {
          GET: listObjects(type),
          ...(written && {
            POST: withUploads(type, createObjects(type)),
            PUT: within(updateMany(type, true)),
            PATCH: within(updateMany(type, false)),
            DELETE: within(deleteMany(type))
          })
        }
      },
      { path: `${type.path}export/`, access: type, produces: exportTypes, methods: { GET: exportObjects(type) } },
      ...(written
        ? [{ path: `${type.path}import/`, access: type, hasOwnLimit: true, methods: { POST: importObjects(type) } }]
        : []),
      {
        path: `${type.path}:id/`,
        access: type,
        methods: {
          GET: showObject(type, detail),
          ...(written && {
            PUT: withUploads(type, updateOne(type, true)),
            PATCH: withUploads(type, updateOne(type, false)),
            DELETE: deleteOne(type)
          })
        }
      }
    ]
  })

const within =
  (handler: Handler): Handler =>
  (request) =>
    inWritingTime(handler(request))

/** The row of the id in the path. Fails with 404 if there is none that the sender may do the action to. */
export const rowOf = Effect.fnUntraced(function* <T extends ObjectType>(
  type: T,
  request: Request,
  action: Action = "view"
) {
  const [row] = yield* byIds(type, idsIn(request.params["id"]), action)
  return row ?? (yield* notFound())
})

const idsIn = (text: string | undefined): ReadonlyArray<number> => (/^\d{1,15}$/.test(text ?? "") ? [Number(text)] : [])

const showObject = (type: ObjectType, detail?: Detail): AtOnce =>
  atOnce(
    Effect.fnUntraced(function* (request, premise) {
      const [id] = idsIn(request.params["id"])
      if (id === undefined) return yield* notFound()
      return yield* readOneChecked(type, id, premise)
    }),
    Effect.fnUntraced(function* ({ rows, beside }, request) {
      const [row] = rows
      if (row === undefined) return yield* notFound()
      const seen = yield* viewFor(type, rows, request.base, beside)
      const view = yield* withConfigContexts(type, rows, seen, request.url.searchParams)
      const json = fieldSelectionOf(type, request.url.searchParams)(row, view)
      const more = detail === undefined ? {} : yield* detail.of(row)
      return { status: 200, json: { ...json, ...more }, headers: etagHeader(row) }
    }),
    detail?.declared
  )

const createObjects = (type: ObjectType): AtOnce => {
  const begin = Effect.fnUntraced(function* (request: PresumedRequest, premise: Premise, by: PresumedAuthor) {
    const body = yield* bodyOf(type, request)
    yield* refuseLongList(body)
    const many = Array.isArray(body)
    const bodies: ReadonlyArray<unknown> = many ? body : [body]
    yield* refuseUnknown(type, request, bodies)
    const author = yield* presumedAuthorOf(by, bodies)
    return mapChecked(yield* beginCreation(type, bodies, author, premise), (begun) => ({ begun, many }))
  })
  return atOnce(
    (request, premise, author) => inWritingTime(begin(request, premise, author)),
    Effect.fnUntraced(function* ({ begun, many }, request) {
      const rest = finishCreation(begun).pipe(refuse(many ? all : first))
      const { made, beside } = yield* Option.isSome(begun.quick) ? rest : inWritingTime(rest)
      const rows = made.map(({ row }) => row)
      const seen = yield* viewFor(type, rows, request.base, beside)
      const view = yield* withContextsOfWritten(type, rows, seen, request.url.searchParams)
      const [row] = rows
      if (many || row === undefined) return listed(201, type, made, view)
      const location = `${request.base}${type.path}${row.id}/`
      const json = { ...representation(type, row, view), ...made[0]?.shown }
      return { status: 201, json, headers: { location, ...etagHeader(row) } }
    })
  )
}

/** The objects that a write made or changed; of very large ones together the headings alone. */
export const listed = (
  status: number,
  type: ObjectType,
  written: ReadonlyArray<{ readonly row: Row; readonly shown?: object }>,
  view: View
): Reply => ({
  status,
  json: Listed.of(
    written,
    ({ row, shown }) => ({ ...representation(type, row, view), ...shown }),
    ({ row, shown }) => ({ ...heading(type, row, view), ...shown })
  ),
  written: written.map(({ row }) => row.id)
})

/** The part of a write's errors that the answer shows: those of the list, or those of one object. */
type Pick = (errors: ReadonlyArray<Errors>) => unknown
export const all: Pick = itemErrors
export const first: Pick = (errors) => errors.find((each) => Object.keys(each).length > 0)

export const refuse =
  (pick: Pick) =>
  <A, E, R>(write: Effect.Effect<A, E | WriteRefused, R>): Effect.Effect<A, E | HttpRefused, R> =>
    Effect.mapError(write, (error) =>
      error instanceof WriteRefused ? new HttpRefused({ reason: "InvalidBody", body: pick(error.errors) }) : error
    )

const updateOne = (type: ObjectType, whole: boolean): Handler =>
  Effect.fnUntraced(function* (request) {
    const { id } = yield* rowOf(type, request, "change")
    const body = yield* bodyOf(type, request)
    yield* refuseUnknown(type, request, [body])
    const author = yield* authorOf(request, [body])
    const [row] = yield* update(type, [{ id, body }], whole, author, guardOf(request.ifMatch)).pipe(refuse(first))
    if (row === undefined) return yield* notFound()
    const seen = yield* viewFor(type, [row], request.base)
    const view = yield* withContextsOfWritten(type, [row], seen, request.url.searchParams)
    return { status: 200, json: representation(type, row, view), headers: etagHeader(row) }
  })

const updateMany = (type: ObjectType, whole: boolean): Handler =>
  Effect.fnUntraced(function* (request) {
    const changes = yield* itemsWithIds(request)
    const bodies = changes.map(({ body }) => body)
    yield* refuseUnknown(type, request, bodies)
    const author = yield* authorOf(request, bodies)
    // Like NetBox, the answer has the errors of the first wrong item only.
    const rows = yield* update(type, changes, whole, author).pipe(refuse(first))
    const seen = yield* viewFor(type, rows, request.base)
    const view = yield* withContextsOfWritten(type, rows, seen, request.url.searchParams)
    return listed(
      200,
      type,
      rows.map((row) => ({ row })),
      view
    )
  })

const deleteOne = (type: ObjectType): Handler =>
  Effect.fnUntraced(function* (request) {
    const guard = request.ifMatch === undefined ? undefined : guardOf(request.ifMatch)
    // Its body was passed over until it could give a reason: one that is no JSON still is.
    const body = isOfType(request.contentType, "application/json") ? yield* request.body : undefined
    const gone = yield* remove(type, idsIn(request.params["id"]), yield* authorOf(request, [body]), guard)
    return gone.length === 0 ? yield* notFound() : { status: 204, written: gone }
  })

const deleteMany = (type: ObjectType): Handler =>
  Effect.fnUntraced(function* (request) {
    const items = yield* itemsWithIds(request)
    const author = yield* authorOf(
      request,
      items.map(({ body }) => body)
    )
    const written = yield* remove(
      type,
      items.map(({ id }) => id),
      author
    )
    return { status: 204, written }
  })

/** The body as a list of objects with an `id` each. Fails with 400. */
const itemsWithIds = Effect.fnUntraced(function* (request: Request) {
  const body = yield* request.body
  if (!Array.isArray(body)) {
    return yield* new HttpRefused({ reason: "InvalidBody", body: { non_field_errors: [notList(body)] } })
  }
  yield* refuseLongList(body)
  const errors = body.map((item: unknown): Errors => {
    if (typeof item !== "object" || item === null) return { non_field_errors: ["Invalid data. Expected a dictionary."] }
    if (!("id" in item)) return { id: ["This field is required."] }
    if (item.id === null) return { id: ["This field may not be null."] }
    return idIn(item.id) === undefined ? { id: ["A valid integer is required."] } : {}
  })
  if (errors.some((error) => Object.keys(error).length > 0)) {
    return yield* new HttpRefused({ reason: "InvalidBody", body: itemErrors(errors) })
  }
  // The last one of several items with the same id counts, as in NetBox.
  const items = new Map(body.map((item: { readonly id: unknown }) => [idIn(item.id)!, item]))
  return Array.from(items, ([id, item]) => ({ id, body: item }))
})
