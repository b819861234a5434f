/** `/<app>/<type>/<id>/delete/`: asks before an object is deleted, and tells what goes with it or forbids it. */
import { Effect, Result } from "effect"
import { csrfToken } from "../../../auth/Session.ts"
import { type Handler, type Request, type Route, redirect } from "../../../http/Route.ts"
import { rowOf } from "../../../http/objects/Objects.ts"
import type { Row } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { registry } from "../../../inventory/Registry.ts"
import { viewFor } from "../../../inventory/read/Read.ts"
import { Protected } from "../../../inventory/write/Protected.ts"
import { remove } from "../../../inventory/write/Write.ts"
import { html } from "../../Html.ts"
import { framed } from "../../part/Frame.ts"
import { groupOf } from "../../part/Menu.ts"
import { relatedCard, relatedTo } from "../../part/Related.ts"
import { nameOf, pathOf, pluralOf } from "../../part/Title.ts"

const page = Effect.fnUntraced(function* (type: ObjectType, request: Request, row: Row, problem = "") {
  const { session } = request.principal
  const view = yield* viewFor(type, [row], request.base)
  const related = yield* relatedTo(type, row.id)
  const display = type.display(row, view)
  return yield* framed(request, {
    title: `Delete ${display}`,
    crumbs: [[groupOf(type)], [pluralOf(type), pathOf(type)], [display, pathOf(type, row.id)]],
    main: html`${problem === "" ? "" : html`<div class="alert-line" role="alert">${problem}</div>`}
      <form class="card object-form" method="post">
        <input type="hidden" name="csrfmiddlewaretoken" value="${session === undefined ? "" : csrfToken(session)}" />
        <p>Delete the ${nameOf(type)} <b>${display}</b>? This cannot be undone; the change log keeps its last state.</p>
        ${related.length === 0 ? "" : html`<p>Other objects refer to it. They are deleted with it, lose the reference, or forbid the deletion.</p>`}
        <div class="form-end">
          <button class="btn btn-sm btn-danger">Delete</button>
          <a class="btn btn-sm" href="${pathOf(type, row.id)}">Cancel</a>
        </div>
      </form>
      ${relatedCard(related, row.id)}`,
    status: problem === "" ? 200 : 409
  })
})

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.flatMap(rowOf(type, request, "delete"), (row) => page(type, request, row))

const submit =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const row = yield* rowOf(type, request, "delete")
      const gone = yield* Effect.result(remove(type, [row.id], request.author))
      if (Result.isSuccess(gone)) return redirect(pathOf(type))
      return gone.failure instanceof Protected
        ? yield* page(type, request, row, gone.failure.detail)
        : yield* gone.failure
    })

const written = [...registry.values()].filter(({ kind }) => kind === "object")

export default written.map((type): Route => ({
  path: `${pathOf(type)}:id/delete/`,
  access: type,
  action: "delete",
  methods: { GET: show(type), POST: submit(type) }
}))
