/** `/<app>/<type>/add/` and `/<app>/<type>/<id>/edit/`: the form of every object type. */
import { Effect, Result } from "effect"
import { csrfToken } from "../../../auth/Session.ts"
import { HttpRefused } from "../../../http/HttpRefused.ts"
import { type Handler, type Request, type Route, redirect } from "../../../http/Route.ts"
import { rowOf } from "../../../http/objects/Objects.ts"
import { readForm } from "../../../http/wire/Body.ts"
import { etagHeader, guardOf } from "../../../http/wire/Etag.ts"
import type { Errors, Row } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { registry } from "../../../inventory/Registry.ts"
import { create, update } from "../../../inventory/write/Write.ts"
import { WriteRefused } from "../../../inventory/write/WriteRefused.ts"
import { html } from "../../Html.ts"
import { framed } from "../../part/Frame.ts"
import { groupOf } from "../../part/Menu.ts"
import { type Cells, bodyOf, cellsIn, cellsOf, objectForm } from "../../part/form/ObjectForm.ts"
import { nameOf, pathOf, pluralOf } from "../../part/Title.ts"

interface Drawn {
  readonly row?: Row | undefined
  readonly cells: Cells
  readonly errors?: Errors
  readonly now?: Cells | undefined
}

const page = (type: ObjectType, request: Request, { row, cells, errors = {}, now }: Drawn) => {
  const list = pathOf(type)
  const { session } = request.principal
  const isWrong = Object.keys(errors).length > 0
  return framed(request, {
    title: row === undefined ? `Add ${nameOf(type)}` : `Edit ${nameOf(type)}`,
    crumbs: [
      [groupOf(type)],
      [pluralOf(type), list],
      ...(row === undefined ? [] : ([[`#${row.id}`, pathOf(type, row.id)]] as const))
    ],
    main: html`${now === undefined ? "" : conflict}${objectForm({
      ...{ type, cells, errors, now },
      token: session === undefined ? "" : csrfToken(session),
      version: row === undefined ? undefined : etagHeader(row)["etag"],
      submit: row === undefined ? "Add" : "Save",
      cancel: row === undefined ? list : pathOf(type, row.id)
    })}`,
    status: now !== undefined ? 412 : isWrong ? 400 : 200
  })
}

const conflict = html`<div class="alert-line" role="alert">
  <b>Somebody else has changed this object since you opened the form. Nothing was saved.</b>
  <div>Your values are below, and beside them what stands there now. Save again to overwrite it.</div>
</div>`

const showAdd =
  (type: ObjectType): Handler =>
  (request) =>
    page(type, request, { cells: { ...cellsOf(type, undefined), ...cellsIn(type, request.url.searchParams) } })

const add =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const cells = cellsIn(type, yield* readForm(request.incoming))
      const made = yield* Effect.result(create(type, [bodyOf(type, {}, cells)], request.author))
      if (Result.isSuccess(made)) return redirect(pathOf(type, made.success[0]!.row.id))
      return made.failure instanceof WriteRefused
        ? yield* page(type, request, { cells, errors: made.failure.errors[0] ?? {} })
        : yield* made.failure
    })

const showEdit =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const row = yield* rowOf(type, request, "change")
      return yield* page(type, request, { row, cells: cellsOf(type, row) })
    })

const edit =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const form = yield* readForm(request.incoming)
      const row = yield* rowOf(type, request, "change")
      const cells = cellsIn(type, form)
      const before = cellsOf(type, row)
      const change = { id: row.id, body: bodyOf(type, before, cells) }
      const guard = guardOf(form.get("version") ?? undefined)
      const changed = yield* Effect.result(update(type, [change], false, request.author, guard))
      if (Result.isSuccess(changed)) return redirect(pathOf(type, row.id))
      const { failure } = changed
      if (failure instanceof WriteRefused)
        return yield* page(type, request, { row, cells, errors: failure.errors[0] ?? {} })
      const isConflict = failure instanceof HttpRefused && failure.status === 412
      return isConflict ? yield* page(type, request, { row, cells, now: before }) : yield* failure
    })

const written = [...registry.values()].filter(({ kind }) => kind === "object")

export default written.flatMap((type): ReadonlyArray<Route> => [
  { path: `${pathOf(type)}add/`, access: type, action: "add", methods: { GET: showAdd(type), POST: add(type) } },
  {
    path: `${pathOf(type)}:id/edit/`,
    access: type,
    action: "change",
    methods: { GET: showEdit(type), POST: edit(type) }
  }
])
